#pragma once
// What a schedule may do and TensorIR cannot say, or what TVM would make a wrong program of.

#include "base/outcome.h"
#include "schedule/loop_state.h"

#include <optional>

namespace loopscope {

/// A sentence that names the step, where the stage cannot be exported as it is.
std::optional<Refusal> whyNotTensorIr(const LoopState &state, StageId id);

} // namespace loopscope
