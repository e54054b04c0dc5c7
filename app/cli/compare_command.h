#pragma once
// `loopscope-cli compare`: two schedules of a workload, step by step and timed against each other.

#include "choice.h"

namespace loopscope {

struct CompareOptions {
    WorkloadChoice workload;
    std::string a; // LOG:NUMBER, LOG:best, naive, or a schedule script
    std::string b;
    int repeats = 12;
    bool explain = false;
};

int runCompare(const CompareOptions &options);

} // namespace loopscope
