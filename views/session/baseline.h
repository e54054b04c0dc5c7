#pragma once
// How times stand to one another, and to that of the baseline: the trial that the user chose to tell times against.
// Times of one comparison make a ratio. Where there was none, the first times do, which every measured schedule has;
// they were taken at different moments, and whoever shows such a ratio says so. A time of a comparison and a first time
// make none.

#include "views/session/document.h"

#include <QString>

#include <optional>

namespace loopscope {

struct TimeChange {
    double change = 0;     // of the time: -0.2 is a fifth less
    double seconds = 0;    // of the one
    double against = 0;    // of the other
    bool together = false; // both are of one comparison; else both are first times
};

/// As it was measured first; 0: it never was, or failed.
double firstSeconds(const TaskState &state, const ScheduleRef &ref);
/// Of `ref` against `other`; nullopt where one of them has no time that goes with the other's. A schedule made by hand
/// has those of the trial it became.
std::optional<TimeChange> timeChange(const TaskState &state, const ScheduleRef &ref, const ScheduleRef &other);

/// Against the baseline of the task; nullopt also where there is none.
std::optional<TimeChange> againstBaseline(const TaskState &state, const ScheduleRef &ref);
/// "−12.3 % against trial 5", or "the baseline"; empty where there is nothing to tell.
QString againstBaselineText(const TaskState &state, const ScheduleRef &ref);
/// What was divided by what, and which times these are; empty where there is nothing to tell.
QString againstBaselineTip(const TaskState &state, const ScheduleRef &ref);

} // namespace loopscope
