#pragma once
// What the cost of a point depends on, without names: nodes that compute the same of other buffers cost the same, and
// the stages of a chain or of a pyramid need be priced once.

#include "schedule/grouping/pipeline.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct CostStructure {
    /// Equal where the nodes compute the same, the buffers taken for each other in the order of `buffers`.
    std::vector<uint64_t> text;
    std::vector<BufferNumber> buffers; // in the order met, the node's own first
};

/// Of the values of a node where stages (by number) are inlined into them.
CostStructure costStructureOf(const Pipeline &pipeline, int node, const std::vector<bool> &inlined);

} // namespace loopscope
