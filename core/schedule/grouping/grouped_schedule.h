#pragma once
// A grouping as a loop state: ordinary steps, so that it replays, prints, lowers and is measured like any schedule.

#include "base/outcome.h"
#include "schedule/grouping/loop_plan.h"
#include "schedule/loop_state.h"

#include <string>
#include <vector>

namespace loopscope {

struct GroupedSchedule {
    LoopState state;
    /// Where a step had to differ from the plan, and why; a sentence each.
    std::vector<std::string> notes;
};

/// Stages inlined, outputs of groups cut and annotated, members attached to them. Where a stage has initial values and
/// updates, one nest does both, and it follows the plan of the updates.
Outcome<GroupedSchedule> groupedSchedule(const Grouping &grouping, const std::vector<GroupPlan> &plans);

} // namespace loopscope
