// Schedules by hand: `show --as script` and `apply` (a schedule leaves as text and comes back), `moves`.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

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
        QVERIFY2(text.error.startsWith("loopscope-cli: " + script + ":3:3: fuse of k in C "), text.story());
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

    void movesComeWithWhatTheyAreWorth() {
        const CliRun run = runCli(QStringList{"moves", sample("conv2d_bias_relu.te"), "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QVERIFY(value["state"].toString().contains("for "));
        QCOMPARE(value["predicted_by"].toString(), QString("estimate"));
        const QJsonArray moves = value["moves"].toArray();
        QVERIFY(moves.size() > 100);
        double last = -1;
        for (const QJsonValue move : moves) {
            for (const char *key : {"primitive", "stage", "loop", "arguments", "predicted_change", "line"})
                QVERIFY2(move.toObject().contains(key), run.story());
            if (move["predicted_change"].isNull()) continue;
            QVERIFY(move["predicted_change"].toDouble() >= last); // the most promising first
            last = move["predicted_change"].toDouble();
        }
        QVERIFY(moves.first().toObject()["predicted_change"].toDouble() < -0.3);
        QVERIFY(last > 0.3);
    }

    void eachMoveOfAScriptIsALineOfTheNext() {
        const QTemporaryDir folder;
        const QByteArray begun = "split C i into 16\nreorder C i.0, j, k, i.1\n";
        const QString script = written(folder, "begun.schedule", begun);
        const CliRun run =
            runCli(QStringList{"moves"} + smallMatmul() + QStringList{"--script", script, "--stage", "C", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray moves = run.json().object()["moves"].toArray();
        int checked = 0;
        for (int i = 0; i < moves.size(); i += 7, ++checked) {
            const QString line = moves[i].toObject()["line"].toString();
            QCOMPARE(moves[i].toObject()["stage"].toString(), QString("C"));
            QVERIFY(line.startsWith(moves[i].toObject()["primitive"].toString() + " C"));
            const QString next = written(folder, "next.schedule", begun + line.toUtf8() + "\n");
            const CliRun applied = runCli(QStringList{"apply"} + smallMatmul() + QStringList{"--script", next});
            QVERIFY2(applied.exitCode == 0, line.toUtf8() + applied.story());
        }
        QVERIFY(checked > 3);
        const CliRun text = runCli(QStringList{"moves"} + smallMatmul() + QStringList{"--script", script});
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.contains(" %  parallel C i.0\n"), text.story());
    }

    void aStageThatIsNotThereIsNamed() {
        const CliRun run = runCli(QStringList{"moves"} + smallMatmul() + QStringList{"--stage", "c"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("--stage c: the schedule has no such stage (did you mean `C`?); there are A, B, C"),
                 run.story());
    }

    void aModelThatLearntFromTheLogIsAsked() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun tuned =
            runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "20", "--log", log, "--seed", "3"});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        const CliRun run = runCli(QStringList{"moves"} + smallMatmul() + QStringList{"--log", log, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(run.json().object()["predicted_by"].toString(), QString("model"));
        const QJsonArray moves = run.json().object()["moves"].toArray();
        QVERIFY(std::any_of(moves.begin(), moves.end(),
                            [](const auto &move) { return move.toObject()["predicted_change"].isDouble(); }));
    }

    void aScheduleByHandIsMeasuredShownAndCompared() {
        const QTemporaryDir folder;
        const QString script =
            written(folder, "rows.schedule", "split C i into 8\nreorder C i.0, k, i.1, j\nparallel C i.0\n");
        const QStringList of = smallMatmul() + QStringList{"--script", script};
        const CliRun measured = runCli(QStringList{"measure"} + of + QStringList{"--json", "--repeats", "3"});
        QVERIFY2(measured.exitCode == 0, measured.story());
        QVERIFY(measured.json().object()["record"].isNull());
        QCOMPARE(measured.json().object()["seconds"].toArray().size(), 3);
        QVERIFY(measured.json().object()["error"].toDouble() <= 1); // its answer was checked
        const CliRun shown = runCli(QStringList{"show"} + of + QStringList{"--as", "loops"});
        QVERIFY2(shown.exitCode == 0 && shown.out.contains("parallel i.0 in 0 .. 6:"), shown.story());
        const CliRun compared =
            runCli(QStringList{"bench"} + of + QStringList{"--json", "--against", "naive", "--rounds", "2"});
        QVERIFY2(compared.exitCode == 0, compared.story());
        QCOMPARE(compared.json().object()["contestants"].toArray().size(), 2);
    }

    void aSearchStartsFromScripts() {
        const QTemporaryDir folder;
        const QString rows = written(folder, "rows.schedule", "split C i into 8\nvectorize C j\n");
        const QString columns = written(folder, "columns.schedule", "split C j into 16\nunroll C j.1\n");
        const QString log = folder.filePath("log.json");
        const CliRun tuned =
            runCli(QStringList{"tune"} + smallMatmul() +
                   QStringList{"--trials", "6", "--log", log, "--start-from", rows, "--start-from", columns});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        for (int i = 0; i < 2; ++i) {
            const CliRun shown = runCli(QStringList{"show"} + smallMatmul() +
                                        QStringList{"--log", log, "--record", QString::number(i), "--as", "script"});
            QFile script(i == 0 ? rows : columns);
            QVERIFY(script.open(QIODevice::ReadOnly));
            QCOMPARE(shown.out.toUtf8(), script.readAll());
        }
        const QString wrong = written(folder, "wrong.schedule", "vectorize C x\n");
        const CliRun refused = runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--start-from", wrong});
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.error.contains("wrong.schedule:1:13: there is no loop `x` in C"), refused.story());
        const CliRun two = runCli({"tune", sample("matmul.te"), sample("softmax.te"), "--start-from", rows});
        QCOMPARE(two.exitCode, 2);
        QVERIFY2(two.error.contains("--start-from is a schedule of one workload"), two.story());
    }

    void aScheduleIsOneOrTheOther() {
        for (const char *command : {"measure", "bench"}) {
            const CliRun none = runCli(QStringList{command} + smallMatmul());
            QCOMPARE(none.exitCode, 2);
            QVERIFY2(none.error.contains("which schedule? give --log FILE") && none.error.contains("--script FILE"),
                     none.story());
        }
        const CliRun both =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", "loops", "--log", "a", "--script", "b"});
        QCOMPARE(both.exitCode, 2);
        QVERIFY2(both.error.contains("--log excludes --script"), both.story());
    }
};

LOOPSCOPE_TEST(ApplyTest)
#include "apply_test.moc"
