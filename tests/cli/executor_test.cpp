// loopscope-cli on a machine without a GPU: kernels checked on the executor, told as text and as JSON, logged without
// times and read back.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace {

const QString kTarget = QStringLiteral("cuda -arch=sm_80");

/// Two GPU schedules of matmul 16x24x12 as a log has them: a tiled one, and rows by threads.
QByteArray logText(const QByteArray &key) {
    const QByteArray head = "{\"i\": [[" + key +
                            ", \"cuda -keys=cuda,gpu -arch=sm_80 -max_num_threads=1024 -thread_warp_size=32\", "
                            "[-1, 16, 64, 49152, 2147483647, 1024, 8, 32], \"\", 0, []], [[], ";
    const QByteArray tail = "]], \"r\": [[1e-05], 0, 1, 1700000000], \"v\": \"v0.6\"}\n";
    return head + R"([["SP", 2, 0, 16, [4], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6]])" + tail + head +
           R"([["AN", 2, 0, 5], ["AN", 2, 1, 6]])" + tail;
}

} // namespace

class ExecutorCliTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    QString m_log;
    QStringList m_matmul = {sample(QStringLiteral("matmul.te")),
                            QStringLiteral("--param"),
                            QStringLiteral("M=16"),
                            QStringLiteral("--param"),
                            QStringLiteral("N=24"),
                            QStringLiteral("--param"),
                            QStringLiteral("K=12"),
                            QStringLiteral("--target"),
                            kTarget};

    QStringList measure(const QStringList &more) const {
        return QStringList(QStringLiteral("measure")) + m_matmul + more;
    }

  private slots:
    void initTestCase() {
        const CliRun key = runCli(QStringList(QStringLiteral("show")) + m_matmul +
                                  QStringList{QStringLiteral("--as"), QStringLiteral("key")});
        QVERIFY2(key.exitCode == 0, key.story().constData());
        QByteArray quoted = key.out.section(u'\n', 0, 0).trimmed().toUtf8();
        quoted = "\"" + quoted.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        m_log = written(m_dir, QStringLiteral("gpu.json"), logText(quoted));
    }

    void allOfALogAreChecked() {
        const CliRun run =
            runCli(measure({QStringLiteral("--runner"), QStringLiteral("executor"), QStringLiteral("--log"), m_log,
                            QStringLiteral("--record"), QStringLiteral("all")}));
        QVERIFY2(run.exitCode == 0, run.story().constData());
        const QStringList lines = run.out.trimmed().split(u'\n');
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].startsWith(QStringLiteral("record 0: right; checked by the executor, not timed: all 4 blocks "
                                                    "ran; largest error ")),
                 run.story().constData());
        QVERIFY2(
            lines[1].startsWith(QStringLiteral("record 1: right; checked by the executor, not timed: all 16 blocks "
                                               "ran; largest error ")),
            run.story().constData());
    }

    void asJson() {
        const CliRun run =
            runCli(measure({QStringLiteral("--runner"), QStringLiteral("executor"), QStringLiteral("--sample-blocks"),
                            QStringLiteral("5"), QStringLiteral("--log"), m_log, QStringLiteral("--record"),
                            QStringLiteral("1"), QStringLiteral("--json")}));
        QVERIFY2(run.exitCode == 0, run.story().constData());
        const QJsonObject json = run.json().object();
        QCOMPARE(json[QStringLiteral("runner")].toString(), QStringLiteral("executor"));
        const QJsonObject one = json[QStringLiteral("candidates")].toArray().at(0).toObject();
        QCOMPARE(one[QStringLiteral("record")].toInt(), 1);
        QVERIFY(one[QStringLiteral("right")].toBool());
        QVERIFY(one[QStringLiteral("findings")].isArray() && one[QStringLiteral("findings")].toArray().isEmpty());
        QCOMPARE(one[QStringLiteral("ran")].toString(),
                 QStringLiteral("checked by the executor, not timed: 5 of 16 blocks ran"));
    }

    void whatNoGpuRunsIsRefusedAsLimitsRefusesIt_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("limit");
        QTest::newRow("virtual threads")
            << QByteArray("split C i into 16\nbind C i.0 blockIdx.x\nbind C i.1 vthread\nbind C j threadIdx.x\n")
            << QStringLiteral("has 16 virtual threads (i.1), of which 8 are allowed");
        QTest::newRow("vectors")
            << QByteArray("split C j into 8\nbind C i blockIdx.x\nbind C j.0 threadIdx.x\nvectorize C j.1\n")
            << QStringLiteral("over 32 bytes, of which a thread moves 16 at once");
    }
    void whatNoGpuRunsIsRefusedAsLimitsRefusesIt() {
        QFETCH(const QByteArray, script);
        QFETCH(const QString, limit);
        const QString file = written(m_dir, QStringLiteral("beyond.schedule"), script);
        const CliRun limits = runCli(QStringList(QStringLiteral("show")) + m_matmul +
                                     QStringList{QStringLiteral("--as"), QStringLiteral("limits"),
                                                 QStringLiteral("--json"), QStringLiteral("--script"), file});
        const QString told = limits.json().object()[QStringLiteral("refused")].toString();
        QVERIFY2(told.contains(limit), limits.story().constData());
        const CliRun run =
            runCli(measure({QStringLiteral("--runner"), QStringLiteral("executor"), QStringLiteral("--script"), file}));
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.out.contains(QStringLiteral("instantiation")) && run.out.contains(told), run.story().constData());
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("why");
        const QStringList log = {QStringLiteral("--log"), m_log};
        QTest::newRow("processor")
            << QStringList{QStringLiteral("measure"),  sample(QStringLiteral("matmul.te")),
                           QStringLiteral("--runner"), QStringLiteral("executor"),
                           QStringLiteral("--log"),    m_log}
            << QStringLiteral("--runner executor runs kernels of GPUs on this processor; give --target cuda");
        QTest::newRow("no such runner")
            << measure(log + QStringList{QStringLiteral("--runner"), QStringLiteral("abacus")})
            << QStringLiteral("--runner abacus: for this target 'cuda' (the target itself) or 'executor' (this "
                              "processor, without times) is legal");
        QTest::newRow("sample of a machine")
            << measure(log + QStringList{QStringLiteral("--sample-blocks"), QStringLiteral("4")})
            << QStringLiteral("--sample-blocks is for --runner executor; a GPU runs all blocks");
    }
    void refusals() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, why);
        const CliRun run = runCli(arguments);
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(why), run.story().constData());
    }

    /// Searched schedules of scans and scatters: right, or none of them is kept.
    void scansAndScatters_data() {
        QTest::addColumn<QString>("name");
        for (const char *name : {"histogram_equalize", "iir_blur"}) QTest::newRow(name) << QString::fromLatin1(name);
    }
    void scansAndScatters() {
        QFETCH(const QString, name);
        const CliRun run = runCli(
            {QStringLiteral("tune"), sample(QStringLiteral("pipelines/%1.te").arg(name)), QStringLiteral("--param"),
             QStringLiteral("W=37"), QStringLiteral("--param"), QStringLiteral("H=41"), QStringLiteral("--target"),
             kTarget, QStringLiteral("--runner"), QStringLiteral("executor"), QStringLiteral("--trials"),
             QStringLiteral("8"), QStringLiteral("--log"), m_dir.filePath(name + QStringLiteral(".json"))});
        QVERIFY2(run.exitCode == 0, run.story().constData());
        QVERIFY2(run.story().contains("8 trials, 0 failed, 8 right, not timed"), run.story().constData());
    }
};

LOOPSCOPE_TEST(ExecutorCliTest)
#include "executor_test.moc"
