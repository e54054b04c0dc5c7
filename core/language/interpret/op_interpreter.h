#pragma once
// The general way to evaluate an op: block by block, every instruction over all lanes of the block.

#include "base/thread_pool.h"
#include "language/interpret/lane_program.h"
#include "language/interpret/term_signs.h"

namespace loopscope {

/// Computes all outputs and their bounds into `results`; `signs` of the terms of its reduction. The result does not
/// depend on the number of threads.
void interpretGenerally(const Op &op, const LaneProgram::TensorValues &values, TermSigns signs,
                        std::vector<TensorValue> &results, ThreadPool &pool);

} // namespace loopscope
