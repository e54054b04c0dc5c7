#pragma once
// What the less simple operations of an expression mean for one value: the semantics of language/expr/expr.h. Floats
// are held as doubles, integers and bools as int64.

#include "language/expr/expr.h"

#include <cstdint>

namespace loopscope {

/// Wraps an integer to its type.
/// Out of range saturates, NaN is 0.
int64_t truncateToInt(double value, DType type);
/// Div, Mod, FloorDiv, FloorMod of integers; by 0 it is 0, and the least value by -1 wraps.
int64_t divideInts(ExprKind kind, DType type, int64_t a, int64_t b);
/// `y` is used by the functions of two operands only.
double callFloat(Intrinsic intrinsic, DType operandType, double x, double y);
int64_t callInt(Intrinsic intrinsic, DType operandType, DType type, int64_t x, int64_t y);

} // namespace loopscope
