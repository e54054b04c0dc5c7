#pragma once
// Where a trial stands among the others: one truth for the star, the ranks, the curve, the headline and the log. Times
// taken minutes apart are not held against each other when the difference matters: trials that were timed in turn, the
// finalists of a search or what was measured again, are ordered by that comparison, and what was there at the time
// without taking part comes behind its winner, whatever its first time was.

#include "views/session/document.h"
#include "views/session/selection.h"

#include <optional>
#include <vector>

namespace loopscope {

/// The comparison becomes the last one of `state`: times, the order of those that took part, the time of the naive
/// schedule, and (unless the best so far was left out, so that it does not decide) which trial is best. Returns the
/// trials that changed.
std::vector<int> takeComparison(TaskState &state, const std::vector<ComparedTime> &entries, bool decides = true);

/// Time over that of the winner of the last comparison, 1 for the winner itself; while there was none, seconds. The
/// least is the best. What is unstable and was not compared comes behind everything stable; +inf for what failed.
double standing(const TaskState &state, int trial);
int bestTrial(const TaskState &state); // -1: none is valid
/// The best of `best` (-1: none) and the trials from `first` on.
int betterTrial(const TaskState &state, int best, int first);

/// The first time promised more than could be confirmed: a comparison found the trial clearly slower, or the trial was
/// not taken into one whose winner is slower than that first time.
bool unconfirmed(const TaskState &state, int trial);

/// The interval of a schedule's time in the last comparison it took part in; nullopt for none.
std::optional<TimeInterval> comparedTime(const TaskState &state, const ScheduleRef &ref);
/// Both took part in the same comparison last: only then is there a ratio.
bool comparedTogether(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b);
/// The trials that took part in the last comparison of `trial`, itself included; nothing when there was none.
std::vector<int> comparedWith(const TaskState &state, int trial);
/// While no trial has a time: of those whose answer is right the one of the highest score, by which they were picked;
/// -1 without any, and where scores were drawn.
int rankedFirst(const TaskState &state);
/// How many times as fast as the naive schedule the best is; nullopt while they were not timed in turn.
std::optional<double> speedUp(const TaskState &state);

} // namespace loopscope
