#pragma once
// What the searches of a task keep and where they begin, in a session file, both ways: every lock as a pattern that
// means it whatever schedule it is read beside, the schedule they were made of, and the one that is measured first.

#include "views/session/document.h"

#include <QJsonObject>

namespace loopscope {

/// Empty where nothing is locked and searches begin with sampled schedules.
QJsonObject locksToJson(const TaskState &state);
/// How many of them cannot be read; those are left out.
int locksFromJson(const QJsonObject &json, TaskState &state);

} // namespace loopscope
