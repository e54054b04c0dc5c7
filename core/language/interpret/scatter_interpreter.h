#pragma once
// A scatter (language/te/scatter.h) as it is meant: every term is computed once and added where its place says, rather
// than asked for at every place there is.

#include "base/thread_pool.h"
#include "language/interpret/lane_program.h"
#include "language/interpret/term_signs.h"
#include "language/te/scatter.h"

namespace loopscope {

/// As interpretGenerally.
void interpretScatter(const Op &op, const Scatter &scatter, const LaneProgram::TensorValues &values, TermSigns signs,
                      std::vector<TensorValue> &results, ThreadPool &pool);

} // namespace loopscope
