#pragma once
// `loopscope-cli choices`: in what the trials of a log differ, and which of it made them fast.

#include "choice.h"

#include <string>

namespace loopscope {

struct ChoicesOptions {
    WorkloadChoice workload;
    std::string log;
};

int runChoices(const ChoicesOptions &options);

} // namespace loopscope
