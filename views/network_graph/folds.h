#pragma once
// Which nodes of a network are drawn as one box: those of a layer by their names, of a block that comes again and
// again, of a kernel. A box never stands in a cycle: a fold whose path leaves it and comes back is not made.

#include "views/network_graph/network_facts.h"
#include "views/session/network_kernels.h"

namespace loopscope {

enum class FoldBy : uint8_t { Nothing, Layers, Blocks, Kernels };

struct Fold {
    QString key;            // the same wherever the network is folded that way again
    QString title;          // "conv2_1", "block 3", "conv_add_relu"
    std::vector<int> nodes; // of the facts, in order, at least two
    int times = 1;          // blocks like this one
    int likeness = 0;       // the same number for blocks that are the same
};

std::vector<Fold> foldsOf(const NetworkFacts &facts, FoldBy by, const NetworkKernels *kernels);

/// Folds without those that would close a cycle.
std::vector<Fold> withoutCycles(const NetworkFacts &facts, std::vector<Fold> folds);

} // namespace loopscope
