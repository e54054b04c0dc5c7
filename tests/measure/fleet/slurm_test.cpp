// `tune --runner slurm` on a real cluster of three nodes on this machine: all trials measured once, on all nodes, and
// what happens when nodes, jobs, the controller and the program itself are killed.

#include "slurm_cluster.h"
#include "test_program.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <set>

namespace loopscope {

namespace {

const QString kCli = QStringLiteral(LOOPSCOPE_BIN_DIR "/loopscope-cli");

constexpr const char *kMatmul = R"(workload matmul(N = 48)

A = placeholder [N, N] float32
B = placeholder [N, N] float32
C = matmul(A, B)
)";

// So many trials that most of them are still to be measured when the first ones are in the log.
constexpr int kMany = 128;

constexpr const char *kTwoLayers = R"(network two

func main(x: float32[16, 64], w: float32[64, 48], v: float32[48, 32]) {
    h = matmul(x, w)
    y = matmul(h, v)
    return y
}
)";

struct Log {
    int records = 0;
    std::set<QString> nodes;
    std::set<QString> schedules;
    int without = 0; // records that no node is named for
};

Log logOf(const QString &path) {
    Log log;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return log;
    QString node;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith("# measured on ")) node = QString::fromUtf8(line.mid(14));
        if (!line.startsWith('{')) continue;
        ++log.records;
        if (node.isEmpty()) ++log.without;
        log.nodes.insert(node);
        const QJsonObject record = QJsonDocument::fromJson(line).object();
        log.schedules.insert(
            QString::fromUtf8(QJsonDocument(QJsonObject{{QStringLiteral("i"), record[QStringLiteral("i")]}})
                                  .toJson(QJsonDocument::Compact)));
        node.clear();
    }
    return log;
}

/// A search that is under way.
struct Search {
    QProcess process;
    QString said; // on standard error

    Search(const SlurmCluster &cluster, const QStringList &words, const QStringList &before = {},
           const QStringList &command = {QStringLiteral("tune")}) {
        process.setProcessEnvironment(cluster.environment());
        QStringList all = before + QStringList{kCli} + command + words;
        process.start(all.takeFirst(), all);
    }
    ~Search() {
        process.kill();
        process.waitForFinished();
    }
    bool says(const QString &text, int seconds = 120) {
        return QTest::qWaitFor(
            [&] {
                said += QString::fromUtf8(process.readAllStandardError());
                return said.contains(text);
            },
            seconds * 1000);
    }
    int ended(int seconds = 240) {
        (void)QTest::qWaitFor(
            [&] {
                said += QString::fromUtf8(process.readAllStandardError());
                return process.state() == QProcess::NotRunning;
            },
            seconds * 1000);
        said += QString::fromUtf8(process.readAllStandardError());
        return process.state() == QProcess::NotRunning && process.exitStatus() == QProcess::NormalExit
                   ? process.exitCode()
                   : -1;
    }
};

} // namespace

class SlurmTest : public QObject {
    Q_OBJECT
    std::unique_ptr<SlurmCluster> m_cluster;
    QTemporaryDir m_folder;
    QString m_workload;

    QStringList search(const QString &log, int trials, const QString &runner) const {
        return {m_workload,
                QStringLiteral("--log"),
                log,
                QStringLiteral("--trials"),
                QString::number(trials),
                QStringLiteral("--runner"),
                runner};
    }
    /// The log has come so far; or what the search has said until then.
    static QString records(Search &run, const QString &log, int count) {
        const bool there = QTest::qWaitFor([&] { return logOf(log).records >= count; }, 120000);
        run.said += QString::fromUtf8(run.process.readAllStandardError());
        return there ? QString() : QStringLiteral("%1 records; %2").arg(logOf(log).records).arg(run.said);
    }
    [[nodiscard]] bool noJobs(int seconds) const {
        return QTest::qWaitFor([&] { return m_cluster->jobs() == 0; }, seconds * 1000);
    }

    /// Programs that srun sends to the nodes of a job lie there under such a name.
    static QStringList sentWorkers() {
        return QDir(QStringLiteral("/tmp")).entryList({QStringLiteral("loopscope-worker-*")}, QDir::Files);
    }

