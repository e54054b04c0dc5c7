#pragma once
// The reference interpreter once more, as plainly as it can be written: one element at a time, one point of the
// reduction at a time, walking the expression with a map of variables. The interpreter must give the same bits.

#include "interpret/interpreter.h"

namespace loopscope {

std::vector<TensorValue> interpretPlainly(const ComputeDag &dag, const std::vector<TensorValue> &inputs);

} // namespace loopscope
