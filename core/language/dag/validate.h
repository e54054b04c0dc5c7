#pragma once
// What makes a set of definitions a legal DAG. Everything after this may rely on it: names are unambiguous inside an
// op, extents are positive, and no load leaves its tensor.

#include "language/te/workload.h"

#include <vector>

namespace loopscope {

/// Throws Error with one sentence naming the op, the tensor or axis, and what would be legal. A load inside the branch
/// of an if_then_else, or in the source of a reduction with a condition, is only evaluated where that guard holds; a
/// select evaluates both sides. `places`, where known, gives the error its line and column.
void validateOps(const std::vector<OpPtr> &ops, const WorkloadPlaces *places = nullptr);
/// Every computed argument is an output, every output an argument, no placeholder unused.
void validateArgs(const std::vector<OpPtr> &ops, const std::vector<const Tensor *> &args);

} // namespace loopscope
