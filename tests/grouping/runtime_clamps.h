#pragma once
// Pipelines whose clamps to the edge have bounds that are known at run time alone, as those of Halide's tests have: two
// operations more for each clamp than with constants.

#include "grouping/pipeline.h"

namespace loopscope {

/// Clamps with constants, in loads of inputs, become clamps to `min` and `(min + extent) - 1` of parameters.
void useRuntimeClamps(Pipeline &pipeline);

} // namespace loopscope
