#pragma once
// Schedules that logs have of a network's tasks beside the best of each, for those who choose among them where the
// kernels run.

#include "deploy/network/build.h"
#include "deploy/network/task_records.h"
#include "language/target/target.h"
#include "networks/partition/tasks.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

/// How the schedule shares its work out: for every stage with a parallel loop, the outermost of its loops that runs
/// more than once. Threads have consecutive parts of it, so that this is what decides which of them leaves which data
/// in its caches for the next kernel.
std::string sharingOf(const DagPtr &dag, const Steps &steps);

/// By key of the task, at most `most` each, that were measured on the target and are right, none twice and none as
/// `records` has it; fast ones first, but the ways of sharing the work out take turns. What takes more than three times
/// as long as the best is not worth a try. Throws Error when a log cannot be read.
std::map<std::string, std::vector<KnownSchedule>, std::less<>>
furtherSchedules(const std::vector<NetworkTask> &tasks, const TaskRecords &records, const Target &target,
                 const std::vector<std::string> &logs, size_t most);

} // namespace loopscope
