#pragma once
// The analytic estimate (draft_estimate.h) for processors with caches and vector registers.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"
#include "search/cost/cycle_parts.h"

#include <vector>

namespace loopscope {

/// Cycles on the busiest core; > 0.
double processorCycles(const LoopProgram &nest, const Target &target);
/// The same cycles one by one.
std::vector<CyclePart> processorCycleParts(const LoopProgram &nest, const Target &target);

} // namespace loopscope
