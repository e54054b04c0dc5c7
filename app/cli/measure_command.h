#pragma once
// `loopscope-cli measure`: a logged schedule built, checked and timed again.

#include "choice.h"
#include "runner_choice.h"

namespace loopscope {

struct MeasureCommandOptions {
    WorkloadChoice workload;
    RecordChoice record;
    RunnerChoice runner;
    int repeats = 0;
};

int runMeasure(const MeasureCommandOptions &options);

} // namespace loopscope
