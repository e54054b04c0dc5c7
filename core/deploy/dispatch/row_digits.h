#pragma once
// Which part of loop variables an expression depends on. A fused loop is taken apart by divisions: what `f // 8` is
// does not depend on what `f % 8` is. So it can be told whether a place or a value changes with the row.

#include "language/expr/expr.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace loopscope {

/// The digits of `var // low % (high // low)`, or where the divisor is known at run time alone, of one side of it.
struct VarDigits {
    static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
    const ExprNode *var = nullptr;
    int64_t low = 1;
    int64_t high = kAll;
    const ExprNode *divisor = nullptr; // then these are the digits above it (`quotient`) or below
    bool quotient = false;
};

/// Of an index or a value; what it reads elsewhere is no part of it.
std::vector<VarDigits> digitsOf(Expr e);
/// Whether one of these changes with one of those.
bool shareDigits(const std::vector<VarDigits> &these, const std::vector<VarDigits> &those);

} // namespace loopscope
