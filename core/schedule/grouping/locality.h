#pragma once
// How far apart the elements are that consecutive iterations of a loop touch, over all accesses of a node.

#include "schedule/grouping/group_evaluation.h"

#include <vector>

namespace loopscope {

/// For each loop of the node the sum over its accesses, the store among them, of the largest stride in bytes among the
/// dimensions whose index depends on it. `local`: boxes of buffers that hold one tile alone; all others are whole.
std::vector<int64_t> accessStrides(const Pipeline &pipeline, const GroupEvaluation &evaluation, int node,
                                   const std::vector<bool> &inlined, const std::vector<Box> &local);

/// Loops by stride, the smallest innermost; steps of reductions stay in their order. Numbers of loops, innermost first.
std::vector<size_t> localOrder(const PipelineNode &node, const std::vector<int64_t> &strides);

} // namespace loopscope
