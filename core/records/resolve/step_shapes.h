#pragma once
// The oldest keys tell no shapes, but records do: whoever tiles an op splits each of its loops, and a split names the
// extent of its loop.

#include "records/resolve/task_key.h"
#include "schedule/step.h"

#include <string>
#include <vector>

namespace loopscope {

/// Keys of that hash with shapes that a record of these steps may have: of matrix products and convolutions with what
/// is often fused behind them, and of softmax. The likeliest first; empty when nothing is tiled that way.
std::vector<TaskKey> keysFromSteps(const std::string &hash, const Steps &steps);

} // namespace loopscope
