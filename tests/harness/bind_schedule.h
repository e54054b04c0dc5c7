#pragma once
// Makes a schedule for a GPU of any concrete one: leading loops of the stages at root are bound to blocks, virtual
// threads and threads, loops of what is computed for a whole block to its threads. Drawn at random; what the schedule
// refuses is left out, and what no kernel can be made of is lowering's to refuse.

#include "base/random.h"
#include "schedule/loop_state.h"

namespace loopscope {

/// Refused when the bounds of what was drawn do not exist.
Outcome<LoopState> boundToThreads(LoopState state, Random &random, int64_t maxThreads);

} // namespace loopscope
