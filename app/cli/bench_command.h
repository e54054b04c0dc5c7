#pragma once
// `loopscope-cli bench`: a logged kernel beside the naive one and the libraries people use, interleaved in one run.

#include "choice.h"

namespace loopscope {

struct BenchOptions {
    WorkloadChoice workload;
    RecordChoice record;
    std::vector<std::string> against = {"naive", "openblas", "onednn"};
    int rounds = 15;
};

int runBench(const BenchOptions &options);

} // namespace loopscope
