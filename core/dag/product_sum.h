#pragma once
// The interpreter's one shortcut: a sum of products of affine loads (matmul, convolution, dot product), which is where
// nearly all time of a reference goes. Same values as the general way up to the rounding of a double.

#include "dag/expr_program.h"
#include "thread_pool.h"

namespace loopscope {

/// Computes the op into `result` and returns true, or returns false when the op is not of that form.
bool sumOfProducts(const Op &op, const ExprProgram::TensorValues &values, TensorValue &result, ThreadPool &pool);

} // namespace loopscope
