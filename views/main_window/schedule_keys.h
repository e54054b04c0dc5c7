#pragma once
// Undo and redo of schedules made by hand have their keys in every view that shows a schedule, while an editor of text
// keeps its own.

#include "views/main_window/window_parts.h"

class QObject;

namespace loopscope {

/// From the views that are made after it.
void addScheduleKeys(const WindowParts &parts, QObject &owner);

} // namespace loopscope
