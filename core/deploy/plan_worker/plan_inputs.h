#pragma once
// What the roles of loopscope-worker that run plans share.

#include "deploy/plan/execution_plan.h"
#include "language/tensor/host_tensor.h"

#include <string>
#include <vector>

namespace loopscope {

inline constexpr int kPlanChannel = 3; // where ChildProcess puts the end of a worker

/// Of their bytes. Throws Error for other than the plan takes.
std::vector<HostTensor> planInputs(const ExecutionPlan &plan, const std::vector<std::string> &inputs);

} // namespace loopscope
