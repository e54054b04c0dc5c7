// tune with several workloads: one log, one pool, a report of each.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class TuneTasksTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_small = sample("matmul.te") + ":N=48,M=64,K=32";
    QString m_other = sample("matmul.te") + ":N=16,M=24,K=40";
    QString m_relu = sample("matmul_relu.te") + ":M=24,K=32,N=40";

    QString log(const QString &name) const { return m_folder.filePath(name); }

  private slots:
    void eachHasItsTrialsAndItsBestInOneLog() {
        const CliRun run = runCli(
            {"tune", m_small, m_other, "--trials", "4", "--trials-per-round", "2", "--log", log("two.json"), "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray reports = run.json().array();
        QCOMPARE(reports.size(), 2);
        QCOMPARE(records(log("two.json")).size(), 8);
        QSet<int> used;
        for (int i = 0; i < 2; ++i) {
            const QJsonObject one = reports[i].toObject();
            QCOMPARE(one["file"].toString(), i == 0 ? m_small : m_other);
            QCOMPARE(one["workload"].toString(), "matmul");
            QVERIFY(one["flops"].toDouble() == (i == 0 ? 2.0 * 48 * 64 * 32 : 2.0 * 16 * 24 * 40));
            QCOMPARE(one["trials"].toInt(), 4);
            QCOMPARE(one["valid"].toInt(), 4);
            QVERIFY(one["naive_seconds"].toDouble() > 0);
            QVERIFY(!one.contains("error"));
            // The record named is of this task, and has the steps given.
            const int record = one["best"].toObject()["record"].toInt();
            const auto line = QJsonDocument::fromJson(records(log("two.json"))[record]).object()["i"].toArray();
            QCOMPARE(line[0].toArray()[0].toString(), one["key"].toString());
            QCOMPARE(line[1].toArray()[1].toArray(), one["best"].toObject()["steps"].toArray());
            used.insert(record);
            const CliRun show = runCli({"show", i == 0 ? m_small : m_other, "--as", "steps", "--log", log("two.json"),
                                        "--record", QString::number(record)});
            QVERIFY2(show.exitCode == 0, show.story());
        }
        QCOMPARE(used.size(), 2);
        // They took turns: two trials of the one, two of the other.
        QStringList keys;
        for (const QByteArray &line : records(log("two.json")))
            keys << QJsonDocument::fromJson(line).object()["i"].toArray()[0].toArray()[0].toString();
        QVERIFY(keys[0] == keys[1] && keys[1] != keys[2] && keys[2] == keys[3] && keys[4] == keys[0]);

        // What is there counts for each; the file's text and its parameters say which is which.
        const CliRun more = runCli({"tune", m_other, m_small, "--trials", "5", "--log", log("two.json"), "--resume",
                                    "--task-order", "gradient", "--json"});
        QVERIFY2(more.exitCode == 0, more.story());
        QCOMPARE(records(log("two.json")).size(), 10);
        for (const auto &report : more.json().array()) {
            QCOMPARE(report.toObject()["trials"].toInt(), 5);
            QCOMPARE(report.toObject()["resumed"].toInt(), 4);
        }
        QVERIFY2(more.error.contains("4 trials of " + m_other + ", 4 trials of " + m_small), more.story());
    }

    void textNamesEachTask() {
        const CliRun run = runCli({"tune", m_small, m_relu, "--param", "N=64", "--trials", "2"});
        QVERIFY2(run.exitCode == 2, run.story()); // N is given twice for the first
        QVERIFY2(run.error.contains("N is given twice, as 64 and as 48"), run.story());
        const CliRun text = runCli({"tune", m_small, m_relu, "--trials", "2"});
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.startsWith("matmul: 2 trials, 2 verified"), text.story());
        QVERIFY2(text.out.contains("\n\nmatmul_relu: 2 trials, 2 verified"), text.story());
        QVERIFY2(text.error.contains("matmul: round 1: 2 trials") &&
                     text.error.contains("matmul_relu: round 1: 2 trials"),
                 text.story());
    }

    void theTimeLimitIsOfAllOfThem() {
        const CliRun run = runCli({"tune", m_small, m_other, "--trials", "100000", "--time-limit", "6", "--json"}, 280);
        QVERIFY2(run.exitCode == 0 || run.error.contains("--time-limit 6"), run.story());
        const QJsonArray reports = run.json().array();
        QCOMPARE(reports.size(), 2);
        for (const auto &report : reports) QVERIFY(report.toObject()["trials"].toInt() < 100000);
        if (run.exitCode == 0)
            for (const auto &report : reports) QVERIFY2(report.toObject()["cancelled"].toBool(), run.story());
    }

    void refused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("twice") << QStringList{m_small, sample("matmul.te") + ":K=32,M=64,N=48"}
                               << "are the same task; name it once";
        QTest::newRow("no such file") << QStringList{m_small, "missing.te"} << "missing.te";
        QTest::newRow("no such file with parameters") << QStringList{m_small, "missing.te:N=3"} << "missing.te:";
        QTest::newRow("behind a parameter") << QStringList{"--param", "N=3", sample("matmul.te") + ":M=4", "missing.te"}
                                            << "missing.te: the workload file cannot be opened";
        QTest::newRow("no number") << QStringList{sample("matmul.te") + ":N=many"}
                                   << "matmul.te:N=many: expected NAME=VALUE with a whole number, such as ";
        QTest::newRow("no parameter") << QStringList{sample("matmul.te") + ":N=3,"} << "expected NAME=VALUE";
        QTest::newRow("unknown parameter") << QStringList{m_small, m_relu + ",Q=3"} << "Q";
        QTest::newRow("unknown order") << QStringList{m_small, "--task-order", "random"}
                                       << "round-robin, gradient, gain";
    }
    void refused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, sentence);
        const CliRun run = runCli(QStringList{"tune"} + arguments + QStringList{"--trials", "1"});
        QVERIFY2(run.exitCode == 1 || run.exitCode == 2, run.story());
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
    }

    /// A file whose name looks like parameters is what is meant by it.
    void aFileMayBeCalledLikeThat() {
        const QString path = m_folder.filePath("odd:N=3.te");
        QVERIFY(QFile::copy(sample("matmul.te"), path));
        const CliRun run = runCli({"show", path, "--as", "dag", "--param", "N=8"});
        QVERIFY2(run.exitCode == 0, run.story());
    }
};

LOOPSCOPE_TEST(TuneTasksTest)
#include "tune_tasks_test.moc"
