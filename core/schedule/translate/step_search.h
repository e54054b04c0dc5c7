#pragma once
// Which step made what a state shows, for sentences that name it: steps count the stages there were when they were
// applied, a state counts those there are now.

#include "schedule/loop_state.h"

#include <functional>
#include <string>

namespace loopscope {

/// `step 7 (CA)`: the last step of that stage for which `made` holds; `stage C` when there is none.
std::string namedStep(const LoopState &state, StageId stage, const std::function<bool(const Step &)> &made);

} // namespace loopscope
