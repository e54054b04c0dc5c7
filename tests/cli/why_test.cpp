// `why`: numbers that add up, the machine code of a fixed processor, and what could be tried next.

#include "cli_process.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace loopscope;

namespace {

QStringList why(const QStringList &more) {
    return QStringList{"why"} + smallMatmul() + QStringList{"--target", "llvm -mcpu=haswell -num-cores=2"} + more;
}

} // namespace

class WhyTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        m_tile = written(m_folder, "tile.schedule",
                         "split C i into 4\nsplit C j into 16\nreorder C i.0, j.0, k, i.1, j.1\nunroll C i.1\n"
                         "vectorize C j.1\n");
    }

    void aScriptIsExplained() {
        const CliRun run = runCli(why({"--script", m_tile, "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["schedule"].toString(), "script " + m_tile);
        QVERIFY(value["seconds"].isNull());
        QVERIFY(value["model"].isNull());
        QCOMPARE(value["predicted_by"].toString(), QString("estimate"));
        QVERIFY(value["estimated_cycles"].toDouble() > 0);
        QVERIFY(value["neighbours"].toArray().isEmpty());
        const QJsonArray loops = value["loops"].toArray();
        QStringList names;
        for (const QJsonValue loop : loops) {
            names += loop["loop"].toString();
            double sum = 0;
            for (const QJsonValue share : loop["spent"].toArray()) sum += share["share"].toDouble();
            QVERIFY(std::fabs(sum - 1) < 1e-9);
            QVERIFY(loop["contribution"].isNull());
        }
        QCOMPARE(names, QStringList({"i.0", "j.0", "k", "i.1", "j.1", ""}));
        QCOMPARE(loops[0]["cycles"].toDouble(), 1.0);
        const QJsonObject hot = value["code"]["hot_block"].toObject();
        QCOMPARE(hot["loop"].toString(), QString("C k"));
        QCOMPARE(hot["mix"]["fmas"].toInt(), 8);
        QCOMPARE(hot["vector_bits"].toInt(), 256);
        QCOMPARE(hot["throughput"]["model"].toString(), QString("haswell"));
        QVERIFY(hot["throughput"]["model_note"].isNull());
        QVERIFY(hot["throughput"]["cycles"].toDouble() >= 4);
        for (const QJsonValue move : value["moves"].toArray()) QVERIFY(move["predicted_change"].toDouble() < 0);
    }

    /// The text of the same, in the words people read.
    void peopleReadTheSame() {
        const CliRun run = runCli(why({"--script", m_tile}));
        QVERIFY2(run.exitCode == 0, run.story());
        for (const char *part : {"Estimated ", "vectorized C j.1 (16)", "Hottest block: lines ", "loop C k,", "8 fmas",
                                 "vectors of 256 bits", "busiest ports by the model of haswell"})
            QVERIFY2(run.out.contains(part), run.story());
    }

    void remarksNameTheirLoops() {
        const CliRun run = runCli(why({"--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        bool said = false;
        for (const QJsonValue remark : run.json()["remarks"].toArray())
            said = said || (remark["pass"].toString() == "loop-vectorize" && remark["loop"].toString() == "C k" &&
                            remark["text"].toString().contains("floating-point"));
        QVERIFY2(said, run.story());
        QVERIFY2(!run.json()["moves"].toArray().isEmpty(), run.story()); // the naive schedule can only gain
        QVERIFY(run.json()["moves"].toArray().size() <= 5);
    }

    void aLogTeachesTheModelAndHasNeighbours() {
        const QString log = m_folder.filePath("own.json");
        const CliRun tune = runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "24", "--log", log});
        QVERIFY2(tune.exitCode == 0, tune.story());
        const QStringList asked = QStringList{"why"} + smallMatmul() + QStringList{"--log", log};
        const CliRun run = runCli(asked + QStringList{"--json", "--most", "3"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QVERIFY(value["seconds"].toDouble() > 0);
        QCOMPARE(value["predicted_by"].toString(), QString("model"));
        double sum = value["model"]["base"].toDouble() + value["model"]["row_count"].toDouble();
        for (const QJsonValue loop : value["loops"].toArray()) sum += loop["contribution"].toDouble();
        QVERIFY2(std::fabs(sum - value["model"]["score"].toDouble()) < 1e-4, run.story());
        QCOMPARE(value["model"]["features"].toArray().size(), 3);
        const QJsonArray neighbours = value["neighbours"].toArray();
        QCOMPARE(neighbours.size(), 3);
        qsizetype before = 0;
        for (const QJsonValue near : neighbours) {
            QVERIFY(near["differences"].toArray().size() >= before);
            before = near["differences"].toArray().size();
        }
        const CliRun text = runCli(asked);
        QVERIFY2(text.out.contains("Nearest measured schedules"), text.story());
        QVERIFY2(text.out.contains("The model's score is "), text.story());
    }

    void aTargetWithoutCodeSaysSo() {
        const CliRun run = runCli(QStringList{"why"} + smallMatmul() + QStringList{"--target", "cuda", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.json()["code"]["problem"].toString().contains("cuda"), run.story());
        QVERIFY2(run.json()["code"]["problem"].toString().contains("--as sass"), run.story());
        QVERIFY(run.json()["estimated_cycles"].toDouble() > 0);
        const CliRun text = runCli(QStringList{"why"} + smallMatmul() + QStringList{"--target", "cuda"});
        QVERIFY2(text.out.contains("cycles on the busiest multiprocessor"), text.story());
    }

    /// A log of the executor's says what is right, and nothing about speed: no model learns from it, no time is shown.
    void recordsWithoutTimesTeachNothing() {
        const QString log = m_folder.filePath("untimed.json");
        const QStringList task = smallMatmul() + QStringList{"--target", "cuda -arch=sm_80"};
        const CliRun tune =
            runCli(QStringList{"tune"} + task + QStringList{"--runner", "executor", "--trials", "18", "--log", log});
        QVERIFY2(tune.exitCode == 0, tune.story());
        const QStringList asked = task + QStringList{"--log", log, "--record", "1"};
        const CliRun run = runCli(QStringList{"why"} + asked + QStringList{"--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QVERIFY(value["seconds"].isNull());
        QCOMPARE(value["predicted_by"].toString(), QString("estimate"));
        QVERIFY(!value["neighbours"].toArray().isEmpty());
        for (const QJsonValue near : value["neighbours"].toArray()) QVERIFY(near["seconds"].isNull());
        const CliRun text = runCli(QStringList{"why"} + asked);
        QVERIFY2(text.out.startsWith("record 1: right, not timed\n"), text.story());
        QVERIFY2(text.out.contains(", right, not timed: "), text.story());
        const CliRun moves = runCli(QStringList{"moves"} + asked);
        QVERIFY2(moves.out.contains("as the analytic estimate has it"), moves.story());
        const CliRun choices = runCli(QStringList{"choices"} + task + QStringList{"--log", log});
        QVERIFY2(choices.out.startsWith("18 trials, 18 of them valid, 18 of these not timed\n"
                                        "too few trials that are timed (20 are needed)"),
                 choices.story());
        const CliRun show = runCli(QStringList{"log", "show", log, "1"});
        QVERIFY2(show.exitCode == 0, show.story());
        const CliRun diff = runCli(QStringList{"log", "diff", log, log});
        for (const CliRun &told : {run, text, moves, choices, show, diff})
            for (const char *senseless : {"inf s", "nan", "failed  "})
                QVERIFY2(!told.out.contains(senseless), told.story());
        QVERIFY2(diff.out.contains("not timed"), diff.story());
    }

    void openSplitsAreRefused() {
        const QString open = written(m_folder, "open.schedule", "split C i into ?\n");
        const CliRun run = runCli(why({"--script", open}));
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(!run.error.isEmpty(), run.story());
    }

  private:
    QTemporaryDir m_folder;
    QString m_tile;
};

LOOPSCOPE_TEST(WhyTest)
#include "why_test.moc"
