#pragma once
// A cluster of three nodes on this machine: munged, slurmctld and three slurmd, everything in one folder, gone with it.
// Nodes share the cores of the machine; it is their bookkeeping that tests look at.

#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <map>
#include <memory>

namespace loopscope {

class SlurmCluster {
  public:
    /// Why there can be none here ("slurmd is not installed ..."); empty: there can.
    static QString whyNot();

    SlurmCluster();
    ~SlurmCluster();
    SlurmCluster(const SlurmCluster &) = delete;
    SlurmCluster &operator=(const SlurmCluster &) = delete;

    /// Waits until all nodes are idle; what is wrong, or empty.
    QString start();
    /// With SLURM_CONF, for programs that talk to it.
    [[nodiscard]] QProcessEnvironment environment() const;
    /// One of Slurm's commands; what it printed.
    [[nodiscard]] QString run(const QStringList &words) const;
    /// "n2": its slurmd, and what runs under it. By SIGKILL.
    void kill(const QString &node);
    void startNode(const QString &node);
    void restartController();
    /// SIGSTOP to the worker that serves there; false: there is none.
    bool stopWorker(const QString &node);
    /// What its slurmd writes from now on comes to an end after a few bytes, as on a full disk; or no more.
    void fillDisk(const QString &node, bool full);
    [[nodiscard]] bool idle(int nodes) const;
    [[nodiscard]] int jobs() const; // that are pending or run

  private:
    void startController();
    [[nodiscard]] QStringList processesOf(const QString &node) const;
    QTemporaryDir m_folder;
    QString m_conf;
    std::map<QString, std::unique_ptr<QProcess>> m_daemons;
};

} // namespace loopscope
