#pragma once
// Trials of a log that a search continues from.

#include "language/task/task.h"
#include "records/record/record.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace loopscope {

struct ResumedTrials {
    static constexpr size_t kElsewhere = std::numeric_limits<size_t>::max();
    std::vector<Trial> trials;
    std::vector<uint64_t> hashes; // recordHash of each; 0: that of the record the task and the trial make
    std::vector<size_t> numbers;  // in the log; kElsewhere: the log does not have it

    void add(const Trial &trial, uint64_t hash, size_t number) {
        trials.push_back(trial);
        hashes.push_back(hash);
        numbers.push_back(number);
    }
};

/// Fills in what the log has of the task; returns what is to be said of what it cannot use, a sentence each.
/// `ofNetwork`: kernels are timed as those of a network (Trial::weightBytes), and only such times count; else only
/// others do.
std::vector<std::string> resumeTask(const Task &task, const RecordLog &log, ResumedTrials &resumed,
                                    bool ofNetwork = false);

} // namespace loopscope
