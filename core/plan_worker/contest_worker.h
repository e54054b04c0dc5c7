#pragma once
// The role `contest` of loopscope-worker: kernels that compete where they run (plan/plan_contest.h), in a process of
// its own, so that code that goes wrong takes nothing else with it.

#include "outcome.h"
#include "plan/plan_contest.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace loopscope {

struct ContestRequest {
    std::string plan; // its file (plan_file.h), with all alternatives
    int threads = 0;  // <= 0: as many as the machine has
    PlanContest contest = {};
    ContestRules rules = {};
    std::vector<std::string> inputs = {}; // bytes of each
};

/// Holds it, with the machine for itself; refused with what became of the process where it ended before its answer, and
/// when cancelled.
Outcome<ContestOutcome> contestInWorker(const ContestRequest &request,
                                        const std::function<void(size_t done, size_t of, size_t task)> &progress = {},
                                        const std::atomic<bool> *cancel = nullptr);

/// The worker's side; returns the exit code.
int serveContest();

} // namespace loopscope
