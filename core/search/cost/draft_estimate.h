#pragma once
// A rough analytic estimate of a nest's run time: what a candidate is worth before anything of its task has been
// measured, and what the learned model leans on while it has seen little (the draft-then-verify idea of Pruner, ASPLOS
// 2025). Each kind of target has its own, or none: then the search relies on measurements and chance from the start.
// Not a simulator: only the order of candidates of one task matters.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

namespace loopscope {

/// Of a nest as buildLoopNest makes it; > 0. The unit is the estimate's own.
using DraftEstimate = double (*)(const LoopProgram &nest, const Target &target);

/// Null for kinds of target without one.
DraftEstimate draftEstimateFor(TargetKind kind);

} // namespace loopscope
