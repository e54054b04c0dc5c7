#pragma once
// The role `plan` of loopscope-worker: runs an execution plan in a process of its own, so that code that goes wrong
// takes nothing else with it. It tells what every call takes and, when asked, what every call computed.

#include "outcome.h"
#include "plan/execution_plan.h"
#include "plan/profile.h"
#include "tensor/host_tensor.h"
#include "tensor/mapped_file.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct PlanRunRequest {
    std::string plan; // its file (plan_file.h)
    int threads = 0;  // <= 0: as many as the machine has
    int warmups = 2;
    int runs = 10;                   // that are timed whole, and as many call by call; 0: none is
    std::string values;              // a file that takes what every call computed; empty: nobody asks
    std::vector<std::string> inputs; // bytes of each
};

/// Runs it; refused with what became of the process where it ended before its answer, and when cancelled.
Outcome<PlanProfile> runPlanInWorker(const PlanRunRequest &request, const std::atomic<bool> *cancel = nullptr);

/// What the calls computed, from the file that a worker wrote: by call, then by output.
class CallValues {
  public:
    /// The plan outlives it. Throws Error where the file is not of that plan.
    CallValues(const ExecutionPlan &plan, const std::string &path);
    [[nodiscard]] HostTensor value(size_t call, size_t output) const;

  private:
    const ExecutionPlan &m_plan;
    std::shared_ptr<const MappedFile> m_file;
    std::vector<std::vector<size_t>> m_offsets;
};

/// The worker's side; returns the exit code.
int servePlan();

} // namespace loopscope
