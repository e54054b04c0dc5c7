#pragma once
// What the six comparisons say of two constants.

#include "language/expr/expr.h"

#include <optional>

namespace loopscope {

/// None where the kind is no comparison.
template <typename T> std::optional<bool> compared(ExprKind kind, T a, T b) {
    switch (kind) {
    case ExprKind::Eq:
        return a == b;
    case ExprKind::Ne:
        return a != b;
    case ExprKind::Lt:
        return a < b;
    case ExprKind::Le:
        return a <= b;
    case ExprKind::Gt:
        return a > b;
    case ExprKind::Ge:
        return a >= b;
    default:
        return std::nullopt;
    }
}

} // namespace loopscope
