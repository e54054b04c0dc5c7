#pragma once
// The worker processes that measure candidates: build workers and one runner. A crew serves any number of tasks, whose
// measurers take turns: workers are started once, and each is told of a task before its first job of it.

#include "isolate/child_process.h"
#include "measure/build_pool.h"
#include "measure/measurer.h"
#include "measure/run_client.h"

#include <memory>

namespace loopscope {

/// For one measurement at a time.
class WorkerCrew {
  public:
    explicit WorkerCrew(const MeasureOptions &options);
    WorkerCrew(const WorkerCrew &) = delete;
    WorkerCrew &operator=(const WorkerCrew &) = delete;

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

/// What measures the task's candidates by this crew, with the time limits and settings of the crew's options.
std::unique_ptr<Measurer> makeCrewMeasurer(std::shared_ptr<WorkerCrew> crew, const Task &task);

} // namespace loopscope
