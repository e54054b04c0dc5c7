#pragma once
// `loopscope-cli tune`: the main job. Every trial goes to the log as it ends.

#include "choice.h"
#include "search/search_options.h"

namespace loopscope {

struct TuneOptions {
    WorkloadChoice workload;
    SearchOptions search;
    std::string log;
    bool resume = false;
    int layoutRewrite = 2; // as libraries do: weights are packed once, before the first call
};

int runTune(const TuneOptions &options);

} // namespace loopscope
