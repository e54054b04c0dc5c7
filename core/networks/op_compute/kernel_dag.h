#pragma once
// Nodes of a network as a ComputeDAG: each operator is one of the operator library's tensor expressions (te/operators)
// or one of this module's own, with the names that Ansor's users know, because task keys depend on them.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "networks/graph/function.h"

#include <string>
#include <vector>

namespace loopscope {

/// The nodes as one DAG whose arguments are the inputs, in their order, then the outputs. Placeholders are called p0,
/// p1, ... . Constants of rank 0 that are not among the inputs are literals of the DAG. A bias of conv or bias_add
/// enters as [1, C, 1, 1], as TVM has it in its tasks: the same bytes under other dims; every other argument has the
/// dims of its value. An output that is computed from inside too, or is an input, is a copy.
/// Refuses symbolic dims, tensors without elements, and operators that have no tensor expression, with the node.
Outcome<DagPtr> computeDagOf(const GraphFunction &function, const std::vector<NodeId> &nodes,
                             const std::vector<ValueId> &inputs, const std::vector<ValueId> &outputs,
                             const std::string &name);

/// Whether the elements of this input go into the tensor expression. They do not where they only say what the shape of
/// the result is (the second input of reshape): such an input is no argument of a kernel.
bool readsElements(const Node &node, size_t input);
/// Whether the expression has the input's elements as numbers, and not only as dims: where a slice begins.
bool readsNumbers(const Node &node, size_t input);
/// Whether elements of its second input say which of the first are read. They stand in memory, so that whoever runs
/// the kernel can look at them (deploy/plan/index_check.h).
bool readsByIndex(const Node &node);
/// A constant of rank 0, which is a literal of every kernel that reads it.
bool isLiteral(const GraphFunction &function, ValueId value);
/// Whether the operator has a tensor expression at all.
bool hasTensorExpression(std::string_view op);

} // namespace loopscope
