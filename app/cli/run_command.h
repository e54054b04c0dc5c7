#pragma once
// `loopscope-cli run`: a workload on inputs of one's own, pictures or arrays, its outputs in files.

#include "choice.h"

#include <string>
#include <vector>

namespace loopscope {

struct RunOptions {
    WorkloadChoice workload;
    std::vector<std::string> inputs;  // NAME=FILE
    std::vector<std::string> outputs; // NAME=FILE, also of stages in between
    bool stretch = false;
};

int runWorkload(const RunOptions &options);

} // namespace loopscope
