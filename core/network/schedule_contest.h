#pragma once
// Schedules chosen where they run. How long a kernel takes depends on where the one before left its data: in which
// thread's caches, in which part of memory. So the schedules that are fast alone are timed inside the network, each
// with what follows it, and the fastest there is taken; one task after the other, as what is chosen for one changes
// what the next one finds.

#include "graph/function.h"
#include "network/build.h"
#include "outcome.h"
#include "partition/partition.h"
#include "plan/execution_plan.h"
#include "plan/memory_plan.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loopscope {

/// What there is to choose from for the kernels of one task; the first is what would be taken without a contest.
using TaskAlternatives = std::vector<PlanKernel>;

struct ContestResult {
    std::vector<size_t> chosen; // by task, among its alternatives
    std::vector<ContestTrial> trials;
    double secondsBefore = 0; // of a run with the first of each
    double seconds = 0;       // of one with those chosen, timed in turn with that
};

/// The machine is this thread's alone meanwhile. An alternative whose answer differs from the first one's by more than
/// sums in another order do takes no part. Where a run with all that was chosen is no faster, nothing is changed.
/// Refused when it is cancelled.
Outcome<ContestResult> contestSchedules(const GraphFunction &function, const Partition &partition,
                                        const MemoryPlan &memory, const std::vector<KernelTask> &tasks,
                                        const Target &target, const std::vector<TaskAlternatives> &alternatives,
                                        const ContestOptions &options);

} // namespace loopscope
