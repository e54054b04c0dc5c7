#pragma once
// What the better mode joins beyond TVM's rules. Each saves writing a tensor to memory and reading it again.
//
// Prologues: what is elementwise or broadcast goes in front of the one convolution that reads it, where its window is a
// single element (1x1, stride 1, no padding), so that nothing is computed twice for one output channel. DenseNet-121
// has 58 of them (scale, shift and relu in front of every bottleneck): 242 kernels become 184. The same goes for what
// pools everything: it reads each element once. In front of a depthwise convolution go nodes that only put elements
// elsewhere, as the channel shuffle of ShuffleNet (16 of them): they become arithmetic on its indices.
//
// Concats whose inputs can lie in their output are no work either; joined_concats.h decides that, after the groups, and
// they are taken out of groups for it. DenseNet-121 has 58 of them, so that 126 kernels are left.
//
// What it does not do: reshapes behind an anchor are kernels of their own, which cost nothing (Kernel::alias).

#include "networks/graph/function.h"

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

namespace loopscope {

/// Makes groups of their own of concats that begin one and may lie where their inputs are written: all that pass
/// `mayJoin`. `groupOf`: by node, the number of its group. The concats that were taken out.
std::vector<NodeId> takeOutConcats(const GraphFunction &function, std::vector<size_t> &groupOf,
                                   const std::function<bool(NodeId)> &mayJoin);

/// `groupOf` is changed where groups are joined. What stands in front of the nodes in `apart` stays there.
void joinPrologues(const GraphFunction &function, std::vector<size_t> &groupOf, const std::set<NodeId> &apart = {});

} // namespace loopscope
