#pragma once
// `loopscope-cli group`: which stages of a pipeline are computed together, tile by tile, and the schedule that makes.

#include "choice.h"

#include <string>

namespace loopscope {

struct GroupOptions {
    WorkloadChoice workload;
    std::string machine = "16,16M,40";
    std::string mode = "fixed";
    std::string as = "decisions"; // or "script"
};

int runGroup(const GroupOptions &options);

} // namespace loopscope
