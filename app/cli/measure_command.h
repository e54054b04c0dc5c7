#pragma once
// `loopscope-cli measure`: a logged schedule built, checked and timed again.

#include "choice.h"

namespace loopscope {

struct MeasureCommandOptions {
    WorkloadChoice workload;
    RecordChoice record;
    int repeats = 0;
};

int runMeasure(const MeasureCommandOptions &options);

} // namespace loopscope
