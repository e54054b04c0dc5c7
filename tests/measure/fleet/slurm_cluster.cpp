#include "slurm_cluster.h"

#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

namespace loopscope {

namespace {

const QStringList kNodes{QStringLiteral("n1"), QStringLiteral("n2"), QStringLiteral("n3")};

QString program(const QString &name) {
    const QString found = QStandardPaths::findExecutable(name);
    return !found.isEmpty() ? found : QStandardPaths::findExecutable(name, {QStringLiteral("/usr/sbin")});
}

QByteArray contentOf(const QString &process, const char *what) {
    QFile file(QStringLiteral("/proc/%1/%2").arg(process, QLatin1String(what)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A port that nobody has now, with three behind it.
int somePort() { return 20000 + static_cast<int>(::getpid() % 9000) * 4; }

} // namespace

QString SlurmCluster::whyNot() {
    for (const char *name : {"munged", "slurmctld", "slurmd", "salloc", "srun"})
        if (program(QLatin1String(name)).isEmpty())
            return QStringLiteral("%1 is not installed; packaging/test-fleet installs it").arg(QLatin1String(name));
    if (::geteuid() != 0) return QStringLiteral("slurmd starts steps as a superuser alone");
    return {};
}

SlurmCluster::SlurmCluster() = default;

SlurmCluster::~SlurmCluster() {
    (void)run({QStringLiteral("scancel"), QStringLiteral("--user=root")});
    for (const QString &node : kNodes) kill(node);
    for (auto &[name, daemon] : m_daemons) {
        daemon->kill();
        daemon->waitForFinished();
    }
}

QString SlurmCluster::start() {
    const QString folder = m_folder.path();
    for (const QString &name : kNodes) QDir(folder).mkpath(QStringLiteral("spool/") + name);
    QDir(folder).mkpath(QStringLiteral("state"));
    QDir(folder).mkpath(QStringLiteral("munge"));
    QFile::setPermissions(folder + QStringLiteral("/munge"),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther);
    QFile key(folder + QStringLiteral("/munge.key"));
    if (!key.open(QIODevice::WriteOnly)) return QStringLiteral("no key");
    QByteArray bytes(1024, '\0');
    for (char &c : bytes) c = static_cast<char>(::rand());
    key.write(bytes);
    key.close();
    key.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    const QString host = QSysInfo::machineHostName().section(u'.', 0, 0);
    const int port = somePort();
    m_conf = folder + QStringLiteral("/slurm.conf");
    QFile conf(m_conf);
    if (!conf.open(QIODevice::WriteOnly)) return QStringLiteral("no slurm.conf");
    conf.write(QStringLiteral(R"(ClusterName=loopscope
SlurmctldHost=%1(127.0.0.1)
SlurmctldPort=%3
AuthType=auth/munge
AuthInfo=socket=%2/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%2/state
SlurmdSpoolDir=%2/spool/%n
SlurmctldPidFile=%2/slurmctld.pid
SlurmdPidFile=%2/slurmd.%n.pid
SlurmctldLogFile=%2/slurmctld.log
SlurmdLogFile=%2/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=10
InactiveLimit=0
KillWait=2
NodeName=n[1-3] NodeHostname=%1 NodeAddr=127.0.0.1 Port=[%4-%5] CPUs=%6 State=UNKNOWN
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
PartitionName=closed Nodes=n[1-3] DisableRootJobs=YES MaxTime=INFINITE State=UP
)")
                   .arg(host, folder)
                   .arg(port)
                   .arg(port + 1)
                   .arg(port + 3)
                   .arg(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)))
                   .toUtf8());
    conf.close();
    auto munged = std::make_unique<QProcess>();
    munged->setStandardOutputFile(QProcess::nullDevice());
    munged->setStandardErrorFile(folder + QStringLiteral("/munged.err"));
    munged->start(program(QStringLiteral("munged")), {QStringLiteral("--foreground"), QStringLiteral("--force"),
                                                      QStringLiteral("--key-file=%1").arg(key.fileName()),
                                                      QStringLiteral("--socket=%1/munge/socket").arg(folder),
                                                      QStringLiteral("--pid-file=%1/munge/pid").arg(folder),
                                                      QStringLiteral("--log-file=%1/munge/log").arg(folder),
                                                      QStringLiteral("--seed-file=%1/munge/seed").arg(folder)});
    m_daemons[QStringLiteral("munged")] = std::move(munged);
    if (!QTest::qWaitFor([&] { return QFile::exists(folder + QStringLiteral("/munge/socket")); }, 10000))
        return QStringLiteral("munged does not start");
    startController();
    for (const QString &node : kNodes) startNode(node);
    if (!QTest::qWaitFor([&] { return idle(3); }, 60000)) {
        QFile log(folder + QStringLiteral("/slurmctld.log"));
        (void)log.open(QIODevice::ReadOnly);
        return QStringLiteral("its nodes do not become idle: ") +
               run({QStringLiteral("sinfo"), QStringLiteral("--Node"), QStringLiteral("--long")}) +
               QString::fromUtf8(log.readAll().right(2000));
    }
    return {};
}

void SlurmCluster::startController() {
    auto controller = std::make_unique<QProcess>();
    controller->setStandardOutputFile(QProcess::nullDevice());
    controller->setStandardErrorFile(m_folder.path() + QStringLiteral("/slurmctld.err"));
    controller->start(program(QStringLiteral("slurmctld")), {QStringLiteral("-D"), QStringLiteral("-f"), m_conf});
    m_daemons[QStringLiteral("slurmctld")] = std::move(controller);
}

void SlurmCluster::restartController() {
    QProcess &controller = *m_daemons[QStringLiteral("slurmctld")];
    controller.terminate();
    if (!controller.waitForFinished(20000)) controller.kill();
    startController();
}

void SlurmCluster::startNode(const QString &node) {
    auto daemon = std::make_unique<QProcess>();
    daemon->setStandardOutputFile(QProcess::nullDevice());
    daemon->setStandardErrorFile(m_folder.path() + QStringLiteral("/%1.err").arg(node));
    // A write beyond what it may write (fillDisk) fails, and does not end it.
    daemon->start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("trap '' XFSZ; exec \"$0\" \"$@\""),
                                              program(QStringLiteral("slurmd")), QStringLiteral("-D"),
                                              QStringLiteral("-f"), m_conf, QStringLiteral("-N"), node});
    m_daemons[node] = std::move(daemon);
}

