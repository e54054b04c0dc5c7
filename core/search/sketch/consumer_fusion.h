#pragma once
// A tiled stage computed inside the tiles of its element-wise consumer: what the rules of tiling have in common.

#include "search/sketch/sketch_rule.h"

#include <string_view>
#include <vector>

namespace loopscope {

/// SSRSRS, say: how stages are tiled on this kind of target.
std::string_view tileStructure(const SketchContext &context);

/// The levels of tiles of the consumer at which the stage can be computed; none: its tiles do not line up.
std::vector<int> fusionLevels(const SketchContext &context, const LoopState &state, StageId stage, StageId consumer);

/// The stage tiled (`innermost` as for tileStage) and computed at each of these levels.
SketchResults tileIntoConsumer(const SketchContext &context, const LoopState &state, StageId stage, StageId consumer,
                               int innermost = -1);

} // namespace loopscope
