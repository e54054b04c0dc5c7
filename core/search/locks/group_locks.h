#pragma once
// A search confined to one group of a grouping: every stage outside it keeps the steps it has. The stages are those of
// the grouping, or any that somebody names.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "schedule/grouping/group.h"
#include "schedule/locks/schedule_locks.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// What is computed together. Stages inlined before grouping belong to none.
struct StageGroup {
    std::string output;                     // the stage it ends in
    std::vector<std::string> others;        // in the order of the DAG
    [[nodiscard]] std::string text() const; // "output (with gray, blur_y, ratio)"
};

/// In the order of the grouping.
std::vector<StageGroup> stageGroups(const Grouping &grouping);

/// The stages that `words` mean: one names the group that ends in it, several, with commas between, are a group of
/// their own. Refused where there is no such stage, and where no group ends in it.
Outcome<std::vector<std::string>> stagesOfGroup(const DagPtr &dag, const std::vector<StageGroup> &groups,
                                                std::string_view words);

/// Locks every step of the schedule whose stage is none of `stages`; the locks of `already` are kept beside them.
Outcome<ScheduleLocks> locksOutside(const DagPtr &dag, const Steps &schedule, const std::vector<std::string> &stages,
                                    const ScheduleLocks &already = {});

} // namespace loopscope
