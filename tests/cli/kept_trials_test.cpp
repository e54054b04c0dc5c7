// show, measure and bench for the trials that a search kept in its log.

#include "cli_process.h"
#include "harness/environment.h"
#include "log_lines.h"
#include "measure/timing/machine_use.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class KeptTrialsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_log; // of a finished search of eight trials

    QStringList withLog(const QStringList &command, const QString &record = "best") const {
        return QStringList{command.first()} + smallMatmul() + QStringList{"--log", m_log, "--record", record} +
               command.mid(1);
    }

  private slots:
    void initTestCase() {
        m_log = m_folder.filePath("search.json");
        const CliRun run = runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "8", "--log", m_log});
        QVERIFY2(run.exitCode == 0 && records(m_log).size() == 8, run.story());
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

    /// The library is found by what the workload is, and its answer checked before it is timed.
    void benchAsksBlasForANorm() {
        const QString log = m_folder.filePath("norm.json");
        const QStringList norm{sample("norm.te"), "--param", "B=2", "--param", "M=8", "--param", "N=16"};
        const CliRun tuned = runCli(QStringList{"tune"} + norm + QStringList{"--trials", "2", "--log", log});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        const Environment fake("LD_LIBRARY_PATH", LOOPSCOPE_FAKE_LIBRARIES);
        for (const bool wrong : {false, true}) {
            const Environment misbehaves("LOOPSCOPE_FAKE_BLIS", wrong ? "wrong" : nullptr);
            const CliRun run = runCli(QStringList{"bench"} + norm +
                                      QStringList{"--log", log, "--against", "blis", "--rounds", "2", "--json"});
            QVERIFY2(run.exitCode == 0, run.story());
            const auto blis = run.json().object()["contestants"].toArray()[1].toObject();
            if (wrong) {
                QVERIFY2(blis["refusal"].toString().contains("wrong answer"), run.story());
            } else {
                QCOMPARE(blis["implementation"].toString(), "BLIS 0.9.0 (fake), snrm2");
                QVERIFY2(blis["ratio"].toDouble() > 0 && blis["samples"].toArray().size() == 2, run.story());
            }
        }
    }

    /// A lookup has no floating-point operations, and no speed that could be given in them.
    void aWorkloadWithoutFloatingPointOperationsHasNoSpeed() {
        const QString log = m_folder.filePath("gather.json");
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

    /// What is timed beside another program's timing would be wrong, and a program that waits for no reason anybody can
    /// see would be a riddle.
    void anotherProgramThatTimesIsWaitedForAndNamed() {
        auto timing = MachineUse::begin(MachineUse::Kind::Timing);
        QProcess process;
        process.start(cliPath(), withLog({"measure", "--repeats", "3"}));
        QVERIFY(process.waitForStarted());
        QByteArray error;
        const auto waits = [&] {
            process.waitForReadyRead(50);
            error += process.readAllStandardError();
            return error.contains("waiting for cli_kept_trials_test (process ");
        };
        QTRY_VERIFY_WITH_TIMEOUT(waits(), 60000);
        QVERIFY(process.state() == QProcess::Running);
        timing.reset();
        QVERIFY(process.waitForFinished(120000));
        QCOMPARE(process.exitCode(), 0);
    }
};

LOOPSCOPE_TEST(KeptTrialsTest)
#include "kept_trials_test.moc"
