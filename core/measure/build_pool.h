#pragma once
// Build workers: persistent children, each compiling one candidate at a time, of whichever task it belongs to. One that
// crashes or takes too long costs that candidate and is replaced.

#include "base/isolate/child_process.h"
#include "measure/measurer.h"
#include "measure/messages.h"

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

class BuildPool {
  public:
    BuildPool(SpawnThread &spawner, std::string path, int workers, double timeout);
    ~BuildPool();
    BuildPool(const BuildPool &) = delete;
    BuildPool &operator=(const BuildPool &) = delete;

    /// Waits until every worker knows the task; the first one starts the workers. Throws Error when they cannot start
    /// or cannot take it. `setup.task` is what the task's requests name.
    void add(SetupMessage setup);
    [[nodiscard]] size_t workers() const { return m_workers.size(); }

    /// One reply per request; nothing for those that a cancel came before.
    std::vector<std::optional<BuildReply>> build(const std::vector<BuildRequest> &requests, const MeasureWatch &watch);

  private:
    using Clock = std::chrono::steady_clock;
    struct Worker {
        std::unique_ptr<ChildProcess> child;
        std::set<int> known;        // tasks
        std::optional<int> pending; // a task that was sent and not answered yet
        std::optional<size_t> job;
        std::optional<uint64_t> memoryKills; // when it got job or set-up
        Clock::time_point started;           // job or set-up
        [[nodiscard]] bool idle() const { return !pending && !job; }
    };
    struct Batch;

    /// A new process, which is sent the task at once.
    void start(Worker &worker, int task);
    void sendSetup(Worker &worker, int task); // replaces a worker that died meanwhile
    void handOut(Batch &batch, Worker &worker);
    void take(Batch &batch, Worker &worker);
    void takeMessage(Batch &batch, Worker &worker, const std::string &message);
    /// Its process was ended by somebody: another one has the job, or the task, again. False when that was often
    /// enough.
    bool tryAgain(Batch &batch, Worker &worker);
    void lose(Batch &batch, Worker &worker, TrialError error, const std::string &reason);
    [[nodiscard]] const SetupMessage &setupOf(int task) const;

    SpawnThread &m_spawner;
    std::string m_path;
    double m_timeout;
    std::vector<SetupMessage> m_tasks;
    std::vector<Worker> m_workers;
    int m_startsKilled = 0; // workers that somebody ended before they were ready, one after the other
};

} // namespace loopscope
