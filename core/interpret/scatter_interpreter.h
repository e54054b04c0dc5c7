#pragma once
// A scatter (te/scatter.h) as it is meant: every term is computed once and added where its place says, rather than
// asked for at every place there is.

#include "interpret/lane_program.h"
#include "interpret/term_signs.h"
#include "te/scatter.h"
#include "thread_pool.h"

namespace loopscope {

/// As interpretGenerally.
void interpretScatter(const Op &op, const Scatter &scatter, const LaneProgram::TensorValues &values, TermSigns signs,
                      std::vector<TensorValue> &results, ThreadPool &pool);

} // namespace loopscope
