#pragma once
// GPU threads in a schedule for a processor that has none: logs of both kinds of targets look alike, and a binding that
// no code can honour would make stages refer to threads that never exist.

#include "base/outcome.h"
#include "schedule/step.h"

#include <optional>

namespace loopscope {

/// Names the first step that binds a loop to blocks, threads or virtual threads; nothing when none does.
std::optional<Refusal> gpuBindingIn(const Steps &steps);

} // namespace loopscope
