#pragma once
// The offset of an element in its buffer where indices are digits of one number: `A[e // 256, e % 256]` lies at e in a
// buffer with strides 256 and 1. Taken for code only: seen as one sum, lanes of e read consecutive elements. The
// program and the features keep one index per dimension.

#include "language/expr/split_sum.h"

#include <optional>
#include <span>

namespace loopscope {

/// The sum of indices times strides when digits meet in it, in the thread's current arena; nothing when summing the
/// dimensions one by one says as much.
std::optional<SplitSum> mergedOffset(std::span<const Expr> indices, std::span<const int64_t> strides);

/// A term without its scale, as an expression.
Expr digitOf(SplitTerm term);

} // namespace loopscope
