#pragma once
// `loopscope-cli moves`: what can be done to a schedule next, and what each step is worth.

#include "choice.h"

namespace loopscope {

struct MovesOptions {
    WorkloadChoice workload;
    RecordChoice record; // of a script's schedule the log only trains the model
    std::string stage;   // of that one alone; empty: of all
};

int runMoves(const MovesOptions &options);

} // namespace loopscope
