#pragma once
// Which measured schedules are most like one, and in what they differ: the cheapest experiments are those already made.

#include "measure/compare/aligned_steps.h"
#include "schedule/loop_state.h"

#include <functional>
#include <vector>

namespace loopscope {

struct NearTrial {
    size_t trial = 0;
    std::vector<StepPair> differences; // the pairs that are not the same, b being the trial's; empty: the same schedule
};

/// What was measured, by its place.
struct MeasuredTrials {
    size_t count = 0;
    std::function<Steps(size_t)> stepsOf;
    std::function<double(size_t)> secondsOf; // all of one kind, such as first times; 0: it failed
};

/// The `most` with the fewest steps that differ; of equals the fastest, then the first. Lists are told apart by their
/// steps as they are numbered, and only the nearest are aligned by names. Those that do not apply are left out.
std::vector<NearTrial> nearestTrials(const DagPtr &dag, const Steps &steps, const MeasuredTrials &trials, size_t most);

} // namespace loopscope
