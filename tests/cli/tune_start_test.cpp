// `tune --start-from` and `tune --group`: what is measured first, what of a grouped schedule every candidate keeps, and
// what is refused.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace tune_start_test {

namespace {

/// For the machine below it has three groups.
QStringList smallUnsharp() { return {sample("pipelines/unsharp.te"), "--param", "W=131", "--param", "H=47"}; }
const QStringList kMachine{"--machine", "4,4k,40"};

QStringList tune(const QStringList &workload, const QStringList &options) {
    return QStringList{"tune"} + workload + options;
}

QString scriptOf(const QStringList &workload, const QString &log, int record) {
    return runCli(QStringList{"show"} + workload +
                  QStringList{"--log", log, "--record", QString::number(record), "--as", "script"})
        .out;
}

/// Lines about stages other than those.
QStringList linesOutside(const QString &script, const QStringList &stages) {
    QStringList lines;
    for (const QString &line : script.split('\n', Qt::SkipEmptyParts))
        if (!stages.contains(line.section(' ', 1, 1))) lines << line;
    return lines;
}

/// Two stages that nothing can merge: each a group of its own.
const QByteArray kTwoOutputs = "workload two(N = 64)\n\n"
                               "A = placeholder [N, N] float32\n"
                               "B(i < N, j < N) = A[i, j] + 1.0\n"
                               "C(i < N, j < N) = A[j, i] * 2.0\n";

} // namespace

class TuneStartTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1"); } // whatever this machine has

    void theGroupedScheduleIsMeasuredFirst() {
        for (const char *mode : {"compat", "fixed"}) {
            const QTemporaryDir folder;
            const QString log = folder.filePath("log.json");
            const QStringList grouping = kMachine + QStringList{"--mode", mode};
            const CliRun run = runCli(tune(
                smallUnsharp(), QStringList{"--trials", "6", "--start-from", "grouping", "--log", log} + grouping));
            QVERIFY2(run.exitCode == 0, run.story());
            QCOMPARE(records(log).size(), 6);
            const CliRun grouped =
                runCli(QStringList{"schedule"} + smallUnsharp() + QStringList{"--by", "grouping"} + grouping);
            QCOMPARE(scriptOf(smallUnsharp(), log, 0), grouped.out);
        }
    }

    void recordsAndNaiveAreStartedFromToo() {
        const QTemporaryDir folder;
        const QString first = folder.filePath("first.json");
        const QString log = folder.filePath("log.json");
        const CliRun made = runCli(tune(smallMatmul(), {"--trials", "2", "--log", first, "--random-model"}));
        QVERIFY2(made.exitCode == 0, made.story());
        const CliRun run = runCli(tune(smallMatmul(), {"--trials", "4", "--log", log, "--start-from", first + ":1",
                                                       "--start-from", "naive", "--random-model"}));
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(scriptOf(smallMatmul(), log, 0), scriptOf(smallMatmul(), first, 1));
        QVERIFY(!scriptOf(smallMatmul(), log, 1).contains("split"));
    }

    void onlyTheGroupChanges_data() {
        QTest::addColumn<QString>("group");
        QTest::addColumn<QStringList>("stages");
        QTest::newRow("of the grouping") << "ratio" << QStringList{"kernel", "blur_y", "ratio"};
        QTest::newRow("of one's own") << "blur_y,ratio" << QStringList{"blur_y", "ratio"};
    }
    void onlyTheGroupChanges() {
        QFETCH(const QString, group);
        QFETCH(const QStringList, stages);
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun run = runCli(tune(
            smallUnsharp(), QStringList{"--trials", "8", "--group", group, "--log", log, "--seed", "2"} + kMachine));
        QVERIFY2(run.exitCode == 0, run.story());
        const CliRun grouped =
            runCli(QStringList{"schedule"} + smallUnsharp() + QStringList{"--by", "grouping"} + kMachine);
        const QStringList kept = linesOutside(grouped.out, stages);
        QVERIFY(!kept.isEmpty());
        QSet<QString> distinct;
        for (int i = 0; i < 8; ++i) {
            const QString script = scriptOf(smallUnsharp(), log, i);
            QCOMPARE(linesOutside(script, stages), kept);
            distinct << script;
        }
        QCOMPARE(distinct.size(), 8);
    }

    void whatIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const QStringList &arguments, int exitCode, const char *sentence) {
            QTest::newRow(name) << arguments << exitCode << QString(sentence);
        };
        row("a stage there is not", {"--group", "D"}, 2, "--group D: the workload has no stage D; its groups are B, C");
        row("one of two", {"--group", "B,"}, 2,
            "--group B,: the workload has no stage without a name; its groups are B, C");
        row("nothing grouped", {"--mode", "compat"}, 2, "--mode belongs to --start-from grouping and --group");
        row("a machine for nobody", {"--machine", "4,4k,40", "--start-from", "naive"}, 2,
            "--machine belongs to --start-from grouping and --group");
        row("all of it is locked", {"--group", "B", "--lock", "stage:B"}, 1,
            "tune: the locks `stage:B`, `stage:C` leave");
        row("no file", {"--start-from", "groupin"}, 1, "groupin: the script cannot be opened");
    }
    void whatIsRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        const CliRun run = runCli(tune({written(folder, "two.te", kTwoOutputs)}, arguments));
        QCOMPARE(run.exitCode, exitCode);
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
    }

    /// A stage inlined into others is none, and the sentence says what is.
    void aMemberIsNoGroup() {
        const CliRun run = runCli(tune(smallUnsharp(), QStringList{"--group", "sharpen"} + kMachine));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("--group sharpen: no group ends in sharpen; the groups are "), run.story());
        QVERIFY2(run.error.contains(", output, ") && run.error.contains("; several stages with commas"), run.story());
    }

    /// Groups are there on a GPU, too; what keeps a target from being searched is said before anything is grouped.
    void targetsThatCannotBeSearched_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("no kind of target") << QStringList{"--target", "opencl"} << 1
                                           << "loopscope-cli: target kind 'opencl' is not known; llvm and cuda are\n";
        QTest::newRow("a GPU that is not here")
            << QStringList{"--target", "cuda -arch=sm_80"} << 1
            << "loopscope-cli: no GPU here runs kernels of this target: the CUDA driver cannot be opened";
        QTest::newRow("a stage that is no group of the GPU's")
            << QStringList{"--target", "cuda -arch=sm_80", "--runner", "executor", "--group", "D"} << 2
            << "loopscope-cli: --group D: the workload has no stage D; its groups are B, C\n";
        QTest::newRow("a runner of GPUs for a processor")
            << QStringList{"--target", "llvm", "--runner", "executor"} << 2
            << "loopscope-cli: --runner executor runs kernels of GPUs on this processor; give --target cuda\n";
    }
    void targetsThatCannotBeSearched() {
        QFETCH(QStringList, more);
        QFETCH(int, exitCode);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        const QStringList group = more.contains("--group") ? QStringList() : QStringList{"--group", "B"};
        const CliRun run = runCli(tune({written(folder, "two.te", kTwoOutputs)}, more + group));
        QCOMPARE(run.exitCode, exitCode);
        QVERIFY2(run.error.contains(sentence), run.story());
        QCOMPARE(run.error.trimmed().count('\n'), 0); // one sentence
        QVERIFY2(run.out.isEmpty(), run.story());
    }

    void groupsOfAGpuAreSearched() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun run = runCli(
            tune({written(folder, "two.te", kTwoOutputs)}, {"--target", "cuda -arch=sm_80", "--runner", "executor",
                                                            "--group", "B", "--trials", "2", "--log", log}));
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.contains("2 trials, 2 verified"), run.story());
    }

    void onlyOneWorkloadHasGroups() {
        const CliRun run = runCli({"tune", sample("matmul.te"), sample("softmax.te"), "--group", "C"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("--group names stages of one workload"), run.story());
    }
};

LOOPSCOPE_TEST(TuneStartTest)

} // namespace tune_start_test
#include "tune_start_test.moc"