void SlurmCluster::kill(const QString &node) {
    if (const auto found = m_daemons.find(node); found != m_daemons.end()) {
        found->second->kill();
        found->second->waitForFinished();
    }
    // As when a machine dies: what runs for it is gone, too, and so is what started that.
    for (const QString &entry : processesOf(node)) {
        const QList<QByteArray> stat = contentOf(entry, "stat").split(' ');
        const QString parent = QString::fromLatin1(stat.value(3));
        if (contentOf(parent, "comm").trimmed() == "slurmstepd") ::kill(parent.toInt(), SIGKILL);
        ::kill(entry.toInt(), SIGKILL);
    }
}

QStringList SlurmCluster::processesOf(const QString &node) const {
    const QByteArray mark = "SLURMD_NODENAME=" + node.toLatin1();
    const QByteArray conf = "SLURM_CONF=" + m_conf.toUtf8();
    QStringList found;
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs)) {
        const QList<QByteArray> variables = contentOf(entry, "environ").split('\0');
        if (variables.contains(mark) && variables.contains(conf)) found.push_back(entry);
    }
    return found;
}

bool SlurmCluster::stopWorker(const QString &node) {
    for (const QString &entry : processesOf(node)) {
        if (!contentOf(entry, "cmdline").split('\0').contains("serve")) continue;
        ::kill(entry.toInt(), SIGSTOP);
        return true;
    }
    return false;
}

void SlurmCluster::fillDisk(const QString &node, bool full) {
    const rlimit limit{full ? 16 : RLIM_INFINITY, RLIM_INFINITY};
    ::prlimit(static_cast<pid_t>(m_daemons[node]->processId()), RLIMIT_FSIZE, &limit, nullptr);
}

QProcessEnvironment SlurmCluster::environment() const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("SLURM_CONF"), m_conf);
    for (const QString &name : environment.keys())
        if (name.startsWith(QStringLiteral("SLURM_JOB"))) environment.remove(name);
    return environment;
}

QString SlurmCluster::run(const QStringList &words) const {
    QProcess process;
    process.setProcessEnvironment(environment());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(words.front(), words.mid(1));
    process.waitForFinished(30000);
    return QString::fromUtf8(process.readAll());
}

bool SlurmCluster::idle(int nodes) const {
    return run({QStringLiteral("sinfo"), QStringLiteral("--noheader"), QStringLiteral("--states=idle"),
                QStringLiteral("--format=%D")})
               .trimmed()
               .toInt() == nodes;
}

int SlurmCluster::jobs() const {
    return static_cast<int>(run({QStringLiteral("squeue"), QStringLiteral("--noheader"), QStringLiteral("--format=%i")})
                                .split(u'\n', Qt::SkipEmptyParts)
                                .size());
}

} // namespace loopscope
