#pragma once
// What a candidate for a GPU needs beyond one for processors, known from its bounded state alone, before a loop nest is
// made of it.

#include "base/outcome.h"
#include "codegen/lower/lower.h"
#include "language/target/kernel_needs.h"
#include "language/target/target.h"
#include "schedule/bound_inference.h"
#include "schedule/step.h"

#include <optional>
#include <vector>

namespace loopscope {

/// Of each stage at root that is computed with what is inside it: what its kernel asks for.
struct StageKernel {
    StageId root;
    KernelNeeds needs;
    bool bound = false; // some loop of it is blocks or threads
};
std::vector<StageKernel> stageKernelsOf(const BoundedState &bounded);

/// The first kernel that asks for more than a block or thread of the target has.
std::optional<Refusal> limitExceeded(const BoundedState &bounded, const Target &target);

/// Gives rows that a stage asks to be set apart in memory the length they will have there, for who counts how lanes
/// meet in banks. Of a nest whose features are taken: they know of no padding.
void padRows(LoopProgram &nest, const LoopState &state);

/// Split extents behind the last step that adds a stage, as they are in the state. What a block fetches follows from
/// its tiles: where those were changed, the logged extent is one of before (Ansor leaves it so, and then factors the
/// wrong number).
void knowLateExtents(Steps &steps, const BoundedState &bounded);

} // namespace loopscope
