#pragma once
// Where `tune` begins: schedules to measure first and to breed from, and what of them stays as it is.

#include "tune_command.h"

#include "schedule/locks/schedule_locks.h"

#include <memory>
#include <vector>

namespace loopscope {

struct SearchStart {
    std::vector<Steps> schedules;
    std::shared_ptr<const ScheduleLocks> locks; // null: nothing
};

/// `--start-from` is "grouping", "naive", a record of a log (LOG:NUMBER, LOG:best) or a schedule script; `--group`
/// begins with the grouping where nothing else is given, and locks every stage but those it names. Throws what is wrong
/// with them, and why locks leave nothing to search.
SearchStart searchStart(const TuneOptions &options, const LoadedTask &loaded);

} // namespace loopscope
