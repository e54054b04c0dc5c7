// loopscope-cli on a machine with a GPU, whose driver is a mock (tests/codegen/runtime/mock_cuda_driver.cpp): the GPU
// is found, a search times its candidates there and logs them; and what is said where there is none.

#include "cli_process.h"
#include "log_lines.h"

#include "harness/environment.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

class CudaCliTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    QString m_sum;
    QString m_log = m_dir.filePath(QStringLiteral("gpu.json"));

  private slots:
    void initTestCase() {
        qputenv("LOOPSCOPE_CUDA_DRIVER", LOOPSCOPE_MOCK_CUDA);
        qputenv("LOOPSCOPE_MOCK_CUDA_ANSWER", "add:4096");
        m_sum = written(m_dir, QStringLiteral("sum.te"),
                        "workload sum()\n\nA = placeholder [64, 64] float32\nB = placeholder [64, 64] float32\n"
                        "C = add(A, B)\n");
    }

    void theGpuIsShown() {
        const CliRun text = runCli({QStringLiteral("targets")});
        QVERIFY2(text.out.endsWith(QStringLiteral("\nThis machine has Mock GPU (cuda -arch=native): sm_80, 7 "
                                                  "multiprocessors at 1.5 GHz, 256 GB/s, 1 MiB of L2.\n")),
                 text.story().constData());
        const QJsonObject first =
            runCli({QStringLiteral("targets"), QStringLiteral("--json")}).json().array().first().toObject();
        QCOMPARE(first[QStringLiteral("name")].toString(), QStringLiteral("native"));
        QCOMPARE(first[QStringLiteral("title")].toString(), QStringLiteral("Mock GPU"));
        QCOMPARE(first[QStringLiteral("multiprocessors")].toInt(), 7);
        QCOMPARE(first[QStringLiteral("l2_bytes")].toInt(), 1 << 20);

        const Environment without("LOOPSCOPE_MOCK_CUDA_DEVICES", "0");
        const CliRun none = runCli({QStringLiteral("targets")});
        QVERIFY2(none.out.endsWith(QStringLiteral("\nNo GPU of this machine: the CUDA driver finds no GPU.\n")),
                 none.story().constData());
    }

    /// `cuda` alone is the GPU of this machine; its candidates are timed there without being asked to.
    void aSearchTimesItsCandidates() {
        const Environment arch("LOOPSCOPE_MOCK_CUDA_ARCH", "86");
        const CliRun run = runCli({QStringLiteral("tune"), m_sum, QStringLiteral("--target"), QStringLiteral("cuda"),
                                   QStringLiteral("--trials"), QStringLiteral("6"), QStringLiteral("--log"), m_log,
                                   QStringLiteral("--json")});
        QVERIFY2(run.exitCode == 0, run.story().constData());
        const QList<QByteArray> lines = records(m_log);
        QVERIFY2(lines.size() >= 6, run.story().constData());
        for (const QByteArray &line : lines) {
            QVERIFY2(line.contains("-arch=sm_86") && line.contains("-num-multiprocessors=7"), line.constData());
            const QJsonArray result = QJsonDocument::fromJson(line).object()[QStringLiteral("r")].toArray();
            QCOMPARE(result.at(1).toInt(), 0);
            QCOMPARE(result.at(0).toArray().first().toDouble(), 0.25e-3);
        }
        const CliRun again = runCli({QStringLiteral("measure"), m_sum, QStringLiteral("--target"),
                                     QStringLiteral("cuda"), QStringLiteral("--runner"), QStringLiteral("cuda"),
                                     QStringLiteral("--log"), m_log, QStringLiteral("--json")});
        QVERIFY2(again.exitCode == 0, again.story().constData());
        QCOMPARE(again.json().object()[QStringLiteral("cost")].toDouble(), 0.25e-3);
        QVERIFY2(again.error.isEmpty(), again.story().constData());

        const CliRun older =
            runCli({QStringLiteral("tune"), m_sum, QStringLiteral("--target"), QStringLiteral("cuda -arch=sm_80"),
                    QStringLiteral("--trials"), QStringLiteral("2")});
        QVERIFY2(older.error.contains(QStringLiteral("kernels of sm_80 are timed on the Mock GPU, which is sm_86")),
                 older.story().constData());
    }

    /// Libraries compute on the processor: their times beside those of a GPU would compare machines.
    void aBenchLeavesLibrariesOfTheProcessorOut() {
        const QString script =
            written(m_dir, QStringLiteral("bound.schedule"), "bind T_add ax0 blockIdx.x\nbind T_add ax1 threadIdx.x\n");
        const QStringList bench = {QStringLiteral("bench"),     m_sum,
                                   QStringLiteral("--target"),  QStringLiteral("cuda"),
                                   QStringLiteral("--script"),  script,
                                   QStringLiteral("--rounds"),  QStringLiteral("2"),
                                   QStringLiteral("--against"), QStringLiteral("naive,openblas,onednn,blis")};
        const CliRun text = runCli(bench);
        QVERIFY2(text.exitCode == 0, text.story().constData());
        QVERIFY2(text.out.startsWith(QStringLiteral("on the Mock GPU of this machine\n")), text.story().constData());
        QVERIFY2(text.out.contains(QStringLiteral("a thread for each element\n")), text.story().constData());
        for (const char *library : {"openblas", "onednn", "blis"})
            QVERIFY2(text.out.contains(QRegularExpression(
                         QStringLiteral("^%1 +left out: it computes on the processor, the schedules on the GPU; ")
                             .arg(QLatin1String(library)),
                         QRegularExpression::MultilineOption)),
                     text.story().constData());
        const QJsonObject json = runCli(bench + QStringList{QStringLiteral("--json")}).json().object();
        QCOMPARE(json[QStringLiteral("machine")].toString(), QStringLiteral("Mock GPU"));
        int ratios = 0;
        for (const QJsonValue contestant : json[QStringLiteral("contestants")].toArray())
            ratios += contestant.toObject().contains(QStringLiteral("ratio")) ? 1 : 0;
        QCOMPARE(ratios, 2); // loopscope and naive

        const Environment without("LOOPSCOPE_MOCK_CUDA_DEVICES", "0");
        const CliRun none = runCli(bench);
        QVERIFY2(none.exitCode == 1 && none.error.contains(QStringLiteral(
                                           "no GPU here runs kernels of this target: the CUDA driver finds no GPU")),
                 none.story().constData());
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("why");
        const QString native = QStringLiteral("cuda");
        QTest::newRow("no driver") << QByteArray("LOOPSCOPE_CUDA_DRIVER") << QByteArray("/nowhere/libcuda.so.1")
                                   << native
                                   << "the CUDA driver cannot be opened (/nowhere/libcuda.so.1: cannot open shared "
                                      "object file: No such file or directory)";
        QTest::newRow("no GPU") << QByteArray("LOOPSCOPE_MOCK_CUDA_DEVICES") << QByteArray("0") << native
                                << "the CUDA driver finds no GPU";
        QTest::newRow("broken") << QByteArray("LOOPSCOPE_MOCK_CUDA_FAIL") << QByteArray("cuInit:999") << native
                                << "the CUDA driver cannot be started: CUDA_ERROR_UNKNOWN (the mock says no)";
#if !defined(__SANITIZE_ADDRESS__) // it ends what crashes in a way of its own
        QTest::newRow("crashes") << QByteArray("LOOPSCOPE_MOCK_CUDA_FAIL") << QByteArray("cuInit:-1") << native
                                 << "the process that asked the CUDA driver was ended by segmentation fault (SIGSEGV)";
#endif
        QTest::newRow("older than the target")
            << QByteArray("LOOPSCOPE_MOCK_CUDA_ARCH") << QByteArray("75") << QStringLiteral("cuda -arch=sm_80")
            << "the GPU of this machine, Mock GPU, is sm_75 and runs no kernels of sm_80; choose the target cuda "
               "-arch=sm_75";
        QTest::newRow("code of one architecture alone")
            << QByteArray("LOOPSCOPE_MOCK_CUDA_ARCH") << QByteArray("100") << QStringLiteral("cuda -arch=sm_90a")
            << "the GPU of this machine, Mock GPU, is sm_100 and runs no kernels of sm_90a; choose the target cuda "
               "-arch=sm_100";
    }
    void refusals() {
        QFETCH(const QByteArray, variable);
        QFETCH(const QByteArray, value);
        QFETCH(const QString, target);
        QFETCH(const QString, why);
        const Environment changed(variable.constData(), value.constData());
        const QString log = m_dir.filePath(QStringLiteral("never.json"));
        const CliRun run =
            runCli({QStringLiteral("tune"), m_sum, QStringLiteral("--target"), target, QStringLiteral("--log"), log});
        QCOMPARE(run.exitCode, 1);
        QVERIFY(run.out.isEmpty());
        QVERIFY2(run.error.contains(QStringLiteral("no GPU here runs kernels of this target: ") + why +
                                    QStringLiteral("; --runner executor ")),
                 run.story().constData());
        QVERIFY(!QFile::exists(log));
    }
};

LOOPSCOPE_TEST(CudaCliTest)
#include "cuda_test.moc"
