#pragma once
// Why an edge between two kernels stayed cut, in one sentence.

#include "networks/partition/fusion_graph.h"
#include "networks/partition/fusion_groups.h"

#include <string>

namespace loopscope {

/// Of an edge whose ends are in two groups.
std::string cutReason(const GraphFunction &function, const FusionGraph &graph, FusionGroups &groups, ValueId value,
                      NodeId consumer);

} // namespace loopscope
