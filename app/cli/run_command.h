#pragma once
// `loopscope-cli run`: a workload on inputs of one's own, pictures or arrays, its outputs in files; by the interpreter,
// or by the kernel of a schedule.

#include "choice.h"
#include "grouping_choice.h"

#include <string>
#include <vector>

namespace loopscope {

struct RunOptions {
    WorkloadChoice workload;
    std::vector<std::string> inputs;  // NAME=FILE
    std::vector<std::string> outputs; // NAME=FILE, also of stages in between
    bool stretch = false;
    /// The schedule whose kernel computes them; by itself the interpreter does.
    RecordChoice record;
    std::string by; // "naive", "grouping"
    GroupingChoice grouping;
    bool check = false; // against the interpreter, however long that takes

    [[nodiscard]] bool byKernel() const { return !by.empty() || !record.log.empty() || !record.script.empty(); }
};

int runWorkload(const RunOptions &options);

} // namespace loopscope
