#pragma once
// One op, or two, with random expressions over some inputs: loads guarded and clamped, conversions, choices, divisions
// that are guarded, reductions with conditions.

#include "base/random.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"

namespace loopscope {

struct RandomOpOptions {
    /// Values are made of integers of all types that wrap, with all their operations, and of floats that are not
    /// finite; extents of 1 and 2 are usual.
    bool wraps = false;
    bool floats = true; // among them
};

/// Throws Error where what was drawn certainly divides by zero or reads outside.
DagPtr randomOp(Random &random, const RandomOpOptions &options = {});

/// Seeded inputs with all values of integer types, their ends and zeros among them, and with floats that are not
/// finite.
std::vector<TensorValue> extremeInputs(const ComputeDag &dag, uint64_t seed);

} // namespace loopscope
