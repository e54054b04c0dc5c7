#pragma once
// Multi-level tiling of a stage by a structure such as SSRSRS, and a consumer that follows the tiling.

#include "schedule/loop_state.h"

#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// Splits every loop into as many levels as the structure has letters of its kind (lengths open) and reorders the parts
/// level by level. Returns the state and the numbers of the spatial SP steps.
std::pair<LoopState, std::vector<StepId>> tileStage(const LoopState &state, StageId stage, std::string_view structure);

/// Splits the loops of a purely spatial stage like the tiled one, `levels` parts deep, and reorders them.
LoopState followTiling(const LoopState &state, StageId stage, const std::vector<StepId> &splits, int levels);

} // namespace loopscope
