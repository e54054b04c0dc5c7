#pragma once
// The analytic estimate (draft_estimate.h) for processors with caches and vector registers.

#include "loop_ir/program.h"
#include "target/target.h"

namespace loopscope {

/// Cycles on the busiest core; > 0.
double processorCycles(const LoopProgram &nest, const Target &target);

} // namespace loopscope
