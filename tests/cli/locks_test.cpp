// Locks on the command line: `tune --lock` with every record it makes, `mutate` and `complete` with kernels that are
// measured, and what is refused.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

const QByteArray kByHand = "split C i into 2, 4\n"
                           "split C j into 2, 8\n"
                           "split C k into 4\n"
                           "reorder C i.0, j.0, i.1, k.0, j.1, k.1, i.2, j.2\n"
                           "fuse C i.0, j.0\n"
                           "parallel C i.0@j.0@\n";

/// Of `split C i into 2, 4`: 2 and 4.
QList<int> lengthsIn(const QString &script, const QString &loop) {
    QList<int> lengths;
    for (const QString &line : script.split('\n'))
        if (line.startsWith("split C " + loop + " into "))
            for (const QString &length : line.section(" into ", 1).split(", ")) lengths << length.toInt();
    return lengths;
}

int product(const QList<int> &lengths) {
    int product = 1;
    for (const int length : lengths) product *= length;
    return product;
}

} // namespace

class CliLocksTest : public QObject {
    Q_OBJECT
  private slots:
    void everyRecordKeepsTheOuterTiling() {
        const QTemporaryDir folder;
        const QString script = written(folder, "hand.schedule", kByHand);
        const QString log = folder.filePath("log.json");
        const CliRun tuned = runCli(QStringList{"tune"} + smallMatmul() +
                                    QStringList{"--trials", "12", "--log", log, "--start-from", script, "--lock",
                                                "split C *[0]", "--lock", "reorder *", "--lock", "parallel *"});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        QVERIFY2(tuned.error.contains("sketch 0 is left out: it cannot keep the lock `reorder C"), tuned.story());
        // All extents of the small matmul are the same multiple of what stays.
        const CliRun first =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--log", log, "--record", "0", "--as", "script"});
        QCOMPARE(first.out.toUtf8(), kByHand);
        QSet<QString> distinct;
        for (int i = 0; i < 12; ++i) {
            const CliRun shown = runCli(QStringList{"show"} + smallMatmul() +
                                        QStringList{"--log", log, "--record", QString::number(i), "--as", "script"});
            QVERIFY2(shown.exitCode == 0, shown.story());
            distinct << shown.out;
            // Inner products stay what they are, so that the outer lengths do.
            for (const char *loop : {"i", "j", "k"})
                QVERIFY2(product(lengthsIn(shown.out, loop)) == product(lengthsIn(kByHand, loop)), shown.story());
            QVERIFY2(shown.out.contains("reorder C i.0, j.0, i.1, k.0, j.1, k.1, i.2, j.2\n"), shown.story());
            QVERIFY2(shown.out.contains("parallel C i.0@j.0@\n"), shown.story());
        }
        QCOMPARE(distinct.size(), 12);
    }

