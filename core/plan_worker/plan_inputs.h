#pragma once
// What the roles of loopscope-worker that run plans share.

#include "plan/plan_runner.h"

#include <string>
#include <vector>

namespace loopscope {

inline constexpr int kPlanChannel = 3; // where ChildProcess puts the end of a worker

/// Throws Error for other than the plan takes.
void setPlanInputs(PlanRunner &runner, const std::vector<std::string> &inputs);

} // namespace loopscope
