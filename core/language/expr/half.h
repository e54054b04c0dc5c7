#pragma once
// Rounding to the storage types: float16 (IEEE binary16) and bfloat16, round to nearest even.

#include "language/expr/dtype.h"

#include <cstdint>

namespace loopscope {

uint16_t floatToHalf(float value);
float halfToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);
float bfloatToFloat(uint16_t bits);

/// The nearest value the type can hold (overflow to infinity); unchanged for float64 and for integer types.
double roundToType(double value, DType type);

/// The largest finite number of a floating type, and the least that has all its digits.
double largestOf(DType type);
double minNormalOf(DType type);

/// What sums of such values are computed in: float32 for narrower floats, where a few hundred terms would leave the
/// range or the digits of the type; for all others the type itself.
inline DType summedIn(DType type) { return type == DType::Float16 || type == DType::BFloat16 ? DType::Float32 : type; }

} // namespace loopscope
