#pragma once
// The search of a network: one at a time, and never beside a search of a workload, as both measure. What is wanted of
// its tasks is kept by their keys, before, during and after it, so that a search may begin with some of them excluded;
// so is what a log has of them.

#include "views/session/network_progress.h"
#include "views/session/network_search_thread.h"
#include "views/session/search_nodes.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace loopscope {

class Jobs;
class MeasuredPeaks;
class Messages;
class OpenNetworks;
class Settings;

class NetworkTuning : public QObject {
    Q_OBJECT

  public:
    struct Parts {
        OpenNetworks &networks;
        MeasuredPeaks &peaks;
        Settings &settings;
        Messages &messages;
        Jobs &jobs;
        std::function<QString()> machineUse; // who else has the machine, as a clause; empty: nobody
    };
    explicit NetworkTuning(Parts parts);
    ~NetworkTuning() override; // stops the search, waits; what was measured is in its log

    [[nodiscard]] NetworkTuningSetup setup() const;
    void setSetup(const NetworkTuningSetup &setup);
    /// Of a network that is open; of any other, nothing.
    [[nodiscard]] const NetworkProgress &progress(int network) const;
    /// By key of the task.
    [[nodiscard]] const std::map<std::string, TaskSteering> &steered(int network) const;
    [[nodiscard]] TaskSteering steering(int network, const std::string &key) const;
    /// Takes hold with the next round.
    void steer(int network, const std::string &key, const TaskSteering &steering);
    /// Where trials go to; what it has of the tasks is looked up at once. Empty: a new one.
    void setLog(int network, const QString &path);

    /// As a session file has it: times of the tasks come from its log.
    void restore(int network, NetworkProgress kept, std::map<std::string, TaskSteering> steered);

    /// As a clause; empty: it can.
    [[nodiscard]] QString whyNotStart(int network) const;
    void start(int network);
    void pause();
    void resume();
    void stop();
    /// The network that is searched; 0: none.
    [[nodiscard]] int searched() const { return m_search ? m_network : 0; }
    [[nodiscard]] const SearchNodes &nodes() const { return m_nodes; }
    /// Runs it as a whole, with the best schedules of its log.
    void measure(int network);
    /// "a network is being searched"; empty: nothing is measured here.
    [[nodiscard]] QString machineUse() const;
    /// Instead of isolated workers; for tests.
    void setMeasurerFactory(NetworkMeasurerFactory factory) { m_makeMeasurer = std::move(factory); }

  signals:
    void changed(int network);
    void machineUseChanged();

  private:
    void forgetClosed();
    void lookIntoLog(int network);
    void drain();
    void take(NetworkProgress &progress, const NetworkEvent &event);
    void take(NetworkProgress &progress, const SearchEvent &event);
    void end(NetworkProgress &progress, const SearchEnded &end);
    void tellMissing(const NetworkProgress &progress, const QString &name);

    struct Tuned {
        NetworkProgress progress;
        std::map<std::string, TaskSteering> steered;
        int reading = 0;     // the job that looks into the log
        bool unread = false; // it is to be looked into once the kernels are known
    };
    Parts m_parts;
    std::map<int, Tuned> m_tuned; // by network
    NetworkMeasurerFactory m_makeMeasurer;
    std::unique_ptr<NetworkSearchThread> m_search;
    SearchNodes m_nodes;
    int m_network = 0;
    int m_measuring = 0; // the job that runs a network as a whole
    QElapsedTimer m_since;
    QTimer m_drain;
};

} // namespace loopscope
