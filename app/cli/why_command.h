#pragma once
// `loopscope-cli why`: why a schedule is as fast as it is, and what would make it faster.

#include "choice.h"

namespace loopscope {

struct WhyOptions {
    WorkloadChoice workload;
    RecordChoice record; // of a script's schedule the log only trains the model
    int most = 5;        // moves, neighbours, features, remarks
};

int runWhy(const WhyOptions &options);

} // namespace loopscope
