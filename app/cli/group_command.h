#pragma once
// `loopscope-cli group`: which stages of a pipeline are computed together, tile by tile, and the schedule that makes.

#include "choice.h"
#include "grouping_choice.h"

#include <string>

namespace loopscope {

struct GroupOptions {
    WorkloadChoice workload;
    GroupingChoice grouping;
    std::string as = "decisions"; // or "script"
};

int runGroup(const GroupOptions &options);

} // namespace loopscope
