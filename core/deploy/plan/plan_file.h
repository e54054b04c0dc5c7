#pragma once
// An execution plan as two files: JSON that people and other programs can read, and beside it the machine code and the
// constants, which are mapped when the plan is read. The JSON carries a version and check sums of itself and of the
// other file; a plan that was damaged or cut off is refused with one sentence.

#include "deploy/plan/execution_plan.h"

#include <string>

namespace loopscope {

inline constexpr int kPlanVersion = 1;

/// `path` and, beside it, `path` with ".bin" behind it; both are complete or not there. Throws Error.
void writePlan(const ExecutionPlan &plan, const std::string &path);
/// Throws Error (path, what is wrong).
ExecutionPlan readPlan(const std::string &path);

} // namespace loopscope
