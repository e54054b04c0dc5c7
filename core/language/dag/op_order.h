#pragma once
// Ansor's op order: depth-first post-order from the outputs. It numbers the stages, so every logged step depends on it.

#include "language/te/op.h"

#include <vector>

namespace loopscope {

/// Ops reachable from `args`, depth-first post-order from the outputs; the outputs in the order of Ansor's topological
/// sort. Throws Error when an op reads itself, directly or through others.
std::vector<const Op *> ansorOrder(const std::vector<const Tensor *> &args);

} // namespace loopscope
