// `show --as cuda|ptx|sass|limits`: as text and as JSON, with NVIDIA's tools and without, and of what no kernel can be
// made.

#include "cli_process.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

CliRun withoutTools(const QStringList &arguments) {
    qputenv("LOOPSCOPE_CUDA", "/no/where");
    CliRun run = runCli(arguments);
    qunsetenv("LOOPSCOPE_CUDA");
    return run;
}

} // namespace

class ShowGpuTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QStringList show(const QString &form, const QString &script, const QStringList &more = {}) {
        return QStringList{"show"} + smallMatmul() +
               QStringList{"--target", "cuda -arch=sm_80", "--as",
                           form,       "--script",         written(m_folder, "s.schedule", script.toUtf8())} +
               more;
    }
    const QString m_bound = QStringLiteral("bind C i blockIdx.x\nbind C j threadIdx.x\n");
    const QString m_twice = QStringLiteral("bind C i threadIdx.x\nbind C j threadIdx.x\n");

    bool hasTools() { return runCli(show("sass", m_bound)).exitCode == 0; }

  private slots:
    void cudaAndPtxNeedNoTools() {
        const CliRun cuda = withoutTools(show("cuda", m_bound));
        QVERIFY2(cuda.exitCode == 0 && cuda.out.contains("__global__ void __launch_bounds__("), cuda.story());
        const CliRun json = withoutTools(show("cuda", m_bound, {"--json"}));
        QVERIFY2(json.exitCode == 0, json.story());
        const QJsonObject value = json.json().object();
        QCOMPARE(value["kernels"].toArray().size(), 1);
        const QJsonObject kernel = value["kernels"].toArray()[0].toObject();
        QCOMPARE(kernel["parameters"].toArray().size(), 3);
        QCOMPARE(kernel["grid"].toArray().size(), 3);
        QVERIFY(!value["links"].toArray().isEmpty());
        const QStringList lines = value["text"].toString().split('\n');
        const QStringList loops = value["loops"].toString().split('\n');
        for (const QJsonValue link : value["links"].toArray()) {
            QVERIFY(link[0].toInt() >= 1 && link[0].toInt() <= lines.size());
            QVERIFY(link[1].toInt() >= 1 && link[1].toInt() <= loops.size());
        }
        const CliRun ptx = withoutTools(show("ptx", m_bound));
        QVERIFY2(ptx.exitCode == 0 && ptx.out.contains(".visible .entry") && ptx.out.contains(".target sm_80"),
                 ptx.story());
        const CliRun ptxJson = withoutTools(show("ptx", m_bound, {"--json"}));
        QVERIFY2(ptxJson.exitCode == 0 && ptxJson.json().object()["text"].toString().contains(".entry"),
                 ptxJson.story());
    }

    void limitsWithoutToolsSayWhatIsNotKnown() {
        const CliRun text = withoutTools(show("limits", m_bound));
        QVERIFY2(text.exitCode == 0 && text.out.contains("(registers are not known)") &&
                     text.out.contains("not compiled: ptxas is not found"),
                 text.story());
        const CliRun run = withoutTools(show("limits", m_bound, {"--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject json = run.json().object();
        for (const char *field :
             {"grid", "block", "threads", "shared_bytes", "registers", "spills", "occupancy", "limiter", "refused"})
            QVERIFY2(json.contains(QLatin1String(field)), field);
        QVERIFY(json["registers"].isNull() && json["spills"].isNull() && json["refused"].isNull());
        QVERIFY(json["occupancy"].toDouble() > 0);
    }

    void sassWithoutToolsIsRefused() {
        const CliRun run = withoutTools(show("sass", m_bound));
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.error.contains("ptxas is not found") && run.error.contains("packaging/cuda-tools"), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
    }

    void withTools() {
        if (!hasTools()) QSKIP("NVIDIA's tools are not installed (packaging/cuda-tools)");
        const CliRun limits = runCli(show("limits", m_bound, {"--json"}));
        QVERIFY2(limits.exitCode == 0, limits.story());
        const QJsonObject json = limits.json().object();
        QVERIFY2(json["registers"].toInt() > 0 && json["spills"].toInt() == 0, limits.story());
        QVERIFY2(json["compilers"].toString().contains("ptxas"), limits.story());
        const CliRun sass = runCli(show("sass", m_bound, {"--json"}));
        const QJsonObject shown = sass.json().object();
        QVERIFY2(shown["text"].toString().contains("EXIT"), sass.story());
        QVERIFY2(!shown["links"].toArray().isEmpty(), sass.story());
    }

    void whatNoKernelCanBeMadeOfIsRefused() {
        for (const char *form : {"cuda", "ptx", "sass"}) {
            const CliRun run = runCli(show(form, m_twice));
            QVERIFY2(run.exitCode == 1 && run.out.isEmpty(), run.story());
            QVERIFY2(run.error.size() > 40 && !run.error.contains("internal error"), run.story());
        }
        const CliRun limits = runCli(show("limits", m_twice, {"--json"}));
        QVERIFY2(limits.exitCode == 0 && !limits.json().object()["refused"].toString().isEmpty(), limits.story());
    }

    void processorsHaveNone_data() {
        QTest::addColumn<QString>("form");
        for (const char *form : {"cuda", "sass", "limits"}) QTest::newRow(form) << QString::fromUtf8(form);
    }
    void processorsHaveNone() {
        QFETCH(QString, form);
        const CliRun run = runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", form});
        QVERIFY2(run.exitCode != 0 && run.error.contains("cuda"), run.story());
    }
};

LOOPSCOPE_TEST(ShowGpuTest)
#include "show_gpu_test.moc"
