#pragma once
// On which machine a schedule was timed, and how that is known: a time says little without it.

#include "views/session/document.h"

#include <optional>

namespace loopscope {

/// Seconds of one call as shown; none: it was not timed, or failed.
std::optional<double> timedSeconds(const TaskState &state, const ScheduleRef &ref);
/// "measured here: AMD EPYC 7B13", "on gpubox: NVIDIA A100 ...", "as logged for llvm -mcpu=znver3"; "by the
/// executor on this processor" where it was only checked; empty: nothing was run of it, or it is not known where.
QString measuredWhere(const TaskState &state, const ScheduleRef &ref);

} // namespace loopscope
