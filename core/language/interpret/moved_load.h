#pragma once
// Reads whose place rounding decides: a table at the whole number that a float was cut to, a neighbour of it where the
// float lies near the next one.

#include "language/interpret/interpreter.h"

#include <cstdint>
#include <span>

namespace loopscope {

/// How far what is read at these indices may lie from what a kernel reads, whose indices are off by as much as
/// `errors` say, but never leave the tensor. Infinity where so many places are possible that a bound says nothing.
double movedLoadError(const TensorValue &tensor, std::span<const int64_t> indices, std::span<const double> errors);

} // namespace loopscope
