#pragma once
// What a schedule may do and Halide cannot say, whatever the stages compute.

#include "base/outcome.h"
#include "schedule/loop_state.h"

#include <optional>

namespace loopscope {

/// A sentence that names the step, where the stage cannot be exported as it is.
std::optional<Refusal> whyNotHalide(const LoopState &state, StageId id);

} // namespace loopscope
