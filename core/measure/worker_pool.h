#pragma once
// The worker processes that measure candidates: build workers and one runner. A pool serves any number of tasks, whose
// measurers take turns: workers are started once, and each is told of a task before its first job of it.

#include "base/isolate/child_process.h"
#include "measure/build_pool.h"
#include "measure/measurer.h"
#include "measure/run_client.h"

#include <memory>

namespace loopscope {

/// For one measurement at a time.
class WorkerPool {
  public:
    explicit WorkerPool(const MeasureOptions &options);
    WorkerPool(const WorkerPool &) = delete;
    WorkerPool &operator=(const WorkerPool &) = delete;

    /// The task's number in requests. Throws Error when the workers cannot start, or cannot take the task. `dataFd`: as
    /// in RunClient::add.
    int add(const Task &task, int dataFd = -1);
    [[nodiscard]] const MeasureOptions &options() const { return m_options; }
    [[nodiscard]] BuildPool &builds() { return m_builds; }
    [[nodiscard]] RunClient &runs() { return m_runs; }

  private:
    MeasureOptions m_options;
    int m_tasks = 0;
    SpawnThread m_spawner; // outlives the workers it started
    RunClient m_runs;
    BuildPool m_builds;
};

/// What measures the task's candidates by this pool, with the time limits and settings of the pool's options.
std::unique_ptr<Measurer> makePoolMeasurer(std::shared_ptr<WorkerPool> pool, const Task &task);

} // namespace loopscope
