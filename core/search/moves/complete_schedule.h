#pragma once
// What a schedule made by hand leaves open, decided as the search would: lengths, and of each stage parallel loops,
// unrolling and vectors where no step decides on them. What is decided stays.

#include "base/outcome.h"
#include "language/task/task.h"
#include "search/moves/mutate_schedule.h"
#include "search/search_options.h"

#include <cstdint>

namespace loopscope {

/// Legal, and keeps the locks of the options. Refused where nothing is open.
Outcome<ChangedSchedule> completeSchedule(const Task &task, const Steps &schedule, uint64_t seed,
                                          const SearchOptions &options = {});

} // namespace loopscope
