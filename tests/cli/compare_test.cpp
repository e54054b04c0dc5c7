// `compare`: two schedules from anywhere, their steps side by side, a verdict that agrees with its numbers. Which of
// them is faster is the machine's to say, not this test's.

#include "cli_process.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace loopscope;

namespace {

/// Few repeats: eight are the least that a verdict needs.
QStringList quick(const QStringList &sides) {
    return QStringList{"compare"} + smallMatmul() + sides + QStringList{"--repeats", "8"};
}

void checkNumbers(const QJsonObject &value) {
    const QJsonArray interval = value["interval"].toArray();
    QCOMPARE(interval.size(), 2);
    const double ratio = value["ratio"].toDouble();
    QVERIFY(interval[0].toDouble() <= ratio && ratio <= interval[1].toDouble());
    const QString verdict = value["verdict"].toString();
    if (interval[0].toDouble() > 1)
        QCOMPARE(verdict, QString("faster"));
    else if (interval[1].toDouble() < 1)
        QCOMPARE(verdict, QString("slower"));
    else
        QCOMPARE(verdict, QString("no difference"));
    QCOMPARE(value["repeats"].toInt(), 8);
    QCOMPARE(value["seconds_a"].toArray().size(), 8);
    QCOMPARE(value["seconds_b"].toArray().size(), 8);
}

} // namespace

class CompareTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        m_rows = written(m_folder, "rows.schedule", "split C i into 8\nreorder C i.0, k, i.1, j\nvectorize C j\n");
        m_columns = written(m_folder, "columns.schedule",
                            "cache_write C local\nsplit C.local j_c into 16\nvectorize C.local j_c.1\n");
    }

    void naiveAgainstAScript() {
        const CliRun json = runCli(quick({"naive", m_rows, "--json"}));
        QVERIFY2(json.exitCode == 0, json.story());
        const QJsonObject value = json.json().object();
        checkNumbers(value);
        QCOMPARE(value["a"].toString(), QString("the naive schedule"));
        QCOMPARE(value["b"].toString(), "script " + m_rows);
        const QJsonObject steps = value["steps"].toObject();
        QCOMPARE(steps["only_b"].toArray().size(), 3);
        for (const char *key : {"same", "changed", "only_a"}) QVERIFY(steps[key].toArray().isEmpty());
        QVERIFY(!value.contains("explanation"));
        // The code of both, and what tells their features apart; nothing is predicted without a log.
        const QJsonObject hot = value["code"]["b"]["hot_block"].toObject();
        QVERIFY2(hot["instructions"].toInt() > 2, json.story());
        QVERIFY(hot["throughput"]["cycles"].toDouble() > 0);
        QVERIFY(value["code"]["a"]["bytes"].toInt() > 0);
        QVERIFY(!value["features"].toArray().isEmpty());
        for (const QJsonValue feature : value["features"].toArray()) {
            QVERIFY(feature["a"].toDouble() != feature["b"].toDouble());
            QVERIFY(feature["contribution_a"].isNull());
        }
    }

    void aRecordAgainstItself() {
        const QString log = m_folder.filePath("log.json");
        const CliRun tuned = runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "4", "--log", log});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        const CliRun text = runCli(quick({log + ":best", log + ":0"}));
        QVERIFY2(text.exitCode == 0, text.story());
        const CliRun same = runCli(quick({log + ":0", log + ":0", "--json"}));
        QVERIFY2(same.exitCode == 0, same.story());
        const QJsonObject steps = same.json().object()["steps"].toObject();
        QVERIFY(!steps["same"].toArray().isEmpty());
        for (const char *key : {"changed", "only_a", "only_b"}) QVERIFY(steps[key].toArray().isEmpty());
        checkNumbers(same.json().object());
    }

    void differencesAreExplained() {
        const CliRun run = runCli(quick({m_rows, m_columns, "--explain", "--json"}), 300);
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        const QJsonObject steps = value["steps"].toObject();
        const qsizetype differences =
            steps["changed"].toArray().size() + steps["only_a"].toArray().size() + steps["only_b"].toArray().size();
        QVERIFY(differences >= 3);
        const QJsonArray explanation = value["explanation"].toArray();
        QCOMPARE(explanation.size(), differences);
        double whole = 0;
        for (const QJsonValue step : explanation) {
            for (const char *key : {"step", "from", "to", "share", "interval", "coupled_with"})
                QVERIFY2(step.toObject().contains(key), key);
            // Those that go together share one share.
            whole += step["share"].toDouble() / static_cast<double>(1 + step["coupled_with"].toArray().size());
        }
        QVERIFY2(std::abs(whole - 1) < 1e-6, run.story());
        const CliRun text = runCli(quick({m_rows, m_columns}));
        QVERIFY2(text.out.contains("\n- split C i into 8\n") && text.out.contains("\n+ cache_write C local\n"),
                 text.story());
    }

    void whatIsNotThereIsRefused() {
        const CliRun script = runCli(quick({"naive", "/nowhere/s.schedule"}));
        QCOMPARE(script.exitCode, 1);
        QVERIFY2(script.error.contains("/nowhere/s.schedule"), script.story());
        const CliRun log = runCli(quick({"/nowhere/log.json:best", "naive"}));
        QCOMPARE(log.exitCode, 1);
        QVERIFY2(log.error.contains("/nowhere/log.json"), log.story());
        const CliRun one = runCli(QStringList{"compare"} + smallMatmul() + QStringList{"naive"});
        QCOMPARE(one.exitCode, 2);
    }

  private:
    QTemporaryDir m_folder;
    QString m_rows;
    QString m_columns;
};

LOOPSCOPE_TEST(CompareTest)
#include "compare_test.moc"
