#pragma once
// What a side is called, what is known of it, and which of two is faster, in words.

#include "search/explain/schedule_facts.h"
#include "views/session/document.h"
#include "views/session/selection.h"

#include <optional>

namespace loopscope {

bool scheduleExists(const TaskState &state, const ScheduleRef &ref);
/// "2.620 ms ± 1.1 % · measured here: Xeon 8488C · 102.3 GFLOP/s · sketch 0 · crossover"; why there is no time
/// otherwise.
QString scheduleFacts(const TaskState &state, const ScheduleRef &ref);

/// The same a fact a line, for where both sides stand beside each other: what it is for, its time, where that was
/// taken.
ScheduleFacts timingFacts(const TaskState &state, const ScheduleRef &ref);

struct SpeedRatio {
    double ratio = 1; // time of a / time of b
    double low = 1;   // at the ends of both intervals
    double high = 1;
    [[nodiscard]] bool clear() const { return low > 1 || high < 1; }
};
/// Empty unless both took part in the same comparison last: times of other moments make no ratio.
std::optional<SpeedRatio> speedRatio(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b);
/// "trial 17 is 1.23× as fast as trial 4 (1.19× to 1.27×)"; says so when the intervals overlap, and what
/// to do when they were timed at different moments.
QString speedVerdict(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b);

/// "17", "trial 17", "sketch 2", "naive", "best"; empty when the task has no such schedule.
std::optional<ScheduleRef> scheduleNamed(const TaskState &state, const QString &text);

} // namespace loopscope
