#pragma once
// The schedule that a search is told against: the loops as the workload has them. A GPU would run those in one thread
// of one block, minutes for what takes it a millisecond, so there it is a thread for each element of each stage, which
// is what somebody writes first by hand.

#include "schedule/step.h"
#include "task/task.h"

namespace loopscope {

/// None on a processor.
Steps naiveSteps(const Task &task);

} // namespace loopscope