    void whatIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const QStringList &arguments, int exitCode, const char *sentence) {
            QTest::newRow(name) << arguments << exitCode << QString(sentence);
        };
        row("a loop that is not there", {"--start-from", "S", "--lock", "split C q"}, 2,
            "--lock 'split C q': column 9: no line of the schedule reads `split C q`; there are i, j, k");
        row("nothing of it", {"--start-from", "S", "--lock", "vectorize *"}, 2,
            "column 1: the schedule has no step `vectorize`; there are split, reorder, fuse, parallel");
        row("no schedule", {"--lock", "split C *[0]"}, 2, "--start-from FILE is the schedule whose steps are locked");
        row("all of it", {"--start-from", "S", "--lock", "stage:C"}, 1,
            "tune: the locks `stage:C` leave nothing to vary: they fix all that can be varied of the schedule to start "
            "from, and no sketch can keep them (of sketch 0: ");
        row("another schedule", {"--start-from", "S", "--start-from", "T", "--lock", "split C i"}, 1,
            "the lock `split C i into 2, 4` is broken: no line of it reads so");
    }
    void whatIsRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        arguments.replaceInStrings(QRegularExpression("^S$"), written(folder, "hand.schedule", kByHand));
        arguments.replaceInStrings(QRegularExpression("^T$"), written(folder, "other.schedule", "split C i into 4\n"));
        const CliRun run = runCli(QStringList{"tune"} + smallMatmul() + arguments);
        QCOMPARE(run.exitCode, exitCode);
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
    }

    void onlyOneWorkloadIsLocked() {
        const CliRun run = runCli({"tune", sample("matmul.te"), sample("softmax.te"), "--lock", "split C i[0]=4"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("--lock is about a schedule of one workload"), run.story());
    }

    /// What mutate and complete print is a script that applies, and whose kernel is right.
    void aMutationIsAScript() {
        const QTemporaryDir folder;
        const QString script = written(folder, "hand.schedule", kByHand);
        const QStringList of = smallMatmul() + QStringList{"--script", script};
        for (const char *rule : {"tile-size", "parallel", "vectorize"}) {
            const CliRun mutated = runCli(QStringList{"mutate"} + of + QStringList{"--rule", rule, "--seed", "1"});
            QVERIFY2(mutated.exitCode == 0, mutated.story());
            QVERIFY2(mutated.out.startsWith(QString("# %1\n# ").arg(rule)), mutated.story());
            QVERIFY(!mutated.out.endsWith(QString(kByHand)));
            const QString made = written(folder, "made.schedule", mutated.out.toUtf8());
            const CliRun measured = runCli(QStringList{"measure"} + smallMatmul() +
                                           QStringList{"--script", made, "--repeats", "2", "--json"});
            QVERIFY2(measured.exitCode == 0, measured.story());
            QVERIFY(measured.json().object()["error"].toDouble() <= 1);
        }
        const CliRun json = runCli(QStringList{"mutate"} + of + QStringList{"--json", "--lock", "split *"});
        QVERIFY2(json.exitCode == 0, json.story());
        const QJsonObject value = json.json().object();
        QCOMPARE(value["rules"].toArray(), (QJsonArray{"vectorize", "parallel"}));
        QVERIFY(!value["changes"].toArray().isEmpty());
        QVERIFY(value["steps"].isArray() && value["script"].toString().startsWith("split C i into 2, 4\n"));
        const CliRun none = runCli(QStringList{"mutate"} + of + QStringList{"--lock", "stage:C"});
        QCOMPARE(none.exitCode, 1);
        QVERIFY2(none.error.contains("mutate: no rule of the search finds anything to change that is not locked"),
                 none.story());
        const CliRun which = runCli(QStringList{"mutate"} + smallMatmul());
        QCOMPARE(which.exitCode, 2);
        const CliRun crossed = runCli(
            QStringList{"mutate"} + of +
            QStringList{"--rule", "crossover", "--with",
                        written(folder, "other.schedule", QByteArray(kByHand).replace("into 2, 4", "into 4, 2"))});
        QVERIFY2(crossed.exitCode == 0, crossed.story());
        QVERIFY2(crossed.out.startsWith("# crossover\n# - split C i into 2, 4\n# + split C i into 4, 2\n"),
                 crossed.story());
    }

    void whatIsOpenIsCompleted() {
        const QTemporaryDir folder;
        const QString script = written(folder, "open.schedule", "split C i into ?, 4\nsplit C j into ?\n");
        const CliRun complete = runCli(QStringList{"complete"} + smallMatmul() + QStringList{"--script", script});
        QVERIFY2(complete.exitCode == 0, complete.story());
        QVERIFY2(complete.out.startsWith("# complete\n# - split C i into ?, 4\n"), complete.story());
        QVERIFY2(complete.out.contains("\nparallel C "), complete.story());
        const QString made = written(folder, "made.schedule", complete.out.toUtf8());
        const CliRun measured =
            runCli(QStringList{"measure"} + smallMatmul() + QStringList{"--script", made, "--repeats", "2", "--json"});
        QVERIFY2(measured.exitCode == 0, measured.story());
        QVERIFY(measured.json().object()["error"].toDouble() <= 1);
        const CliRun json = runCli(QStringList{"complete"} + smallMatmul() + QStringList{"--json", "--script", script});
        QCOMPARE(json.json().object()["rule"].toString(), QString("complete"));
        const QString decided =
            written(folder, "decided.schedule",
                    "split C j into 8\nreorder C i, k, j.0, j.1\nparallel C i\npragma C i auto_unroll_max_step$16\n"
                    "vectorize C j.1\n");
        const CliRun none = runCli(QStringList{"complete"} + smallMatmul() + QStringList{"--script", decided});
        QCOMPARE(none.exitCode, 1);
        QVERIFY2(none.error.contains("complete: nothing is open: every length is a number"), none.story());
    }
};

LOOPSCOPE_TEST(CliLocksTest)
#include "locks_test.moc"
