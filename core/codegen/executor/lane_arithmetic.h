#pragma once
// Operations on values in all lanes, rounded as a machine of the type rounds: float32 in float32, float16 and bfloat16
// after every operation, integers wrapped.

#include "codegen/executor/lane_frame.h"

namespace loopscope {

/// A SimtOp::Value.
void executeLaneValue(const SimtInstruction &in, LaneFrame &frame);
/// dst = args[0], in memory of its own.
void copyLanes(const SimtInstruction &in, LaneFrame &frame);

} // namespace loopscope
