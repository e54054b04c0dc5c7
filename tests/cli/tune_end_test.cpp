// A search that ends before its trials are done, by its time limit or by a signal, leaves a whole log and no process.

#include "cli_process.h"
#include "log_lines.h"
#include "measure/process_watch.h"
#include "test_program.h"

#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace loopscope;

class TuneEndTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString newLog(const QString &name) const { return m_folder.filePath(name); }
    static QStringList tune(int trials, const QString &log) {
        return QStringList{"tune"} + smallMatmul() + QStringList{"--trials", QString::number(trials), "--log", log};
    }

  private slots:
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
        QTest::newRow("hang up") << SIGHUP;
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

LOOPSCOPE_TEST(TuneEndTest)
#include "tune_end_test.moc"
