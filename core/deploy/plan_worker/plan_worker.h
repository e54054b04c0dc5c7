#pragma once
// The role `plan` of loopscope-worker: runs an execution plan for a program that has other things to do (as the
// window), in a copy of the worker that can do no harm (protected_run.h). It tells what every call takes and, when
// asked, what every call computed.

#include "base/outcome.h"
#include "deploy/plan/execution_plan.h"
#include "deploy/plan/profile.h"
#include "deploy/plan_worker/protected_run.h"

#include <atomic>
#include <string>
#include <vector>

namespace loopscope {

struct PlanRunRequest {
    std::string plan; // its file (plan_file.h)
    int threads = 0;  // <= 0: as many as the machine has
    int warmups = 2;
    int runs = 10;                   // that are timed whole, and as many call by call; 0: none is
    std::string values;              // a file that takes what every call computed; empty: nobody asks
    std::vector<std::string> inputs; // bytes of each
};

/// Runs it; refused with what became of the process where it ended before its answer, and when cancelled.
Outcome<PlanProfile> runPlanInWorker(const PlanRunRequest &request, const std::atomic<bool> *cancel = nullptr);

/// What the calls computed, from the file that a worker wrote. The plan outlives it. Throws Error where the file is not
/// of that plan.
CallValues callValuesIn(const ExecutionPlan &plan, const std::string &path);

/// The worker's side; returns the exit code.
int servePlan();

} // namespace loopscope
