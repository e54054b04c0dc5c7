#pragma once
// Trials of a log that a search continues from.

#include "record/record.h"
#include "task/task.h"

#include <string>
#include <vector>

namespace loopscope {

struct ResumedTrials {
    std::vector<Trial> trials;
    std::vector<Record> records; // of the trials
    std::vector<size_t> numbers; // in the log
};

/// Fills in what the log has of the task; returns what is to be said of what it cannot use, a sentence each.
/// `ofNetwork`: kernels are timed as those of a network (Trial::weightBytes), and only such times count; else only
/// others do.
std::vector<std::string> resumeTask(const Task &task, const RecordLog &log, ResumedTrials &resumed,
                                    bool ofNetwork = false);

} // namespace loopscope
