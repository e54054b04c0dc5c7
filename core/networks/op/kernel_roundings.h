#pragma once
// The reference evaluation with roundings such as correct kernels make: every result rounded to its type, and what an
// operator sums read off by up to a rounding of the type that sums are computed in, times the root of their number
// where one is added after the other. Beside the exact values it is a sample of how far roundings alone carry a
// network's numbers with these inputs (random rounding, Vignes 1993).

#include "language/tensor/wide_tensor.h"
#include "networks/graph/function.h"

#include <cstdint>
#include <span>
#include <vector>

namespace loopscope {

/// The inputs as such a kernel reads them; empty where the operator does not sum. `stream`: of the node.
std::vector<WideTensor> readWithRoundings(const Node &node, std::span<const WideTensor *const> inputs, uint64_t seed,
                                          uint64_t stream);
/// By how much of itself a number of a narrow float may be off, being rounded; 0 of others, whose roundings are far
/// below what anybody allows.
double narrowRoundingOf(DType type);
/// To its type, infinities included.
void roundToItsType(WideTensor &tensor);

} // namespace loopscope
