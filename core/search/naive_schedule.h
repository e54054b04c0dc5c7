#pragma once
// The schedule that a search is told against: the loops as the workload has them. A GPU would run those in one thread
// of one block, minutes for what takes it a millisecond, so there it is a thread for each element of each stage, which
// is what somebody writes first by hand.

#include "language/task/task.h"
#include "schedule/step.h"

namespace loopscope {

/// None on a processor.
Steps naiveSteps(const Task &task);

} // namespace loopscope
