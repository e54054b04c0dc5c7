// A log of a search that had no GPU: trials are right and have no times. Searches go on from it, and every command on
// logs says so in words instead of numbers that nobody measured.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class UntimedLogTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_log = m_folder.filePath("gpu.json");
    const QStringList m_task = smallMatmul() + QStringList{"--target", "cuda -arch=sm_80"};

    CliRun tune(const QStringList &more) {
        return runCli(QStringList{"tune"} + m_task + QStringList{"--runner", "executor", "--log", m_log} + more);
    }

  private slots:
    void initTestCase() {
        const CliRun run = tune({"--trials", "4", "--seed", "3"});
        QVERIFY2(run.exitCode == 0, run.story());
        QFile file(m_log);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count("checked by the executor, not timed"), 4);
    }

    void searchesGoOn() {
        const CliRun run = tune({"--trials", "6", "--seed", "4", "--resume"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2((run.out + run.error).contains("4 trials of this task"), run.story());
        QFile file(m_log);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count("\"v\":"), 6);
    }

    void noneIsBest() {
        const CliRun best = runCli({"log", "best", m_log});
        QVERIFY2(best.exitCode == 0 && best.out.contains("none is best: 6 records right, but not timed"), best.story());
        const CliRun info = runCli({"log", "info", m_log});
        QVERIFY2(info.out.contains("6 records, 0 failed, best none"), info.story());
        QVERIFY2(info.out.contains("right, but not timed\n       6  checked by the executor, not timed"), info.story());
        QVERIFY2(!info.out.contains("failures"), info.story());
        const CliRun shown =
            runCli(QStringList{"show"} + m_task + QStringList{"--as", "loops", "--log", m_log, "--record", "best"});
        QCOMPARE(shown.exitCode, 1);
        QVERIFY2(shown.error.contains("6 of this task are right, but were not timed, so that none is best: name one by "
                                      "its number"),
                 shown.story());
    }

    void theBestIsNotApplied() {
        const CliRun run = runCli({"log", "apply", m_log, "--as", "script", "--out", m_folder.filePath("none")});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.error.contains("6 records of task 0 are right, but were not timed, so that none is best"),
                 run.story());
    }

    void neitherIsCalledMeasured() {
        const CliRun diff = runCli({"log", "diff", m_log, m_log});
        QVERIFY2(diff.out.contains("none timed") && !diff.out.contains("valid"), diff.story());
        const CliRun why = runCli(QStringList{"why"} + m_task + QStringList{"--log", m_log, "--record", "0"});
        QVERIFY2(why.out.contains("Nearest schedules that were checked, none of them timed"), why.story());
    }

    void commandsOnLogs_data() {
        QTest::addColumn<QStringList>("arguments");
        for (const char *command : {"info", "list", "best"}) {
            QTest::newRow(command) << QStringList{"log", command, m_log};
            QTest::newRow((std::string(command) + " as JSON").c_str()) << QStringList{"log", command, m_log, "--json"};
        }
        QTest::newRow("show") << QStringList{"log", "show", m_log, "0"};
        QTest::newRow("show as JSON") << QStringList{"log", "show", m_log, "0", "--json"};
        QTest::newRow("diff") << QStringList{"log", "diff", m_log, m_log};
        QTest::newRow("distil") << QStringList{"log", "distil", m_log, "--out", m_folder.filePath("distilled.json")};
        QTest::newRow("merge") << QStringList{"log", "merge", m_log, m_log, "--out", m_folder.filePath("merged.json")};
        QTest::newRow("apply") << QStringList{"log", "apply", m_log, "--as", "script", "--out", m_folder.filePath("s")};
        QTest::newRow("verify") << QStringList{"log", "verify", m_log};
    }
    void commandsOnLogs() {
        QFETCH(QStringList, arguments);
        const CliRun run = runCli(arguments);
        QVERIFY2(run.exitCode == 0 || run.exitCode == 1, run.story());
        QVERIFY2(run.exitCode == 0 || !run.error.isEmpty(), run.story());
        QString said = run.out + run.error;
        said.remove("[[1e+10]"); // the line itself, as Ansor's readers expect it of what has no time
        QVERIFY2(!said.contains("internal error"), run.story());
        QVERIFY2(!said.contains(QRegularExpression("\\b(inf|nan)\\b|1e\\+?10|10000000000")), run.story());
        if (arguments.contains("--json")) QVERIFY2(!run.json().isNull(), run.story());
    }
};

LOOPSCOPE_TEST(UntimedLogTest)
#include "untimed_log_test.moc"
