#pragma once
// `loopscope-cli mutate` and `loopscope-cli complete`: a schedule changed by a rule of the search.

#include "choice.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct MutateOptions {
    WorkloadChoice workload;
    RecordChoice record;
    std::string rule;               // empty: any; not of `complete`
    std::string with;               // the other schedule of a crossover, as `compare` names it; not of `complete`
    std::vector<std::string> locks; // patterns, of the schedule itself
    uint64_t seed = 0;
};

int runMutate(const MutateOptions &options);
int runComplete(const MutateOptions &options);

} // namespace loopscope
