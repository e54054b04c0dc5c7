#pragma once
// A schedule for a task that nobody has tuned, made without measuring anything: the search's own sketches and changes,
// judged by the analytic estimate alone. Good enough to run with, not a substitute for tuning.

#include "base/outcome.h"
#include "language/task/task.h"
#include "schedule/step.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct DefaultScheduleOptions {
    uint64_t seed = 0;    // same seed, same schedule, on any number of threads
    int population = 256; // schedules that are drawn, and of each generation
    int generations = 3;
    size_t keep = 4; // beside the best, for when code cannot be made of it
};

/// The least estimated time first; the naive schedule behind all others. Refuses targets that have no estimate, and
/// tasks of which no loops can be made.
Outcome<std::vector<Steps>> defaultSchedules(const Task &task, const DefaultScheduleOptions &options = {});

/// At most `most`, for whoever times them: those of the least estimated time of several draws, without those that are
/// estimated alike, which differ in what hardly counts. The same refusals.
Outcome<std::vector<Steps>> variedSchedules(const Task &task, const DefaultScheduleOptions &options, size_t most);

/// What the best of them is estimated to take.
Outcome<double> estimatedCycles(const Task &task, const DefaultScheduleOptions &options = {});

} // namespace loopscope
