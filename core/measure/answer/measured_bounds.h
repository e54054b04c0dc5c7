#pragma once
// Bounds of an answer by trial. What is carried beside every value (language/interpret/error_bound.h) takes the errors
// of a stage's terms for as bad as they can be together: behind a dozen layers of sums that is more than the values
// themselves, though roundings nearly cancel out. Then the answer in double precision stands, and how far a kernel may
// be from it is measured: the DAG is computed some more times, each stage off by as much as its own roundings may make
// it, with its inputs as they are.

#include "language/interpret/interpreter.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace loopscope {

/// The outputs of interpret() for these inputs, with such bounds. Nothing for a DAG in which values decide what is done
/// (comparisons, whole parts): a rounding there changes nothing or very much, and few trials do not say where. Neither
/// where something overflows.
std::optional<std::vector<TensorValue>> withMeasuredBounds(const ComputeDag &dag,
                                                           const std::vector<TensorValue> &inputs,
                                                           std::vector<TensorValue> outputs, uint64_t seed,
                                                           int threads);

} // namespace loopscope
