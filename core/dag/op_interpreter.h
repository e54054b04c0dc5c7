#pragma once
// The general way to evaluate an op: block by block, every instruction over all lanes of the block.

#include "dag/lane_program.h"
#include "thread_pool.h"

namespace loopscope {

/// Computes all outputs into `results`. The result does not depend on the number of threads.
void interpretGenerally(const Op &op, const LaneProgram::TensorValues &values, std::vector<TensorValue> &results,
                        ThreadPool &pool);

} // namespace loopscope
