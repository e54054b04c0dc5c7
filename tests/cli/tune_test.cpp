// tune, measure and bench for real, on a workload whose trials take a moment each.

#include "cli_process.h"
#include "harness/environment.h"
#include "measure/machine_use.h"
#include "measure/process_watch.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace loopscope;

namespace {

QByteArray contents(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The records of a log, comment lines left out.
QList<QByteArray> records(const QString &path) {
    QList<QByteArray> lines;
    for (const QByteArray &line : contents(path).split('\n'))
        if (!line.isEmpty() && !line.startsWith('#')) lines << line;
    return lines;
}

} // namespace

class TuneTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_log; // of a finished search of eight trials

    QString newLog(const QString &name) const { return m_folder.filePath(name); }
    static QStringList tune(int trials, const QString &log) {
        return QStringList{"tune"} + smallMatmul() + QStringList{"--trials", QString::number(trials), "--log", log};
    }
    QStringList withLog(const QStringList &command, const QString &record = "best") const {
        return QStringList{command.first()} + smallMatmul() + QStringList{"--log", m_log, "--record", record} +
               command.mid(1);
    }

  private slots:
    void initTestCase() {
        m_log = newLog("search.json");
        const CliRun run = runCli(tune(8, m_log) + QStringList{"--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const auto json = run.json().object();
        for (const char *key : {"workload", "key", "target", "flops", "trials", "valid", "failures", "best",
                                "naive_seconds", "search_seconds", "measure_seconds", "model"})
            QVERIFY2(json.contains(key), key);
        QCOMPARE(json["workload"].toString(), "matmul");
        QCOMPARE(json["trials"].toInt(), 8);
        QVERIFY2(json["valid"].toInt() == 8, run.story());
        QVERIFY(json["failures"].toObject().isEmpty());
        QVERIFY(json["flops"].toDouble() == 2.0 * 48 * 64 * 32);
        QVERIFY(json["naive_seconds"].toDouble() > 0);
        QVERIFY(json["model"].toObject().contains("pairs_ranked_right"));
        QVERIFY(json["refused"].toObject()["sampled"].isObject() && json["refused"].toObject()["children"].isObject());
        QVERIFY(json["serial_loops"].toObject()["trials"].isDouble() &&
                json["serial_loops"].toObject()["loops"].isObject());
        const auto best = json["best"].toObject();
        for (const char *key : {"seconds", "gflops", "record", "steps"}) QVERIFY2(best.contains(key), key);
        QVERIFY(best["seconds"].toDouble() > 0);
        QVERIFY(best["record"].toInt() >= 0 && best["record"].toInt() < 8);
        // The comparison that decided, with the naive schedule among those compared.
        QVERIFY(best["seconds_low"].toDouble() <= best["seconds"].toDouble());
        QVERIFY(best["seconds_high"].toDouble() >= best["seconds"].toDouble());
        const QJsonArray compared = json["compared"].toArray();
        QCOMPARE(compared.size(), 5); // four finalists
        QVERIFY(compared.last().toObject()["record"].isNull());
        QCOMPARE(compared.last().toObject()["seconds"].toDouble(), json["naive_seconds"].toDouble());
        double least = 1;
        for (int i = 0; i < 4; ++i) least = std::min(least, compared[i].toObject()["seconds"].toDouble());
        QCOMPARE(best["seconds"].toDouble(), least);
        QCOMPARE(records(m_log).size(), 8);
        // The record named is the one whose steps are given.
        const auto line = QJsonDocument::fromJson(records(m_log)[best["record"].toInt()]).object();
        QCOMPARE(line["i"].toArray()[1].toArray()[1].toArray(), best["steps"].toArray());
    }

    void sameSeedSameCandidates() {
        const auto stepsOf = [](const QString &log) {
            QStringList steps;
            for (const QByteArray &line : records(log))
                steps << QJsonDocument(QJsonDocument::fromJson(line).object()["i"].toArray()[1].toArray()[1].toArray())
                             .toJson(QJsonDocument::Compact);
            return steps;
        };
        const QString log = newLog("again.json");
        const CliRun run = runCli(tune(8, log) + QStringList{"--threads", "3"});
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(stepsOf(log), stepsOf(m_log));
        const QString other = newLog("other.json");
        QVERIFY(runCli(tune(8, other) + QStringList{"--seed", "5"}).exitCode == 0);
        QVERIFY(stepsOf(other) != stepsOf(m_log));
    }

    void textNamesWhatMatters() {
        const QString log = newLog("text.json");
        const CliRun run = runCli(tune(2, log));
        QVERIFY2(run.exitCode == 0, run.story());
        for (const char *word : {"2 trials, 2 verified", "best: ", "GFLOP/s", "naive kernel: ", "log: "})
            QVERIFY2(run.out.contains(word), run.story());
    }

    void resumeCountsTheTrialsOfTheLog() {
        const QString log = newLog("resume.json");
        QVERIFY(QFile::copy(m_log, log));
        const CliRun run = runCli(tune(10, log) + QStringList{"--resume", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(run.json().object()["trials"].toInt(), 10);
        QVERIFY2(run.error.contains("8 trials of this task"), run.story());
        QCOMPARE(records(log).size(), 10);
        const auto lines = records(log);
        QCOMPARE(QSet<QByteArray>(lines.begin(), lines.end()).size(), 10);
        const CliRun done = runCli(tune(10, log) + QStringList{"--resume", "--json"});
        QVERIFY2(done.exitCode == 0, done.story());
        QCOMPARE(records(log).size(), 10);
        QVERIFY(done.json().object()["best"].toObject()["record"].toInt() < 10);
    }

    void withoutResumeALogGrowsAndRecordNumbersGoOn() {
        const QString log = newLog("grow.json");
        QVERIFY(runCli(tune(2, log)).exitCode == 0);
        const CliRun run = runCli(tune(2, log) + QStringList{"--seed", "3", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(records(log).size(), 4);
        QVERIFY(run.json().object()["best"].toObject()["record"].toInt() >= 2);
    }

    void aLogCutOffInALineLosesOnlyThatLine() {
        const QString log = newLog("cut.json");
        QFile file(log);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QByteArray text = contents(m_log);
        text.truncate(text.lastIndexOf("\n{") + 80); // within the last record
        file.write(text);
        file.close();
        const CliRun show =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", "steps", "--log", log, "--record", "6"});
        QVERIFY2(show.exitCode == 0, show.story());
        QVERIFY2(show.error.contains("line skipped"), show.story());
        const CliRun resumed = runCli(tune(9, log) + QStringList{"--resume", "--json"});
        QVERIFY2(resumed.exitCode == 0, resumed.story());
        QVERIFY2(resumed.error.contains("line skipped"), resumed.story());
        QVERIFY2(resumed.error.contains("7 trials of this task"), resumed.story());
        QVERIFY(contents(log).startsWith(text));
        const CliRun last =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", "steps", "--log", log, "--record", "8"});
        QVERIFY2(last.exitCode == 0, last.story());
    }

    void recordsAreShown() {
        for (const char *form : {"loops", "c", "llvm", "asm", "features", "steps"}) {
            const CliRun best = runCli(withLog({"show", "--as", form}));
            QVERIFY2(best.exitCode == 0 && !best.out.isEmpty(), best.story());
            const CliRun json = runCli(withLog({"show", "--as", form, "--json"}, "3"));
            QVERIFY2(json.exitCode == 0 && json.json().isObject(), json.story());
        }
        const auto shown = runCli(withLog({"show", "--as", "steps", "--json"}, "3")).json().object();
        const auto line = QJsonDocument::fromJson(records(m_log)[3]).object();
        QCOMPARE(shown["steps"].toArray(), line["i"].toArray()[1].toArray()[1].toArray());
    }

    void recordsThatAreNotThere() {
        const CliRun beyond = runCli(withLog({"show", "--as", "loops"}, "8"));
        QVERIFY2(beyond.exitCode == 1 && beyond.error.contains("numbered 0 to 7"), beyond.story());
        const CliRun negative = runCli(withLog({"show", "--as", "loops"}, "-1"));
        QVERIFY2(negative.exitCode == 2, negative.story());
        const CliRun word = runCli(withLog({"show", "--as", "loops"}, "first"));
        QVERIFY2(word.exitCode == 2 && word.error.contains("first"), word.story());
        for (const char *record : {"best", "0"}) {
            const CliRun shapes = runCli({"measure", sample("matmul.te"), "--log", m_log, "--record", record});
            QVERIFY2(shapes.exitCode == 1 && shapes.error.contains("other shapes"), shapes.story());
            const CliRun other = runCli({"measure", sample("dense.te"), "--log", m_log, "--record", record});
            QVERIFY2(other.exitCode == 1 && other.error.contains("another workload"), other.story());
        }
    }

    void measuringReportsEveryRepeat() {
        const CliRun text = runCli(withLog({"measure", "--repeats", "4"}));
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.count("repeat") == 4, text.story());
        for (const char *word : {"median", "spread", "error"}) QVERIFY2(text.out.contains(word), text.story());
        const CliRun run = runCli(withLog({"measure", "--repeats", "5", "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const auto json = run.json().object();
        QCOMPARE(json["seconds"].toArray().size(), 5);
        QVERIFY(json["median"].toDouble() > 0);
        QVERIFY(json["error"].toDouble() >= 0 && json["error"].toDouble() <= 1);
        QVERIFY(json.contains("spread"));
    }

    void benchComparesWithTheNaiveKernel() {
        const CliRun text = runCli(withLog({"bench", "--against", "naive", "--rounds", "3"}));
        QVERIFY2(text.exitCode == 0 && text.out.contains("naive"), text.story());
        const CliRun run = runCli(withLog({"bench", "--against", "naive", "--rounds", "3", "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const auto contestants = run.json().object()["contestants"].toArray();
        QCOMPARE(contestants.size(), 2);
        for (const auto &contestant : contestants) {
            QCOMPARE(contestant.toObject()["samples"].toArray().size(), 3);
            QVERIFY(contestant.toObject()["error"].toDouble() <= 1);
        }
        QCOMPARE(contestants[0].toObject()["ratio"].toDouble(), 1.0);
        QVERIFY(contestants[1].toObject()["ratio"].toDouble() > 0);
    }

    /// Its process dies, not this one: at once, or in the middle of the rounds.
    void benchLeavesOutALibraryThatDies_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("when it is opened") << QByteArray("abort when opened");
        QTest::newRow("when it computes") << QByteArray("abort");
        QTest::newRow("in a later round") << QByteArray("abort later");
    }
    void benchLeavesOutALibraryThatDies() {
        QFETCH(QByteArray, mode);
        const Environment fake("LD_LIBRARY_PATH", LOOPSCOPE_FAKE_LIBRARIES);
        const Environment misbehaves("LOOPSCOPE_FAKE_BLIS", mode.constData());
        const CliRun run = runCli(withLog({"bench", "--against", "blis,naive", "--rounds", "3", "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const auto contestants = run.json().object()["contestants"].toArray();
        QCOMPARE(contestants.size(), 3);
        QCOMPARE(contestants[1].toObject()["name"].toString(), "blis");
        const QString refusal = contestants[1].toObject()["refusal"].toString();
        QVERIFY2(refusal.contains("SIGABRT") && refusal.contains("libblis: Aborting."), run.story());
        for (const int other : {0, 2}) QCOMPARE(contestants[other].toObject()["samples"].toArray().size(), 3);
    }

    /// What is timed beside another program's timing would be wrong, and a program that waits for no reason anybody can
    /// see would be a riddle.
    /// A lookup has no floating-point operations, and no speed that could be given in them.
    void aWorkloadWithoutFloatingPointOperationsHasNoSpeed() {
        const QString log = newLog("gather.json");
        const QStringList gather{sample("gather.te"), "--param", "N=8", "--param", "V=64", "--param", "D=32"};
        const auto run = [&](const QStringList &command, const QStringList &more) {
            return runCli(command + gather + QStringList{"--log", log} + more);
        };
        for (const CliRun &text :
             {run({"tune"}, {"--trials", "2"}), run({"measure"}, {"--record", "0", "--repeats", "3"}),
              run({"bench"}, {"--record", "0", "--against", "naive"}),
              runCli({"show", sample("gather.te"), "--as", "key"})}) {
            QVERIFY2(text.exitCode == 0, text.story());
            QVERIFY2(!(text.out + text.error).contains("FLOP/s") && !text.out.contains("per byte"), text.story());
        }
        QVERIFY(run({"tune"}, {"--trials", "3", "--resume"})
                    .error.contains("gather: no floating-point operations, target"));
        const auto best = run({"tune"}, {"--trials", "3", "--resume", "--json"}).json().object()["best"].toObject();
        QVERIFY(best["seconds"].toDouble() > 0 && best.contains("gflops") && best["gflops"].isNull());
        const auto again = run({"measure"}, {"--record", "0", "--repeats", "3", "--json"}).json().object();
        QVERIFY(again.contains("gflops") && again["gflops"].isNull());
        const auto bench = run({"bench"}, {"--record", "0", "--against", "naive", "--json"}).json().object();
        for (const auto &contestant : bench["contestants"].toArray())
            QVERIFY(contestant.toObject().contains("gflops") && contestant.toObject()["gflops"].isNull());
    }

    void anotherProgramThatTimesIsWaitedForAndNamed() {
        auto timing = MachineUse::begin(MachineUse::Kind::Timing);
        QProcess process;
        process.start(cliPath(), withLog({"measure", "--repeats", "3"}));
        QVERIFY(process.waitForStarted());
        QByteArray error;
        const auto waits = [&] {
            process.waitForReadyRead(50);
            error += process.readAllStandardError();
            return error.contains("waiting for cli_tune_test (process ");
        };
        QTRY_VERIFY_WITH_TIMEOUT(waits(), 60000);
        QVERIFY(process.state() == QProcess::Running);
        timing.reset();
        QVERIFY(process.waitForFinished(120000));
        QCOMPARE(process.exitCode(), 0);
    }

    void awkwardExtentsAreSearched_data() {
        QTest::addColumn<QStringList>("params");
        QTest::newRow("primes") << QStringList{"M=127", "N=131", "K=113"};
        QTest::newRow("one number") << QStringList{"M=1", "N=1", "K=1"};
        QTest::newRow("one row") << QStringList{"M=1", "N=64", "K=7"};
    }
    void awkwardExtentsAreSearched() {
        QFETCH(QStringList, params);
        QStringList arguments = {"tune", sample("matmul.te"), "--trials", "4", "--json"};
        for (const QString &param : params) arguments << "--param" << param;
        const CliRun run = runCli(arguments);
        QVERIFY2(run.exitCode == 0, run.story());
        const auto json = run.json().object();
        QVERIFY2(json["valid"].toInt() == json["trials"].toInt(), run.story());
        QVERIFY(json["valid"].toInt() >= 1);
    }

    void theTimeLimitIsKept() {
        // A round takes as long as it takes on this machine now, in this build.
        QElapsedTimer timer;
        timer.start();
        const QStringList small{"--trials-per-round", "4", "--json"};
        QVERIFY(runCli(tune(4, newLog("one_round.json")) + small).exitCode == 0);
        const auto limit = timer.elapsed() / 1000 + 2;
        const CliRun run = runCli(
            tune(100000, newLog("limit.json")) + small + QStringList{"--time-limit", QString::number(limit)}, 280);
        QVERIFY2(run.exitCode == 0, run.story());
        const int trials = run.json().object()["trials"].toInt();
        QVERIFY2(trials >= 1 && trials < 100000, run.story());
        QVERIFY(run.json().object()["cancelled"].toBool());
    }

    void interruptingKeepsTheLogAndLeavesNothing_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("interrupt") << SIGINT;
        QTest::newRow("terminate") << SIGTERM;
        QTest::newRow("kill") << SIGKILL;
    }
    void interruptingKeepsTheLogAndLeavesNothing() {
        QFETCH(int, signal);
        const QString log = newLog(QString("signal%1.json").arg(signal));
        QProcess process;
        process.start(cliPath(), tune(100000, log) + QStringList{"--json"});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(records(log).size() >= 3, 60000);
        const auto children = descendants(static_cast<pid_t>(process.processId()));
        QVERIFY(!children.empty());
        kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(15000));
        if (signal == SIGKILL) {
            QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        } else {
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QCOMPARE(process.exitCode(), 1);
            const QByteArray error = process.readAllStandardError();
            QVERIFY2(error.contains("interrupted after"), error);
            QVERIFY(QJsonDocument::fromJson(process.readAllStandardOutput()).isObject());
        }
        QVERIFY(allGone(children, 5));
        QVERIFY(contents(log).endsWith('\n'));
        for (const QByteArray &line : records(log)) QVERIFY(QJsonDocument::fromJson(line).isObject());
        const CliRun best = runCli(QStringList{"show"} + smallMatmul() +
                                   QStringList{"--as", "steps", "--log", log, "--record", "best"});
        QVERIFY2(best.exitCode == 0 && best.error.isEmpty(), best.story());
    }
};

QTEST_GUILESS_MAIN(TuneTest)
#include "tune_test.moc"
