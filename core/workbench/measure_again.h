#pragma once
// Candidates that have been measured before, measured once more: each checked and timed alone, then in turn with the
// others and the naive schedule, so that all see the same machine.

#include "measure/measurer.h"
#include "measure/timing/time_interval.h"
#include "workbench/trial_log.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope {

struct AgainOrder {
    Task task;
    std::vector<Steps> candidates;
    std::vector<int> numbers; // of the candidates, by which the comparison names them
    double naiveSeconds = -1; // < 0: not known yet
    bool decides = false;     // whoever wins is the best of the task, which the log says as its verdict
};
struct AgainResult {
    std::vector<Trial> measured; // by candidate
    std::vector<ComparedTime> compared;
};

/// `progress`: the share that is done. What was measured goes to the log at the end, and nothing when it was cancelled.
AgainResult measureAgain(const AgainOrder &order, Measurer &measurer, TrialLog &log, const MeasureWatch &watch,
                         const std::function<void(double share)> &progress);

} // namespace loopscope
