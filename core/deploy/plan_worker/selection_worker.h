#pragma once
// The role `selection` of loopscope-worker: kernels selected where they run (deploy/plan/plan_selection.h), in a
// process of its own, so that code that goes wrong takes nothing else with it.

#include "base/outcome.h"
#include "deploy/plan/plan_selection.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace loopscope {

struct SelectionRequest {
    std::string plan; // its file (plan_file.h), with all alternatives
    int threads = 0;  // <= 0: as many as the machine has
    PlanSelection selection = {};
    SelectionRules rules = {};
    std::vector<std::string> inputs = {}; // bytes of each
};

/// Holds it, with the machine for itself; refused with what became of the process where it ended before its answer, and
/// when cancelled.
Outcome<SelectionOutcome> selectInWorker(const SelectionRequest &request,
                                         const std::function<void(size_t done, size_t of, size_t task)> &progress = {},
                                         const std::atomic<bool> *cancel = nullptr);

/// The worker's side; returns the exit code.
int serveSelection();

} // namespace loopscope
