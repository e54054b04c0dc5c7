#pragma once
// The greater and the lesser of two values, as `max` and `min` mean them everywhere: what is no number wins, whichever
// side it stands on. Code generators have their own ways to the same (codegen/llvm/lower_extremes.h, codegen/c).

namespace loopscope {

template <typename T> constexpr T greaterOf(T a, T b) { return a > b || a != a ? a : b; }
template <typename T> constexpr T lesserOf(T a, T b) { return a < b || a != a ? a : b; }

} // namespace loopscope
