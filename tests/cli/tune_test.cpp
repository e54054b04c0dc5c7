// tune for real, on a workload whose trials take a moment each.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class TuneTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_log; // of a finished search of eight trials

    QString newLog(const QString &name) const { return m_folder.filePath(name); }
    static QStringList tune(int trials, const QString &log) {
        return QStringList{"tune"} + smallMatmul() + QStringList{"--trials", QString::number(trials), "--log", log};
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
        const double open = best["seconds_high"].toDouble() - best["seconds_low"].toDouble();
        QCOMPARE(best["compare_again"].toBool(), open > 0.1 * best["seconds"].toDouble());
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
        for (const char *word : {"8 trials, 8 verified", "best: ", "GFLOP/s", "naive kernel: ", "log: "})
            QVERIFY2(run.out.contains(word), run.story());
        // Another seed, behind what is there: the log grows, and record numbers go on.
        const CliRun other = runCli(tune(2, log) + QStringList{"--seed", "5", "--json"});
        QVERIFY2(other.exitCode == 0, other.story());
        QCOMPARE(records(log).size(), 10);
        QVERIFY(other.json().object()["best"].toObject()["record"].toInt() >= 8);
        QVERIFY(stepsOf(log).mid(8) != stepsOf(m_log).first(2));
    }

    void resumeCountsTheTrialsOfTheLog() {
        const QString log = newLog("resume.json");
        QVERIFY(QFile::copy(m_log, log));
        const CliRun run = runCli(tune(9, log) + QStringList{"--resume", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(run.json().object()["trials"].toInt(), 9);
        QVERIFY2(run.error.contains("8 trials of this task"), run.story());
        QCOMPARE(records(log).size(), 9);
        const auto lines = records(log);
        QCOMPARE(QSet<QByteArray>(lines.begin(), lines.end()).size(), 9);
        const CliRun done = runCli(tune(9, log) + QStringList{"--resume", "--json"});
        QVERIFY2(done.exitCode == 0, done.story());
        QCOMPARE(records(log).size(), 9);
        QVERIFY(done.json().object()["best"].toObject()["record"].toInt() < 9);
    }

    void copiesOfRecordsCountOnce() {
        const QString log = newLog("doubled.json");
        QFile file(log);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(contents(m_log) + contents(m_log));
        file.close();
        const CliRun run = runCli(tune(9, log) + QStringList{"--resume", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.error.contains("8 trials of this task"), run.story());
        QVERIFY2(run.error.contains("8 records are a copy of another, measured in the same second, and counted once"),
                 run.story());
        QCOMPARE(run.json().object()["trials"].toInt(), 9);
        QCOMPARE(records(log).size(), 17);
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
        const CliRun resumed = runCli(tune(8, log) + QStringList{"--resume", "--json"});
        QVERIFY2(resumed.exitCode == 0, resumed.story());
        QVERIFY2(resumed.error.contains("line skipped"), resumed.story());
        QVERIFY2(resumed.error.contains("7 trials of this task"), resumed.story());
        QVERIFY(contents(log).startsWith(text));
        const CliRun last =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", "steps", "--log", log, "--record", "7"});
        QVERIFY2(last.exitCode == 0, last.story());
    }

    void awkwardExtentsAreSearched_data() {
        QTest::addColumn<QStringList>("params");
        QTest::newRow("primes") << QStringList{"M=127", "N=131", "K=113"};
        QTest::newRow("one number") << QStringList{"M=1", "N=1", "K=1"};
        QTest::newRow("one row") << QStringList{"M=1", "N=64", "K=7"};
    }
    void awkwardExtentsAreSearched() {
        QFETCH(QStringList, params);
        QStringList arguments = {"tune", sample("matmul.te"), "--trials", "2", "--json"};
        for (const QString &param : params) arguments << "--param" << param;
        const CliRun run = runCli(arguments);
        QVERIFY2(run.exitCode == 0, run.story());
        const auto json = run.json().object();
        QVERIFY2(json["valid"].toInt() == json["trials"].toInt(), run.story());
        QVERIFY(json["valid"].toInt() >= 1);
    }
};

LOOPSCOPE_TEST(TuneTest)
#include "tune_test.moc"
