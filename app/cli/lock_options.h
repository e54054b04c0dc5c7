#pragma once
// `--lock PATTERN` of the commands that have it.

#include "schedule/locks/schedule_locks.h"
#include "schedule/loop_state.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// What the patterns lock of the schedule; without one they have to say all of it themselves. Null: nothing is locked.
/// Throws UsageError for a pattern that cannot be read.
std::shared_ptr<const ScheduleLocks> lockedBy(const std::vector<std::string> &patterns, const DagPtr &dag,
                                              const Steps *schedule);

} // namespace loopscope
