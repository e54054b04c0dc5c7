// `apply` and `show --as script`: a schedule leaves as text and comes back.

#include "cli_process.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class ApplyTest : public QObject {
    Q_OBJECT
  private slots:
    void aScriptIsAppliedAndComesBack() {
        const QTemporaryDir folder;
        const QString script = written(folder, "by hand.schedule",
                                       "# rows of 16\n"
                                       "split C i into 16\n"
                                       "reorder C i.0, j, k, i.1\n"
                                       "parallel C i.0\n");
        QStringList workload = smallMatmul();
        const CliRun text = runCli(QStringList{"apply"} + workload + QStringList{"--script", script});
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.contains("parallel i.0 (0,"), text.story());
        const CliRun json = runCli(QStringList{"apply"} + workload + QStringList{"--json", "--script", script});
        QVERIFY2(json.exitCode == 0, json.story());
        const QJsonObject value = json.json().object();
        QCOMPARE(value["steps"].toArray().size(), 3);
        QCOMPARE(value["lines"].toArray(), (QJsonArray{2, 3, 4}));
        QVERIFY(text.out.startsWith(value["text"].toString()));
    }

    void aRefusedLineIsToldToPeopleAndMachines() {
        const QTemporaryDir folder;
        const QString script = written(folder, "wrong.schedule", "split C i into 16\n\n  fuse C i.0, k\n");
        const QStringList arguments = QStringList{"apply"} + smallMatmul() + QStringList{"--script", script};
        const CliRun text = runCli(arguments);
        QCOMPARE(text.exitCode, 1);
        QVERIFY2(text.out.isEmpty(), text.story());
        QVERIFY2(text.error.startsWith("loopscope-cli: " + script + ":3:3: FU "), text.story());
        QVERIFY2(text.error.endsWith("\n  fuse C i.0, k\n  ^\n"), text.story());
        const CliRun json = runCli(arguments + QStringList{"--json"});
        QCOMPARE(json.exitCode, 1);
        const QJsonObject refused = json.json().object()["refused"].toObject();
        QCOMPARE(refused["line"].toInt(), 3);
        QCOMPARE(refused["column"].toInt(), 3);
        QCOMPARE(refused["primitive"].toString(), QString("fuse"));
        QCOMPARE(refused["rule"].toString(), QString("fused-consecutive"));
        QVERIFY2(text.error.contains(refused["reason"].toString()), text.story());
        QVERIFY(refused["legal"].isArray());
    }

    void aScriptThatIsNotThereIsRefused() {
        const CliRun run = runCli(QStringList{"apply"} + smallMatmul() + QStringList{"--script", "/nowhere/at.all"});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.error.contains("/nowhere/at.all"), run.story());
        const CliRun none = runCli(QStringList{"apply"} + smallMatmul());
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.error.contains("--script"), none.story());
    }

    void linesThatDoNotGoTogetherAreRefused() {
        const QTemporaryDir folder;
        // Read outside of the loop it is computed in.
        const QString te = written(folder, "two.te",
                                   "workload two(n = 8)\nA = placeholder [n] float32\nB(i < n) = A[i] + 1\n"
                                   "C(i < n) = B[i] * 2\nD(i < n) = B[i] + C[i]\n");
        const QString script = written(folder, "s.schedule", "compute_at B D i\n");
        const CliRun run = runCli({"apply", te, "--script", script});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.error.contains("s.schedule") && run.error.contains("B"), run.story());
    }

    void aScheduleShownAsAScriptAppliesToTheSameSteps() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun tuned =
            runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "4", "--log", log, "--seed", "3"});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        for (const QString record : {"0", "1", "2", "3"}) {
            const QStringList of = smallMatmul() + QStringList{"--log", log, "--record", record};
            const CliRun script = runCli(QStringList{"show"} + of + QStringList{"--as", "script"});
            QVERIFY2(script.exitCode == 0, script.story());
            const QString file = written(folder, "s.schedule", script.out.toUtf8());
            const CliRun applied =
                runCli(QStringList{"apply"} + smallMatmul() + QStringList{"--json", "--script", file});
            QVERIFY2(applied.exitCode == 0, applied.story());
            const CliRun steps = runCli(QStringList{"show"} + of + QStringList{"--as", "steps", "--json"});
            QCOMPARE(applied.json().object()["steps"].toArray(), steps.json().object()["steps"].toArray());
            QCOMPARE(applied.json().object()["text"].toString(), steps.json().object()["text"].toString());
        }
    }
};

QTEST_GUILESS_MAIN(ApplyTest)
#include "apply_test.moc"
