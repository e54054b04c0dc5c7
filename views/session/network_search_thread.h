#pragma once
// The thread that the search of a network runs on: the tasks found out and looked up in the log, then core's search of
// all of them, which writes every trial to the log before anybody hears of it.

#include "search/search_control.h"
#include "search/search_observer.h"
#include "views/session/event_queue.h"
#include "views/session/network_kernels.h"
#include "views/session/network_progress.h"
#include "views/session/search_thread.h"
#include "workbench/network_search.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace loopscope {

/// The tasks as they are searched, in the order by which events number them, with what the log has of them.
struct TasksKnown {
    std::vector<NetworkTaskProgress> tasks;
    std::vector<TaskChoiceGroup> groups = {}; // those that are forms of one node
};
using NetworkEvent = std::variant<SearchEvent, TasksKnown, PeaksBegun, PeaksMeasured, LogRewritten, SearchNote,
                                  FleetTold, FleetOpened, SearchEnded>;

using NetworkMeasurerFactory = std::function<std::unique_ptr<Measurer>(const Task &)>;

struct NetworkSearchOrder {
    QString name; // of the network, for people
    NetworkKernelsPtr kernels;
    NetworkTuningSetup setup;
    QString logPath;
    std::map<std::string, TaskSteering> steering; // by key, from the beginning
    std::optional<MachinePeaks> peaks;            // none: measured first
    PeaksMeasurer measurePeaks;
    NetworkMeasurerFactory makeMeasurer; // empty: isolated workers
};

/// Tasks of a network on this machine's processor with what a log has of them; `log` empty: nothing. Throws Error when
/// it cannot be read.
NetworkSearch searchOfTasks(const NetworkKernels &kernels, const std::optional<MachinePeaks> &peaks, const QString &log,
                            std::vector<std::string> &notes);
std::vector<NetworkTaskProgress> tunedTasks(const NetworkSearch &search, const QString &log);

class NetworkSearchThread {
  public:
    explicit NetworkSearchThread(NetworkSearchOrder order);
    ~NetworkSearchThread(); // cancels and waits
    NetworkSearchThread(const NetworkSearchThread &) = delete;
    NetworkSearchThread &operator=(const NetworkSearchThread &) = delete;

    [[nodiscard]] SearchControl &control() { return m_control; }
    std::vector<NetworkEvent> take(size_t most) { return m_events.take(most); }
    /// Takes hold with the next round, also where the tasks are not known yet.
    void steer(const std::string &key, const TaskSteering &steering);

  private:
    void run();
    void search();
    /// What measures the tasks; nothing: it was cancelled while nodes were waited for.
    std::optional<NetworkSearchOptions> options(int64_t weightBytes);

    NetworkSearchOrder m_order;
    std::shared_ptr<Fleet> m_fleet; // of the thread
    SearchControl m_control;
    EventQueue<NetworkEvent> m_events;
    void steerAll(const std::string &key, const TaskSteering &steering); // m_steering is held
    std::mutex m_steering;                                               // of what stands below
    /// By key, once the tasks are known: two tasks that differ in constants alone have one key.
    std::multimap<std::string, int> m_numbers;
    std::thread m_thread;
};

} // namespace loopscope
