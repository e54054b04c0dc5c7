// `log verify`, `log apply` and `log diff` on logs that searches of this machine wrote. What the times are is the
// machine's to say, not this test's.

#include "cli_process.h"
#include "log_lines.h"
#include "measure/process_watch.h"
#include "test_program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace loopscope;

class LogVerifyTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_first;
    QString m_second;
    QStringList m_te;

    /// What it says on standard error and output once it has ended by a Ctrl-C, in order and with 1.
    static std::pair<QByteArray, QByteArray> interrupted(QProcess &process) {
        kill(static_cast<pid_t>(process.processId()), SIGINT);
        if (!process.waitForFinished(60000)) return {"it did not end", {}};
        if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 1)
            return {"it ended with " + QByteArray::number(process.exitCode()), {}};
        return {process.readAllStandardError(), process.readAllStandardOutput()};
    }

  private slots:
    void initTestCase() {
        const auto tuned = [&](const QString &name, const QString &seed) {
            const QString log = m_folder.filePath(name);
            const CliRun run = runCli(QStringList{"tune"} + smallMatmul() +
                                      QStringList{"--trials", "4", "--seed", seed, "--log", log});
            if (run.exitCode != 0) qFatal("%s", run.story().constData());
            return log;
        };
        m_first = tuned("first.json", "1");
        m_second = tuned("second.json", "2");
        m_te = QStringList{"--te", sample("matmul.te")};
    }

    void infoKnowsTheWorkload() {
        const CliRun run = runCli(QStringList{"log", "info", m_first, "--json"} + m_te);
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject task = run.json().object()["tasks"].toArray()[0].toObject();
        QVERIFY2(task["unresolved_because"].isNull() && !task["workload"].toString().isEmpty(), run.story());
        const CliRun shown = runCli(QStringList{"log", "show", m_first, "0"} + m_te);
        QVERIFY2(shown.out.contains("split C i"), shown.story()); // a line of a script, by names
    }

    void bestRecordsAreMeasuredAgain() {
        const CliRun run = runCli(QStringList{"log", "verify", m_first, "--rounds", "3", "--json"} + m_te);
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray verified = run.json().array();
        QCOMPARE(verified.size(), 1);
        const QJsonObject one = verified[0].toObject();
        const QJsonArray interval = one["interval"].toArray();
        QCOMPARE(interval.size(), 2);
        const double low = interval[0].toDouble();
        const double high = interval[1].toDouble();
        QVERIFY(low > 0 && low <= one["measured"].toDouble() && one["measured"].toDouble() <= high);
        const double recorded = one["recorded"].toDouble();
        QCOMPARE(one["holds"].toBool(), recorded >= low * 0.95 && recorded <= high * 1.05);
        QVERIFY(one["line"].toInt() > 0);
    }

    void namedRecordsAreMeasuredTogether() {
        const CliRun run = runCli(QStringList{"log", "verify", m_first, "--record", "0", "--record", "1", "--rounds",
                                              "3", "--tolerance", "1000"} +
                                  m_te);
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.contains("2 of 2 hold within 1000 %"), run.story());
    }

    void theBestAsCode() {
        const QString out = m_folder.filePath("best.c");
        const CliRun run = runCli(QStringList{"log", "best", m_first, "--as", "c", "--out", out, "--json"} + m_te);
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY(contents(out).contains("void "));
        QVERIFY(!run.json().object()["files"].toArray().isEmpty());
        const QString record = m_folder.filePath("best.json");
        const CliRun same = runCli(QStringList{"log", "apply", m_first, "--as", "record", "--out", record} + m_te);
        QVERIFY2(same.exitCode == 0, same.story());
        QCOMPARE(records(record).size(), 1);
        QVERIFY(records(m_first).contains(records(record).front()));
    }

    /// Two seeds of one task: the report names both, by what they compute.
    void twoSeeds() {
        const QString html = m_folder.filePath("diff.html");
        const CliRun run = runCli(QStringList{"log", "diff", m_first, m_second, "--html", html, "--json"} + m_te);
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["tasks"].toArray().size(), 1);
        const QJsonObject task = value["tasks"].toArray()[0].toObject();
        const double ratio =
            task["b"].toObject()["best_seconds"].toDouble() / task["a"].toObject()["best_seconds"].toDouble();
        QVERIFY(qAbs(task["ratio"].toDouble() / ratio - 1) < 1e-9);
        QVERIFY(qAbs(value["geomean"].toDouble() / ratio - 1) < 1e-9);
        QCOMPARE(value["won"].toInt() + value["lost"].toInt() + value["within_noise"].toInt(), 1);
        QVERIFY(contents(html).contains("best time by trials"));
        QVERIFY2(!contents(html).contains("by number"), "the steps are told by names");
    }

    void interruptedVerifyingLeavesNothing() {
        const QByteArray before = contents(m_first);
        QProcess process;
        process.start(cliPath(), QStringList{"log", "verify", m_first, "--rounds", "1000", "--json"} + m_te);
        QVERIFY(process.waitForStarted());
        const auto pid = static_cast<pid_t>(process.processId());
        QTRY_VERIFY_WITH_TIMEOUT(!descendants(pid).empty(), 60000); // the worker
        const auto children = descendants(pid);
        const auto [error, out] = interrupted(process);
        QVERIFY2(error.contains("interrupted after 0 of 1 record; nothing was written, and the log is as it was"),
                 error);
        const QJsonObject told = QJsonDocument::fromJson(out).object();
        QVERIFY2(told.size() == 2 && told["error"].toString().contains("interrupted"), out); // and "file"
        QVERIFY(allGone(children, 5));
        QCOMPARE(contents(m_first), before);
    }

    /// It waits for a log that comes through a pipe.
    void interruptedComparingLeavesNothing() {
        const QString html = m_folder.filePath("interrupted.html");
        const QString broken = written(m_folder, "broken.json", "what is this?\n" + contents(m_first));
        QProcess process;
        process.start(cliPath(), {"log", "diff", broken, "-", "--html", html});
        QVERIFY(process.waitForStarted());
        QByteArray said; // of the first log: from there on signals are watched
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardError()).contains("line skipped"), 60000);
        const auto [error, out] = interrupted(process);
        QVERIFY2(error.contains("interrupted while the log was read; nothing was written"), error);
        QVERIFY2(out.isEmpty(), out);
        QVERIFY(!QFileInfo::exists(html) && !QFileInfo::exists(html + ".new"));
    }
};

LOOPSCOPE_TEST(LogVerifyTest)
#include "log_verify_test.moc"
