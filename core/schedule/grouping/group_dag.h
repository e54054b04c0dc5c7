#pragma once
// The whole way from a workload to its grouping, for whoever has no pipeline of his own making.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "schedule/grouping/group.h"
#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/loop_plan.h"

#include <optional>
#include <vector>

namespace loopscope {

struct GroupingOptions {
    GroupingMode mode = GroupingMode::Fixed;
    /// Nothing: that of the target, whose vectors are counted with in fixed mode whatever is given.
    std::optional<MachineParameters> machine;
};

/// In compat mode pictures have the sizes of Halide's programs, which are known at run time alone.
Grouping groupDag(const DagPtr &dag, const Target &target, const GroupingOptions &options,
                  const MergeListener &listener = {});

/// The loops a grouping comes to on the target. Kernels of a GPU are told by their steps alone: their plans say which
/// members have loops, and nothing of these.
std::vector<GroupPlan> planOn(const Target &target, const Grouping &grouping);
/// As a loop state (grouped_schedule.h, gpu_grouped_schedule.h).
Outcome<GroupedSchedule> scheduleOn(const Target &target, const Grouping &grouping,
                                    const std::vector<GroupPlan> &plans);

} // namespace loopscope
