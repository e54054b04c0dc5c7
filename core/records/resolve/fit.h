#pragma once
// Do the steps of a record fit a workload? Replaying alone does not tell: a split of a loop of 56 replays on a loop of
// 28 as well. Here every split has to name the extent of the loop it splits.

#include "base/outcome.h"
#include "schedule/loop_state.h"

namespace loopscope {

/// The state the steps make of the DAG. The refusal names the first step that does not apply, what the record says and
/// what is there (stage, loop, extents), and what that means: another shape, another layout, other stages.
Outcome<LoopState> fit(const Steps &steps, const DagPtr &dag);

} // namespace loopscope
