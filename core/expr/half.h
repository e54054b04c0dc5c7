#pragma once
// Rounding to the storage types: float16 (IEEE binary16) and bfloat16, round to nearest even.

#include "expr/dtype.h"

#include <cstdint>

namespace loopscope {

uint16_t floatToHalf(float value);
float halfToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);
float bfloatToFloat(uint16_t bits);

/// The nearest value the type can hold (overflow to infinity); unchanged for float64 and for integer types.
double roundToType(double value, DType type);

} // namespace loopscope
