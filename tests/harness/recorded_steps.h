#pragma once
// States for tests from steps as logs write them.

#include "schedule/loop_state.h"

namespace loopscope {

/// Steps as JSON; throws what the replay refuses.
LoopState stateOf(const DagPtr &dag, const char *steps);

} // namespace loopscope
