#pragma once
// What a schedule made by hand leaves open, decided as the search would: lengths, and of each stage parallel loops,
// unrolling and vectors where no step decides on them. What is decided stays.

#include "moves/mutate_schedule.h"
#include "outcome.h"
#include "search/search_options.h"
#include "task/task.h"

#include <cstdint>

namespace loopscope {

/// Legal, and keeps the locks of the options. Refused where nothing is open.
Outcome<ChangedSchedule> completeSchedule(const Task &task, const Steps &schedule, uint64_t seed,
                                          const SearchOptions &options = {});

} // namespace loopscope
