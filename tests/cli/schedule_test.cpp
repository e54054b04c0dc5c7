// `loopscope-cli schedule` as a user calls it: whichever scheduler makes the schedule, it is printed, measured and
// logged in the same way, and other commands take it.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

QStringList smallUnsharp() { return {sample("pipelines/unsharp.te"), "--param", "W=131", "--param", "H=47"}; }

QStringList schedule(const QStringList &workload, const QStringList &options) {
    return QStringList{"schedule"} + workload + options;
}

const QStringList kGrouping{"--by", "grouping", "--machine", "4,4k,40"};

} // namespace

class CliScheduleTest : public QObject {
    Q_OBJECT
  private slots:
    /// The same script as `group` prints, its merges told on the way, and nothing measured.
    void groupingIsTheScriptOfGroup() {
        for (const char *mode : {"compat", "fixed"}) {
            const CliRun run = runCli(schedule(smallUnsharp(), kGrouping + QStringList{"--mode", mode}));
            QVERIFY2(run.exitCode == 0, run.story());
            const CliRun grouped = runCli(QStringList{"group"} + smallUnsharp() +
                                          QStringList{"--machine", "4,4k,40", "--mode", mode, "--as", "script"});
            QCOMPARE(run.out, grouped.out);
            QVERIFY2(run.error.contains(": kernel inlined into blur_y, ratio, saves "), run.story());
            QVERIFY2(!run.error.contains("tolerance"), run.story());
        }
    }

    /// Checked, timed and logged as every candidate; the record shows as the very script.
    void groupingIsMeasuredAndLogged() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun run = runCli(schedule(smallUnsharp(), kGrouping + QStringList{"--measure", "--log", log}));
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.error.contains(" of the tolerance against the reference"), run.story());
        QCOMPARE(records(log).size(), 1);
        const CliRun shown = runCli(QStringList{"show"} + smallUnsharp() + QStringList{"--log", log, "--as", "script"});
        QCOMPARE(shown.out, run.out);
    }

    void jsonHasStepsScriptTimesAndGroups() {
        const CliRun run = runCli(schedule(smallUnsharp(), kGrouping + QStringList{"--measure", "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["by"].toString(), "grouping");
        QCOMPARE(value["workload"].toString(), "unsharp");
        QVERIFY(value["steps"].toArray().size() > 5);
        QVERIFY(value["script"].toString().contains("compute_inline "));
        QCOMPARE(value["measured"]["seconds"].toArray().isEmpty(), false);
        QVERIFY(value["measured"]["cost"].toDouble() > 0);
        QVERIFY(value["measured"]["error"].toDouble() <= 1);
        QCOMPARE(value["grouping"]["machine"]["parallelism"].toInt(), 4);
        QVERIFY(!value["grouping"]["merges"].toArray().isEmpty());
        QVERIFY(!value.contains("error"));
    }

    void otherForms_data() {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("holds");
        QTest::newRow("steps") << "steps" << "[\"CI\", 1]\n";
        QTest::newRow("record") << "record" << "it was not measured";
        QTest::newRow("halide") << "halide" << "#include <Halide.h>";
        QTest::newRow("te-python") << "te-python" << "import tvm";
        QTest::newRow("json") << "json" << "\"by\":\"grouping\"";
    }
    void otherForms() {
        QFETCH(QString, form);
        QFETCH(QString, holds);
        const CliRun run = runCli(schedule({sample("pipelines/unsharp.te"), "--param", "W=64", "--param", "H=32"},
                                           kGrouping + QStringList{"--as", form}));
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.contains(holds), run.story());
    }

    void naiveHasNoPrimitives() {
        const CliRun run = runCli(schedule(smallMatmul(), {"--by", "naive", "--measure", "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY(run.json()["steps"].toArray().isEmpty());
        QVERIFY(run.json()["measured"]["cost"].toDouble() > 0);
        QCOMPARE(runCli(schedule(smallMatmul(), {"--by", "naive"})).out, "# the naive schedule: no primitives\n");
    }

    /// The best of the log is what is printed.
    void searchPrintsTheBestOfItsLog() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun run =
            runCli(schedule(smallMatmul(), {"--by", "search", "--trials", "4", "--seed", "3", "--log", log}));
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(records(log).size(), 4);
        QVERIFY2(run.error.contains("round 1: 4 trials"), run.story());
        const CliRun best = runCli(QStringList{"show"} + smallMatmul() + QStringList{"--log", log, "--as", "script"});
        QCOMPARE(run.out, best.out);
    }

    /// GPUs have threads for every element, and the executor says whether the answer is right.
    void naiveForAGpuIsChecked() {
        const CliRun run = runCli(schedule(
            smallMatmul(), {"--target", "cuda -arch=sm_80", "--by", "naive", "--measure", "--runner", "executor"}));
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.contains("bind C "), run.story());
        QVERIFY2(run.error.contains("the answer is right, and nothing was timed"), run.story());
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("no scheduler") << QStringList{} << 2 << "--by is required";
        QTest::newRow("a scheduler there is not")
            << QStringList{"--by", "magic"} << 2 << "--by: `magic` is none of grouping, search, naive";
        QTest::newRow("options of another") << QStringList{"--by", "search", "--machine", "4,4k,40"} << 2
                                            << "--machine belongs to --by grouping; --by search has no use for it";
        QTest::newRow("trials of none") << QStringList{"--by", "naive", "--trials", "4"} << 2
                                        << "--trials belongs to --by search; --by naive has no use for it";
        QTest::newRow("nothing to log") << QStringList{"--by", "grouping", "--log", "x.json"} << 2
                                        << "--log keeps what was measured; give --measure, too";
        QTest::newRow("two forms") << QStringList{"--by", "grouping", "--as", "steps", "--json"} << 2
                                   << "schedule: --as steps is not JSON; --json has steps, script and times";
        QTest::newRow("a machine") << QStringList{"--by", "grouping", "--machine", "4"} << 2
                                   << "--machine: machine '4': neither the name of one (halide, detect, small, server) "
                                      "nor parallel tasks, bytes of cache and the cost of a byte, as in 16,16M,40";
        QTest::newRow("a form of GPUs") << QStringList{"--by", "grouping", "--as", "cuda"} << 1
                                        << "--as cuda: the format cuda is made for GPUs (cuda targets), and this "
                                           "schedule is one for a processor";
    }
    void refusals() {
        QFETCH(QStringList, options);
        QFETCH(int, code);
        QFETCH(QString, sentence);
        const CliRun run = runCli(schedule(smallMatmul(), options));
        QCOMPARE(run.exitCode, code);
        QVERIFY2(run.error.contains(sentence), run.story());
        if (!options.contains("--json")) QVERIFY2(run.out.isEmpty(), run.story());
    }

    void refusalsAsJson() {
        const CliRun run = runCli({"schedule", "missing.te", "--by", "grouping", "--as", "json"});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.json()["error"].toString().contains("the workload file cannot be opened"), run.story());
    }

    void kernelsOfGroups() {
        const CliRun run =
            runCli(schedule(smallUnsharp(), {"--by", "grouping", "--target", "cuda -arch=sm_80", "--as", "json"}));
        QCOMPARE(run.exitCode, 0);
        const QString script = run.json()["script"].toString();
        QVERIFY2(script.contains("blockIdx.x") && script.contains("threadIdx.x"), run.story());
    }
};

LOOPSCOPE_TEST(CliScheduleTest)
#include "schedule_test.moc"
