#pragma once
// Random legal schedules of any DAG, for property tests: whatever the steps do, the state must still compute what the
// interpreter computes. All step kinds are drawn, on any stage, in any order, with lengths that need not divide; what a
// step kind or the bounds refuse is dropped. Deterministic in the generator's state.

#include "base/random.h"
#include "schedule/loop_state.h"

namespace loopscope {

struct RandomScheduleOptions {
    int attempts = 40;  // steps drawn; about half of them are legal and kept
    int maxLoops = 24;  // a stage with that many loops is not split further
    int maxStages = 14; // no cache stage or rfactor beyond
    bool cacheAndRfactor = true;
    bool parallel = true;      // parallel and vectorize annotations
    bool shared = false;       // caches in shared memory too
    int64_t maxIterations = 0; // 0 = no limit; else states whose loops run more often altogether are not made
};
/// Of states that are to be bound to threads, short ones and long ones as streams go by.
RandomScheduleOptions optionsOfKernels(uint64_t stream);

/// The state is concrete and its bounds exist.
LoopState randomSchedule(const DagPtr &dag, Random &random, const RandomScheduleOptions &options = {});

/// Small DAGs that between them have halos, strides, padding, broadcasts, several consumers, multi-output reductions,
/// rank 0, prime extents; extents small enough to run element by element.
std::vector<DagPtr> smallDags();

} // namespace loopscope
