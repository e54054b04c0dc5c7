// A search over a network that is killed, again and again, loses nothing and measures nothing twice: with --resume it
// ends where one that was left alone does.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr const char *kTwoLayers = R"(network two_layers
func main(x: float32[1, 4, 12, 12]) {
  w1 = constant float32[8, 4, 3, 3] random normal(seed = 1, deviation = 0.3)
  w2 = constant float32[8, 8, 1, 1] random normal(seed = 2, deviation = 0.3)
  a = conv(x, w1, pads = [1, 1, 1, 1])
  r = relu(a)
  c = conv(r, w2)
  s = tanh(c)
  g = global_average_pool(s)
  return g
}
)";

constexpr int kTrials = 16; // of each task

QStringList search(const QString &net, const QString &log) {
    return {"net",
            "tune",
            net,
            "--log",
            log,
            "--seed",
            "3",
            "--task-order",
            "round-robin",
            "--trials",
            QString::number(kTrials)};
}

/// Steps of the records of each workload; a line that is no record is none.
QHash<QString, QList<QByteArray>> stepsByTask(const QString &log) {
    QHash<QString, QList<QByteArray>> steps;
    for (const QByteArray &line : records(log)) {
        const QJsonArray input = QJsonDocument::fromJson(line)["i"].toArray();
        if (input.size() != 2) continue;
        steps[input[0].toArray()[0].toString()] << QJsonDocument(input[1].toArray()).toJson(QJsonDocument::Compact);
    }
    return steps;
}

int recordCount(const QString &log) { return static_cast<int>(contents(log).count("\n{\"i\"")); }

} // namespace

class NetResumeTest : public QObject {
    Q_OBJECT
  private slots:
    void killedSearchesEndWhereOthersDo() {
        const QTemporaryDir folder;
        const QString net = written(folder, "two_layers.net", kTwoLayers);
        const QString whole = folder.filePath("whole.json"), killed = folder.filePath("killed.json");
        const CliRun undisturbed = runCli(search(net, whole), 300);
        QVERIFY2(undisturbed.exitCode == 0, undisturbed.story());
        for (const int least : {3, 20, 37}) {
            QProcess process;
            process.start(cliPath(),
                          search(net, killed) + (QFile::exists(killed) ? QStringList{"--resume"} : QStringList{}));
            QElapsedTimer since;
            since.start();
            while (recordCount(killed) < least && process.state() != QProcess::NotRunning && since.elapsed() < 120000)
                process.waitForFinished(20);
            QVERIFY2(process.state() == QProcess::Running, process.readAllStandardError());
            process.kill();
            QVERIFY(process.waitForFinished());
            QVERIFY(recordCount(killed) >= least);
            // As where the machine lost its power while a line was written.
            QFile file(killed);
            QVERIFY(file.resize(file.size() - 7));
        }
        const CliRun resumed = runCli(search(net, killed) + QStringList{"--resume"}, 300);
        QVERIFY2(resumed.exitCode == 0, resumed.story());
        const auto expected = stepsByTask(whole), found = stepsByTask(killed);
        QCOMPARE(QSet<QString>(found.keyBegin(), found.keyEnd()),
                 QSet<QString>(expected.keyBegin(), expected.keyEnd()));
        for (const auto &[task, steps] : found.asKeyValueRange()) {
            QVERIFY2(expected[task].size() == steps.size(), qPrintable(task + ": " + QString::number(steps.size())));
            const QSet<QByteArray> different(steps.begin(), steps.end());
            QVERIFY2(different.size() == steps.size(), qPrintable(task + " has a schedule that was measured twice"));
        }
        // All were timed with weights as far away as in the network; what is timed otherwise does not go on from them.
        const qint64 timed = contents(killed).count("# 2112 bytes of weights between calls\n{");
        QVERIFY2(timed > kTrials && timed <= recordCount(killed), QByteArray::number(timed));
        // And no more is to be done.
        const CliRun again = runCli(search(net, killed) + QStringList{"--resume", "--json"}, 300);
        QVERIFY2(again.exitCode == 0, again.story());
        QCOMPARE(again.json()["trials"].toInt(-1), 0);
    }

    /// A log that began with weights in caches goes on like that.
    void aLogGoesOnAsItBegan() {
        const QTemporaryDir folder;
        const QString net = written(folder, "two_layers.net", kTwoLayers), log = folder.filePath("log.json");
        const auto searched = [&](int trials, const QStringList &more) {
            return runCli(QStringList{"net", "tune", net, "--log", log, "--trials", QString::number(trials)} + more,
                          300);
        };
        const CliRun first = searched(4, {"--weights", "cached"});
        QVERIFY2(first.exitCode == 0, first.story());
        QVERIFY(recordCount(log) > 0);
        QCOMPARE(contents(log).count("bytes of weights"), 0);
        const CliRun more = searched(6, {"--resume"});
        QVERIFY2(more.exitCode == 0, more.story());
        QVERIFY2(more.error.contains("was measured with weights in caches, and so are its next trials"), more.story());
        QCOMPARE(contents(log).count("bytes of weights"), 0);
        const int before = recordCount(log);
        const CliRun other = searched(3, {"--resume", "--weights", "network"});
        QVERIFY2(other.exitCode == 0, other.story());
        QVERIFY2(other.error.contains("as they were timed with weights in caches, not as in a network"), other.story());
        QVERIFY(recordCount(log) > before);
        QVERIFY(contents(log).count("bytes of weights") > 0);
    }
};

LOOPSCOPE_TEST(NetResumeTest)
#include "net_resume_test.moc"