  private slots:
    void initTestCase() {
        if (const QString why = SlurmCluster::whyNot(); !why.isEmpty()) QSKIP(qPrintable(why));
        m_cluster = std::make_unique<SlurmCluster>();
        // What a machine forbids (a container without a superuser's capabilities) is no fault of ours.
        if (const QString problem = m_cluster->start(); !problem.isEmpty()) {
            m_cluster.reset();
            QSKIP(qPrintable(problem));
        }
        m_workload = m_folder.filePath(QStringLiteral("matmul.te"));
        QFile file(m_workload);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kMatmul);
    }

    void init() {
        if (!m_cluster) QSKIP("no cluster");
        QVERIFY(QTest::qWaitFor([&] { return m_cluster->idle(3); }, 60000));
    }

    void allTrialsOnThreeNodes() {
        const QStringList before = sentWorkers();
        const QString log = m_folder.filePath(QStringLiteral("all.json"));
        Search run(*m_cluster, search(log, 64, QStringLiteral("slurm:nodes=3,tolerance=1000%")) +
                                   QStringList{QStringLiteral("--json")});
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        const Log has = logOf(log);
        QCOMPARE(has.records, 64);
        QCOMPARE(has.schedules.size(), size_t{64}); // none twice
        QCOMPARE(has.without, 0);
        QCOMPARE(has.nodes.size(), size_t{3});
        const QJsonObject json = QJsonDocument::fromJson(run.process.readAllStandardOutput()).object();
        QVERIFY2(!json.isEmpty(), qPrintable(run.said));
        QVERIFY2(run.said.contains(QRegularExpression(QStringLiteral("job \\d+: n1, n2, n3"))), qPrintable(run.said));
        QVERIFY2(run.said.contains(QRegularExpression(QStringLiteral("n1: \\d+ trials, reference kernel"))),
                 qPrintable(run.said));
        // Through srun: how long a node that is free waits for its next candidates.
        const QRegularExpression stood(QStringLiteral("n\\d: .*stood still for (\\S+) ms between candidates.*"));
        QVERIFY2(run.said.contains(stood), qPrintable(run.said));
        for (auto one = stood.globalMatch(run.said); one.hasNext();) qInfo("%s", qPrintable(one.next().captured()));
        QVERIFY(noJobs(20));
        // The program was sent, and is gone.
        QCOMPARE(sentWorkers(), before);
    }

    void aNodeDies() {
        const QString log = m_folder.filePath(QStringLiteral("dies.json"));
        Search run(*m_cluster, search(log, kMany, QStringLiteral("slurm:nodes=3,tolerance=1000%,worker=there")));
        QCOMPARE(records(run, log, 6), QString());
        m_cluster->kill(QStringLiteral("n2"));
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        const Log has = logOf(log);
        QCOMPARE(has.records, kMany);
        QCOMPARE(has.schedules.size(), size_t{kMany});
        QVERIFY2(run.said.contains(QRegularExpression(QStringLiteral("n[123] is lost: "))), qPrintable(run.said));
        m_cluster->startNode(QStringLiteral("n2"));
        QVERIFY(noJobs(60));
    }

    void aWorkerIsStopped() {
        const QString log = m_folder.filePath(QStringLiteral("stopped.json"));
        Search run(*m_cluster, search(log, kMany, QStringLiteral("slurm:nodes=3,tolerance=1000%,worker=there")));
        QCOMPARE(records(run, log, 6), QString());
        QVERIFY(m_cluster->stopWorker(QStringLiteral("n3")));
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        const Log has = logOf(log);
        QCOMPARE(has.records, kMany);
        QCOMPARE(has.schedules.size(), size_t{kMany});
        QVERIFY2(run.said.contains(QRegularExpression(QStringLiteral("n3 is lost: it said nothing for \\d+ s"))),
                 qPrintable(run.said));
        QVERIFY(noJobs(60));
    }

    /// Where the worker cannot be written to, the others measure, and the reason is on screen.
    void aDiskIsFull() {
        const QString log = m_folder.filePath(QStringLiteral("full.json"));
        m_cluster->fillDisk(QStringLiteral("n2"), true);
        Search run(*m_cluster, search(log, 64, QStringLiteral("slurm:nodes=3,tolerance=1000%")));
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        m_cluster->fillDisk(QStringLiteral("n2"), false);
        const Log has = logOf(log);
        QCOMPARE(has.records, 64);
        QCOMPARE(has.schedules.size(), size_t{64});
        QVERIFY(!has.nodes.contains(QStringLiteral("n2")));
        QVERIFY2(run.said.contains(QStringLiteral("n2 is lost: ")), qPrintable(run.said));
        QVERIFY2(run.said.contains(QStringLiteral("Failed to broadcast")), qPrintable(run.said));
        QVERIFY(noJobs(60));
    }

    /// Tasks of a network, several at a time, each trial once.
    void tasksOfANetwork() {
        const QString network = m_folder.filePath(QStringLiteral("two.net"));
        QFile file(network);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kTwoLayers);
        file.close();
        const QString log = m_folder.filePath(QStringLiteral("network.json"));
        Search run(*m_cluster,
                   {network, QStringLiteral("--log"), log, QStringLiteral("--trials"), QStringLiteral("24"),
                    QStringLiteral("--runner"), QStringLiteral("slurm:nodes=3,tolerance=1000%,rounds=3,worker=there")},
                   {}, {QStringLiteral("net"), QStringLiteral("tune")});
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        const Log has = logOf(log);
        QCOMPARE(has.records, 48);
        QCOMPARE(has.schedules.size(), size_t{48});
        QCOMPARE(has.without, 0);
        QVERIFY(noJobs(60));
    }

    void nodesOfAnotherKindAreRefused() {
        const QString log = m_folder.filePath(QStringLiteral("unequal.json"));
        Search run(*m_cluster, search(log, 8, QStringLiteral("slurm:nodes=2,worker=there")) +
                                   QStringList{QStringLiteral("--target"), QStringLiteral("llvm -num-cores=4096")});
        QVERIFY2(run.ended() == 1, qPrintable(run.said));
        QVERIFY2(run.said.contains(QRegularExpression(
                     QStringLiteral("n1: it has \\d+ cores? for us, and the target has 4096: take whole nodes"))),
                 qPrintable(run.said));
        QVERIFY(noJobs(60));
    }

    void theControllerIsRestarted() {
        const QString log = m_folder.filePath(QStringLiteral("controller.json"));
        Search run(*m_cluster, search(log, kMany, QStringLiteral("slurm:nodes=3,tolerance=1000%,worker=there")));
        QCOMPARE(records(run, log, 6), QString());
        m_cluster->restartController();
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        QCOMPARE(logOf(log).records, kMany);
        QVERIFY(noJobs(60));
    }

    void theJobIsCancelled() {
        const QString log = m_folder.filePath(QStringLiteral("cancelled.json"));
        Search run(*m_cluster, search(log, kMany, QStringLiteral("slurm:nodes=2,tolerance=1000%,worker=there")));
        QCOMPARE(records(run, log, 6), QString());
        (void)m_cluster->run({QStringLiteral("scancel"), QStringLiteral("--name=loopscope")});
        QVERIFY2(run.ended() == 1, qPrintable(run.said));
        QVERIFY2(run.said.contains(QStringLiteral("no node is left: n1: ")), qPrintable(run.said));
        const Log some = logOf(log);
        QVERIFY(some.records >= 6 && some.records < kMany);
        // It goes on with another number of nodes.
        QVERIFY(QTest::qWaitFor([&] { return m_cluster->idle(3); }, 60000));
        Search on(*m_cluster, search(log, kMany, QStringLiteral("slurm:nodes=3,tolerance=1000%,worker=there")) +
                                  QStringList{QStringLiteral("--resume")});
        QVERIFY2(on.ended() == 0, qPrintable(on.said));
        const Log all = logOf(log);
        QCOMPARE(all.records, kMany);
        QCOMPARE(all.schedules.size(), size_t{kMany});
    }

    void killedItLeavesNoJob() {
        const QString log = m_folder.filePath(QStringLiteral("killed.json"));
        Search run(*m_cluster, search(log, 1000, QStringLiteral("slurm:nodes=2,tolerance=1000%,worker=there")));
        QCOMPARE(records(run, log, 6), QString());
        QCOMPARE(m_cluster->jobs(), 1);
        ::kill(static_cast<pid_t>(run.process.processId()), SIGKILL);
        QVERIFY(noJobs(60));
    }

    /// Behind somebody who has all nodes.
    void itWaitsForNodes() {
        QProcess other;
        other.setProcessEnvironment(m_cluster->environment());
        other.start(QStringLiteral("salloc"), {QStringLiteral("--nodes=3"), QStringLiteral("--exclusive"),
                                               QStringLiteral("sleep"), QStringLiteral("600")});
        QVERIFY(QTest::qWaitFor([&] { return m_cluster->idle(0); }, 30000));
        const QString log = m_folder.filePath(QStringLiteral("waits.json"));
        Search run(*m_cluster, search(log, 8, QStringLiteral("slurm:nodes=2,tolerance=1000%,worker=there")));
        QVERIFY2(run.says(QStringLiteral(", 0 jobs before it")), qPrintable(run.said));
        QVERIFY2(run.said.contains(QRegularExpression(QStringLiteral("job \\d+ waits for "))), qPrintable(run.said));
        ::kill(static_cast<pid_t>(run.process.processId()), SIGINT);
        QVERIFY2(run.ended(30) == 1, qPrintable(run.said));
        QVERIFY2(run.said.contains(QStringLiteral("interrupted while it waited for nodes; no job is left")),
                 qPrintable(run.said));
        QVERIFY(QTest::qWaitFor([&] { return m_cluster->jobs() == 1; }, 20000));
        other.terminate();
        other.waitForFinished();
    }

    void insideAnAllocationOfOnesOwn() {
        const QString log = m_folder.filePath(QStringLiteral("inside.json"));
        Search run(*m_cluster, search(log, 12, QStringLiteral("slurm:tolerance=1000%,worker=there")),
                   {QStringLiteral("salloc"), QStringLiteral("--nodes=2"), QStringLiteral("--exclusive")});
        QVERIFY2(run.ended() == 0, qPrintable(run.said));
        QVERIFY2(run.said.contains(QRegularExpression(QStringLiteral("job \\d+ \\(yours\\): n1, n2"))),
                 qPrintable(run.said));
        QCOMPARE(logOf(log).records, 12);
    }

    void whatSlurmRefusesIsSaid() {
        const QString log = m_folder.filePath(QStringLiteral("refused.json"));
        Search partition(*m_cluster, search(log, 8, QStringLiteral("slurm:partition=nobody")));
        QCOMPARE(partition.ended(), 1);
        QVERIFY2(partition.said.contains(QStringLiteral("Slurm gives no nodes: invalid partition specified: nobody")),
                 qPrintable(partition.said));
        Search closed(*m_cluster, search(log, 8, QStringLiteral("slurm:partition=closed")));
        QCOMPARE(closed.ended(), 1);
        QVERIFY2(closed.said.contains(QStringLiteral("Slurm gives no nodes: Job submit/allocate failed: Invalid user")),
                 qPrintable(closed.said));
        Search many(*m_cluster, search(log, 8, QStringLiteral("slurm:nodes=17")));
        QVERIFY2(many.says(QStringLiteral("as it is asked for it may never start: fewer nodes")),
                 qPrintable(many.said));
        ::kill(static_cast<pid_t>(many.process.processId()), SIGINT);
        QVERIFY2(many.ended(30) == 1, qPrintable(many.said));
        QVERIFY(noJobs(20));
        Search word(*m_cluster, search(log, 8, QStringLiteral("slurm:node=3")));
        QCOMPARE(word.ended(), 2);
        QVERIFY2(word.said.contains(QStringLiteral("'node=3' is not known; nodes=N, ")), qPrintable(word.said));
        QProcess none;
        QProcessEnvironment environment = m_cluster->environment();
        environment.insert(QStringLiteral("PATH"), QStringLiteral("/nowhere"));
        none.setProcessEnvironment(environment);
        none.start(kCli, QStringList{QStringLiteral("tune")} + search(log, 8, QStringLiteral("slurm")));
        QVERIFY(none.waitForFinished(60000));
        QCOMPARE(none.exitCode(), 1);
        const QString said = QString::fromUtf8(none.readAllStandardError());
        QVERIFY2(
            said.contains(QStringLiteral("salloc cannot be started: there is no such program; the runner slurm needs "
                                         "Slurm's commands (Debian: slurm-client)")),
            qPrintable(said));
    }
};

LOOPSCOPE_TEST(SlurmTest)
} // namespace loopscope

#include "slurm_test.moc"
