#pragma once
// Multi-level tiling of a stage by a structure such as SSRSRS, and a consumer that follows the tiling.

#include "schedule/loop_state.h"

#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// Splits every loop into as many levels as the structure has letters of its kind (lengths open) and reorders the parts
/// level by level. Returns the state and the numbers of the spatial SP steps. The part of the loop `innermost` (its
/// number in the stage) comes last of the innermost spatial level; -1: the parts keep the order of the loops.
std::pair<LoopState, std::vector<StepId>> tileStage(const LoopState &state, StageId stage, std::string_view structure,
                                                    int innermost = -1);

/// Of the levels wanted, those at which `stage`, tiled by the structure, can be computed inside the tiles of a consumer
/// that follows: its loops are spatial, each has a split to follow, and there is a loop of that level.
std::vector<int> levelsToFollow(const LoopState &state, StageId stage, StageId consumer, std::string_view structure,
                                const std::vector<int> &wanted);

/// Splits the loops of such a consumer like the tiled stage, `levels` parts deep, and reorders them.
LoopState followTiling(const LoopState &state, StageId stage, const std::vector<StepId> &splits, int levels);

} // namespace loopscope
