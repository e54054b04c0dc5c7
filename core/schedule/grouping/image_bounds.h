#pragma once
// Pictures whose size is known at run time alone, as in Halide's programs: a clamp to the edge of an input then costs
// two operations more than one to constants, for `(min + extent) - 1`. The DAG knows all sizes, so a comparison with
// Halide has to ask for it.

#include "schedule/grouping/pipeline.h"

namespace loopscope {

/// Clamps to the first and last element of an input become clamps to parameters. Before grouping.
void boundImagesAtRunTime(Pipeline &pipeline);

} // namespace loopscope
