#pragma once
// The reference interpreter once more, as plainly as it can be written: one element at a time, one point of the
// reduction at a time, walking the expression with a map of variables. The interpreter must give the same bits.

#include "language/interpret/interpreter.h"

#include <functional>

namespace loopscope {

/// What is evaluated instead of an expression of the op, such as what a simplifier makes of it.
using OpRewrite = std::function<Expr(const Op &op, Expr e)>;

std::vector<TensorValue> interpretPlainly(const ComputeDag &dag, const std::vector<TensorValue> &inputs,
                                          const OpRewrite &rewrite = nullptr);

} // namespace loopscope
