#pragma once
// The analytic estimate (draft_estimate.h) for GPUs: how long the busiest multiprocessor works on its blocks, given how
// many of them run at once, or how long the memories take to deliver, whichever is longer; and the launches.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"
#include "search/cost/cycle_parts.h"

#include <vector>

namespace loopscope {

/// Cycles of the GPU's clock; > 0.
double gpuCycles(const LoopProgram &nest, const Target &target);
/// The same cycles one by one.
std::vector<CyclePart> gpuCycleParts(const LoopProgram &nest, const Target &target);

} // namespace loopscope
