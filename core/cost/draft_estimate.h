#pragma once
// A rough analytic estimate of a nest's run time: what a candidate is worth before anything of its task has been
// measured, and what the learned model leans on while it has seen little (the draft-then-verify idea of Pruner, ASPLOS
// 2025).
//
// Counts per store the multiply-add, load and latency cycles of the register tile inside the innermost reduction, the
// traffic through each cache level, and the imbalance of the parallel loop. Not a simulator: only the order of
// candidates of one task matters.

#include "loop_ir/program.h"
#include "target/target.h"

namespace loopscope {

/// Cycles on the busiest core; > 0.
double draftCycles(const LoopProgram &nest, const Target &target);

} // namespace loopscope
