#pragma once
// Fusing all reduce iterators of a stage into one, as rfactor and cross-thread reduction need it.

#include "schedule/loop_state.h"

namespace loopscope {

struct FusedReduction {
    LoopState state;
    IterId iter;     // the one reduce iterator left
    int spatial = 0; // number of spatial iterators in front of it
};
FusedReduction fuseReduction(const LoopState &state, StageId stage);

} // namespace loopscope
