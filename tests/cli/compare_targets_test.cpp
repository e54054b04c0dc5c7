// `compare` where nothing can time the two in turn: schedules for different targets, and kernels of a GPU that is not
// here. The differences are told all the same, each time with its machine, and the exit code says what was left out.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class CompareTargetsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_cpu = m_folder.filePath("cpu.json");
    QString m_gpu = m_folder.filePath("gpu.json");
    const QStringList m_cuda{"--target", "cuda -arch=sm_80"};

    static CliRun compare(const QStringList &more) { return runCli(QStringList{"compare"} + smallMatmul() + more); }

  private slots:
    void initTestCase() {
        qputenv("LOOPSCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1"); // no GPU, whatever this machine has
        const CliRun cpu = runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "3", "--log", m_cpu});
        QVERIFY2(cpu.exitCode == 0, cpu.story());
        const CliRun gpu = runCli(QStringList{"tune"} + smallMatmul() + m_cuda +
                                  QStringList{"--runner", "executor", "--trials", "3", "--log", m_gpu});
        QVERIFY2(gpu.exitCode == 0, gpu.story());
    }

    /// Each is for its own target, whatever --target says.
    void differentTargets_data() {
        QTest::addColumn<QStringList>("target");
        QTest::newRow("llvm") << QStringList{};
        QTest::newRow("cuda") << m_cuda;
    }
    void differentTargets() {
        QFETCH(QStringList, target);
        const CliRun text = compare(target + QStringList{m_cpu + ":best", m_gpu + ":1"});
        QVERIFY2(text.exitCode == 0, text.story());
        const QStringList lines = text.out.split('\n');
        QVERIFY2(lines[0].startsWith("A  record ") && lines[0].contains(", logged for llvm -mcpu="), text.story());
        QVERIFY2(lines[1].startsWith(
                     QString("B  record 1 of %1: checked, not timed, logged for cuda -arch=sm_80").arg(m_gpu)),
                 text.story());
        QVERIFY2(lines[2].startsWith("not timed: record ") &&
                     lines[2].endsWith("times of different machines make no ratio"),
                 text.story());
        QVERIFY2(text.out.contains("\n+ bind ") && text.out.contains("\n- "), text.story());            // steps of both
        QVERIFY2(text.out.contains("Hottest block: ") && text.out.contains("    grid "), text.story()); // and code
        QVERIFY2(text.out.contains("Features that differ most"), text.story());
        QVERIFY2(text.error.isEmpty(), text.story());
    }

    void differentTargetsAsJson() {
        // A time that was taken elsewhere says where.
        QFile file(m_gpu);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QList<QByteArray> lines = file.readAll().split('\n');
        QByteArray log;
        for (QByteArray &line : lines) {
            if (!line.startsWith('{')) continue;
            const qsizetype result = line.indexOf("\"r\":");
            const qsizetype costs = line.indexOf('[', result) + 1;
            line.replace(costs, line.indexOf(']', costs) + 1 - costs, "[0.0001]");
            log += "# measured on gpubox: NVIDIA A100\n" + line + "\n";
        }
        const QString timed = written(m_folder, "timed.json", log);
        const CliRun run = compare({m_cpu + ":0", timed + ":best", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QVERIFY(value["verdict"].isNull() && value["ratio"].isNull() && value["interval"].isNull());
        QVERIFY2(value["not_timed"].toString().endsWith("times of different machines make no ratio"), run.story());
        QVERIFY(!value.contains("error"));
        QVERIFY(value["logged"]["a"]["target"].toString().startsWith("llvm "));
        QVERIFY2(value["logged"]["a"]["seconds"].toDouble() > 0, run.story());
        QVERIFY(value["logged"]["a"]["machine"].isNull());
        QCOMPARE(value["logged"]["b"]["target"].toString(), QString("cuda -arch=sm_80"));
        QCOMPARE(value["logged"]["b"]["seconds"].toDouble(), 1e-4);
        QCOMPARE(value["logged"]["b"]["machine"].toString(), QString("gpubox: NVIDIA A100"));
        QVERIFY(!value["steps"]["only_b"].toArray().isEmpty());
        QVERIFY(value["code"]["a"]["bytes"].toInt() > 0);
        QVERIFY2(value["code"]["b"]["threads"].toInt() > 0, run.story());
        QVERIFY(!value["features"].toArray().isEmpty());
        for (const QJsonValue feature : value["features"].toArray()) QVERIFY(feature["contribution_a"].isNull());
    }

    void aDifferenceOfTargetsIsNotExplained() {
        const CliRun run = compare({m_cpu + ":0", m_gpu + ":0", "--explain"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("--explain times one difference after the other, which needs one machine: record 0 "
                                    "of " +
                                    m_cpu + " is for llvm"),
                 run.story());
    }

    /// A record brings its target along, and the naive schedule goes with it.
    void theNaiveScheduleGoesWithTheOther() {
        const CliRun run = compare({"naive", m_gpu + ":0"});
        QCOMPARE(run.exitCode, 1); // one target, but no GPU
        QVERIFY2(run.out.startsWith("A  the naive schedule: never measured, for cuda -arch=sm_80"), run.story());
    }

    /// What can be told without a GPU is told before it is said that something is missing.
    void aGpuThatIsNotHere() {
        const QString why = "they cannot be timed in turn, as no GPU here runs kernels of this target: ";
        const CliRun text = compare(m_cuda + QStringList{m_gpu + ":0", m_gpu + ":1"});
        QCOMPARE(text.exitCode, 1);
        QVERIFY2(text.out.startsWith("A  record 0: checked, not timed, logged for cuda -arch=sm_80"), text.story());
        QVERIFY2(text.out.contains("\n+ ") && text.out.contains("\n- "), text.story());
        QCOMPARE(text.out.count("    occupancy "), text.out.count("    grid "));
        QVERIFY2(text.error.contains(why) && text.error.contains("/nowhere/libcuda.so.1"), text.story());
        const CliRun json = compare(m_cuda + QStringList{m_gpu + ":0", m_gpu + ":1", "--json"});
        QCOMPARE(json.exitCode, 1);
        const QJsonObject value = json.json().object();
        QVERIFY2(value["error"].toString().startsWith(why), json.story());
        QCOMPARE(value["not_timed"], value["error"]);
        QVERIFY(value["verdict"].isNull());
        QVERIFY(!value["steps"].toObject().isEmpty());
    }

    /// Weights that arrive in different ways: no times, but differences.
    void differentLayouts() {
        const QString log = m_folder.filePath("inside.json");
        const CliRun tuned = runCli(QStringList{"tune"} + smallMatmul() +
                                    QStringList{"--trials", "1", "--layout-rewrite", "0", "--log", log});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        const CliRun run = compare({m_cpu + ":0", log + ":0"});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.out.startsWith("A  record 0 of ") && run.out.contains("Hottest block: "), run.story());
        QVERIFY2(run.error.contains(
                     QString("record 0 of %1 was measured with --layout-rewrite 2, record 0 of %2 with 0: their "
                             "times are not comparable")
                         .arg(m_cpu, log)),
                 run.story());
    }
};

LOOPSCOPE_TEST(CompareTargetsTest)
#include "compare_targets_test.moc"
