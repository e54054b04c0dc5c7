#pragma once
// What a side of a comparison can be, as a list to choose from and by the names people type: schedules of the task
// shown, and of the tasks that compute the same for another target.

#include "views/session/documents.h"
#include "views/session/selection.h"

#include <QString>

#include <optional>
#include <vector>

namespace loopscope {

struct SideChoice {
    QString text;                         // empty: a line between groups
    std::optional<TaskSchedule> schedule; // none: a heading, or such a line
};
std::vector<SideChoice> sideChoices(const Documents &documents, const Selected &now);

struct NamedSide {
    std::optional<TaskSchedule> schedule;
    QString problem; // why there is none
};
/// "12", "trial 12", "best", "naive", "sketch 2", "edited 1"; with "on cuda" behind it of another target, which is
/// named by as much of it as tells it from the others.
NamedSide sideNamed(const Documents &documents, const QString &text);

} // namespace loopscope
