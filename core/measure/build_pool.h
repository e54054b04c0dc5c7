#pragma once
// Build workers: persistent children, each compiling one candidate at a time. One that crashes or takes too long costs
// that candidate and is replaced.

#include "isolate/child_process.h"
#include "measure/measurer.h"
#include "measure/messages.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

class BuildPool {
  public:
    /// Starts the workers and waits until they know the task. Throws Error when they cannot.
    BuildPool(SpawnThread &spawner, std::string path, SetupMessage setup, int workers, double timeout);
    ~BuildPool();
    BuildPool(const BuildPool &) = delete;
    BuildPool &operator=(const BuildPool &) = delete;

    [[nodiscard]] size_t workers() const { return m_workers.size(); }

    /// One reply per request; nothing for those that a cancel came before.
    std::vector<std::optional<BuildReply>> build(const std::vector<BuildRequest> &requests, const MeasureWatch &watch);

  private:
    using Clock = std::chrono::steady_clock;
    struct Worker {
        std::unique_ptr<ChildProcess> child;
        bool ready = false;
        std::optional<size_t> job;
        Clock::time_point started;
    };
    struct Batch;

    void start(Worker &worker);
    void handOut(Batch &batch, Worker &worker);
    void take(Batch &batch, Worker &worker);
    void lose(Batch &batch, Worker &worker, TrialError error, const std::string &reason);

    SpawnThread &m_spawner;
    std::string m_path;
    SetupMessage m_setup;
    double m_timeout;
    std::vector<Worker> m_workers;
};

} // namespace loopscope
