#pragma once
// Nodes of a network as a ComputeDAG: each operator is one of the operator library's tensor expressions (te/operators),
// with the names that Ansor's users know, because task keys depend on them.

#include "dag/compute_dag.h"
#include "graph/function.h"
#include "outcome.h"

#include <string>
#include <vector>

namespace loopscope {

/// The nodes as one DAG whose arguments are the inputs, in their order, then the outputs. Placeholders are called p0,
/// p1,
/// ... . Refuses symbolic dims, and operators that have no tensor expression, with the node.
Outcome<DagPtr> computeDagOf(const GraphFunction &function, const std::vector<NodeId> &nodes,
                             const std::vector<ValueId> &inputs, const std::vector<ValueId> &outputs,
                             const std::string &name);

} // namespace loopscope
