#pragma once
// What tuning logs know of the tasks of a network.

#include "deploy/network/build.h"
#include "language/target/target.h"
#include "networks/partition/tasks.h"
#include "records/record/record.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct TaskRecord {
    std::string log;
    size_t number = 0; // in it, from 0
    std::string name;  // of its schedule (recordName)
    Steps steps;
    double seconds = 0;
    bool ofNetwork = false; // Trial::weightBytes
};

struct TaskRecords {
    std::vector<std::optional<TaskRecord>> best; // by task
    std::vector<std::string> whyNot;             // by task, where there is none
    std::vector<std::string> notes;              // of the logs: lines that cannot be read
    [[nodiscard]] size_t found() const;
    /// Seconds of the kernels of all tasks that have a record, each as often as it runs; and of how many kernels.
    [[nodiscard]] double seconds(const std::vector<NetworkTask> &tasks) const;
};

/// The best record of each task in any of the logs, as bestRecord (records/record/record.h) says, and of several logs
/// the one with the least time, of those that were timed as kernels of a network where there are any; only records that
/// were measured on the target count, and only those that replay. Throws Error when a log cannot be read.
TaskRecords recordsOfTasks(const std::vector<NetworkTask> &tasks, const Target &target,
                           const std::vector<std::string> &logs);

/// For buildPlan.
std::map<std::string, KnownSchedule, std::less<>> knownSchedules(const std::vector<NetworkTask> &tasks,
                                                                 const TaskRecords &records);

} // namespace loopscope
