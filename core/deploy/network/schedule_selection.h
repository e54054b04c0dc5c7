#pragma once
// Schedules chosen where they run (deploy/plan/plan_selection.h), in a process of its own: the plan of a network with
// all alternatives of its kernels, and what became of each.

#include "base/outcome.h"
#include "deploy/network/build.h"
#include "deploy/plan/execution_plan.h"
#include "deploy/plan/memory_plan.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstddef>
#include <vector>

namespace loopscope {

/// What there is to choose from for the kernels of one task; the first is what would be taken without selecting in
/// context.
using TaskAlternatives = std::vector<PlanKernel>;

struct SelectionResult {
    std::vector<size_t> chosen; // by task, among its alternatives
    std::vector<SelectionTrial> trials;
    double secondsBefore = 0; // of a run with the first of each
    double seconds = 0;       // of one with those chosen, timed in turn with that
};

/// Nothing else runs on the machine meanwhile. An alternative whose answer differs from the first one's by more than
/// sums in another order do takes no part. Where a run with all that was chosen is no faster, nothing is changed.
/// Refused when it is cancelled, and with what became of its process. Throws Error where the plan cannot be written.
Outcome<SelectionResult> selectSchedules(const GraphFunction &function, const Partition &partition,
                                         const MemoryPlan &memory, const std::vector<KernelTask> &tasks,
                                         const Target &target, const std::vector<TaskAlternatives> &alternatives,
                                         const SelectionOptions &options);

} // namespace loopscope
