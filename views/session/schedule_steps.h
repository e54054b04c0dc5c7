#pragma once
// The steps of a schedule of a task, wherever it comes from: a copy that can be edited, and that knows its state.

#include "views/session/document.h"

#include <optional>

namespace loopscope {

/// None when the task is not understood, or has no such schedule.
std::optional<EditedSteps> editableSteps(const TaskState &state, const ScheduleRef &ref);

} // namespace loopscope
