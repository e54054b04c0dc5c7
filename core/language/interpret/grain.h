#pragma once
// The grain of numbers: the largest power of two that all of them are multiples of. Numbers of a coarse grain, few
// enough of them, have sums and products that a type holds exactly, so that every order of adding them up gives the
// same result to the last bit. Random inputs have none; those of exact_inputs.h are made for it.

#include "language/interpret/interpreter.h"

namespace loopscope {

/// Grains below this count as none.
inline constexpr double kFinestGrain = 0x1p-12;

/// 0: none. Of 0, which is a multiple of anything, infinity.
double grainOf(double value);

struct TensorGrain {
    double grain = 0;       // 0: none
    bool oneSigned = false; // no two elements differ in sign
};
/// Of the values; their bounds are another matter. Ends at the first element without a grain.
TensorGrain grainOf(const TensorValue &value);

} // namespace loopscope
