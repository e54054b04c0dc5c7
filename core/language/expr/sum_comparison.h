#pragma once
// Comparisons of a sum of indices with zero, brought to what is cheap to ask. Part of the simplifier.

#include "language/expr/split_sum.h"

namespace loopscope {

/// The greatest number that divides every scale; 0 of no term.
int64_t commonFactor(const SplitSum &sum);
/// Whether the interval decides `difference kind 0`; what it decides is `value`.
bool comparisonHolds(ExprKind kind, Interval difference, bool &value);
/// `a kind b` as `b ... a`.
ExprKind mirroredComparison(ExprKind kind);
/// floordiv(x, c) + k >= 0 is x - c*(-k) >= 0, and so on for the other orders: a comparison needs no division. False
/// when `difference` is no such quotient, or the product does not fit the type.
bool multiplyOut(SplitSum &difference, ExprKind &kind, DType type);
/// g*A + b < g*k is A < k for 0 <= b < g, and A + floordiv(b, g) < k where b is a remainder that g divides. False when
/// nothing changed.
bool dropFineTerms(SplitSum &difference);

} // namespace loopscope
