// `loopscope-cli group` as a user calls it: the decisions as text and as JSON, and what is refused.

#include "cli_process.h"
#include "language/target/target.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

QStringList names(const QJsonValue &list) {
    QStringList all;
    for (const QJsonValue entry : list.toArray()) all << entry.toString();
    return all;
}

QString pipeline(const char *name) { return sample("pipelines/" + QString(name) + ".te"); }

} // namespace

class GroupTest : public QObject {
    Q_OBJECT
  private slots:
    void decisionsAsJson();
    void decisionsAsText();
    void machinesWithNames();
    void scriptIsMeasured_data();
    void scriptIsMeasured();
    void refusals_data();
    void refusals();
};

void GroupTest::decisionsAsJson() {
    const CliRun run = runCli({"group", pipeline("unsharp"), "--mode", "compat", "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
    const QJsonObject value = run.json().object();
    QCOMPARE(value["mode"].toString(), "compat");
    QCOMPARE(value["machine"]["parallelism"].toInt(), 16);
    QCOMPARE(value["machine"]["last_level_cache"].toInt(), 16 << 20);
    QCOMPARE(value["machine"]["balance"].toDouble(), 40.0);
    QCOMPARE(names(value["pre_inlined"]), (QStringList{"blur_x", "sharpen"}));
    const QJsonArray inlined = value["inlined"].toArray();
    QCOMPARE(inlined.size(), 2);
    QCOMPARE(inlined[0]["stage"].toString(), "repeat_edge");
    QCOMPARE(names(inlined[0]["into"]), QStringList{"gray"});
    QCOMPARE(inlined[0]["benefit"].toInteger(), qint64{3885550104});
    QCOMPARE(names(inlined[1]["into"]), (QStringList{"blur_y", "ratio"}));
    const QJsonArray merges = value["merges"].toArray();
    QCOMPARE(merges.size(), 3);
    QCOMPARE(merges[1]["producer"].toString(), "gray");
    QCOMPARE(merges[1]["consumer"].toString(), "ratio");
    QCOMPARE(merges[1]["benefit"].toInteger(), qint64{5169853572});
    const QJsonArray groups = value["groups"].toArray();
    QCOMPARE(groups.size(), 1);
    QCOMPARE(groups[0]["output"].toString(), "output");
    QCOMPARE(groups[0]["tile"]["x"].toInt(), 256);
    QCOMPARE(names(groups[0]["order"]), (QStringList{"x_i_vi", "x_i_vo", "y_i", "c", "x_o", "y_o"}));
    QCOMPARE(names(groups[0]["parallel"]), (QStringList{"y_o", "x_o"}));
    QCOMPARE(value["totals"]["before"]["arith"].toInteger(), qint64{489273196});
    QCOMPARE(value["totals"]["after"]["memory"].toInteger(), qint64{6085817280});
    QVERIFY(value["steps"].toArray().size() > 10);
}

void GroupTest::decisionsAsText() {
    const CliRun run = runCli({"group", pipeline("blur"), "--mode", "compat", "--machine", "8,256k,40"});
    QVERIFY2(run.exitCode == 0, run.story());
    QVERIFY2(run.out.startsWith("machine 8,262144,40, mode compat\n"
                                "merged bx into by: saves 2270604288\n"
                                "group by, with bx\n"
                                "  tile x 64 y 32\n"),
             run.story());
    QVERIFY2(run.out.contains("parallel "), run.story());
}

/// As the target is: its cores, and the caches of this machine.
void GroupTest::machinesWithNames() {
    const auto firstLine = [](const QStringList &options) {
        const CliRun run = runCli(QStringList{"group", pipeline("blur")} + options);
        return run.exitCode == 0 ? run.out.section('\n', 0, 0) : QString(run.story());
    };
    const Target target = parseTarget("llvm -num-cores=3");
    QCOMPARE(firstLine({"--target", "llvm -num-cores=3", "--machine", "detect"}),
             QString("machine 12,%1,40, mode fixed").arg(std::max(target.l2Bytes, target.l3Bytes)));
    QCOMPARE(firstLine({"--machine", "halide"}), QString("machine 16,16777216,40, mode fixed"));
    QCOMPARE(firstLine({"--machine", "small"}), QString("machine 4,1048576,40, mode fixed"));
    QCOMPARE(firstLine({"--machine", "server"}), QString("machine 128,67108864,40, mode fixed"));
}

/// The schedule leaves as a script and is measured like any other: built, run, its answer checked.
void GroupTest::scriptIsMeasured_data() {
    QTest::addColumn<QString>("mode");
    QTest::newRow("compat") << "compat";
    QTest::newRow("fixed") << "fixed";
}

void GroupTest::scriptIsMeasured() {
    QFETCH(QString, mode);
    const QStringList small{pipeline("unsharp"), "--param", "W=131", "--param", "H=47"};
    const CliRun grouped =
        runCli(QStringList{"group"} + small + QStringList{"--mode", mode, "--machine", "4,4k,40", "--as", "script"});
    QVERIFY2(grouped.exitCode == 0, grouped.story());
    QVERIFY2(grouped.out.contains("compute_inline "), grouped.story());
    const QTemporaryDir folder;
    const QString script = written(folder, "grouped.schedule", grouped.out.toUtf8());
    const CliRun run =
        runCli(QStringList{"measure"} + small + QStringList{"--script", script, "--repeats", "1", "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
}

void GroupTest::refusals_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("two numbers") << QStringList{"--machine", "16,1M"}
                                 << "--machine: machine '16,1M': 2 values; three are needed, parallel tasks, bytes of "
                                    "cache and the cost of a byte, as in 16,16M,40";
    QTest::newRow("a word") << QStringList{"--machine", "16,big,40"}
                            << "--machine: machine '16,big,40': 'big' is no number from 1 to 1e15";
    QTest::newRow("no name") << QStringList{"--machine", "toaster"}
                             << "--machine: machine 'toaster': neither the name of one (halide, detect, small, server)";
    QTest::newRow("a processor's name for a GPU")
        << QStringList{"--target", "cuda", "--machine", "small"}
        << "--machine: machine 'small': neither the name of one (halide, detect) nor";
    QTest::newRow("half a task") << QStringList{"--machine", "1.5,1M,40"}
                                 << "--machine: machine '1.5,1M,40': '1.5' is not a whole number";
}

void GroupTest::refusals() {
    QFETCH(QStringList, options);
    QFETCH(QString, sentence);
    const CliRun run = runCli(QStringList{"group", pipeline("blur")} + options);
    QCOMPARE(run.exitCode, 2);
    QVERIFY2(run.error.contains(sentence), run.story());
}

LOOPSCOPE_TEST(GroupTest)
#include "group_test.moc"
