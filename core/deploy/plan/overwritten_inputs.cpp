#include "deploy/plan/overwritten_inputs.h"

#include "networks/op/operator.h"

#include <ranges>
#include <set>

namespace loopscope {

namespace {

/// As many elements of as many bytes: the same index is the same place.
bool likeIn(const GraphFunction &function, ValueId value, ValueId output) {
    const TensorType &type = function.type(value);
    const TensorType &other = function.type(output);
    return type.dims == other.dims && dtypeBytes(type.dtype) == dtypeBytes(other.dtype);
}

/// Values some way from which to the output moves elements. Nodes stand behind what they read, so that one pass from
/// the last to the first knows of every result before of its operands.
std::set<ValueId> movedValues(const GraphFunction &function, const Kernel &kernel) {
    const ValueId output = kernel.outputs.front();
    std::set<ValueId> moved;
    for (const NodeId id : std::views::reverse(kernel.nodes)) {
        const Node &node = function.node(id);
        const bool stays = patternOf(function, node) <= PatternKind::Broadcast && node.outputs.size() == 1 &&
                           likeIn(function, node.outputs.front(), output) && !moved.contains(node.outputs.front());
        if (!stays) moved.insert(node.inputs.begin(), node.inputs.end());
    }
    return moved;
}

} // namespace

std::vector<ValueId> overwritableInputs(const GraphFunction &function, const Kernel &kernel) {
    std::vector<ValueId> found;
    if (kernel.outputs.size() != 1 || kernel.alias) return found;
    const std::set<ValueId> moved = movedValues(function, kernel);
    for (const ValueId input : kernel.inputs)
        if (!function.isConstant(input) && likeIn(function, input, kernel.outputs.front()) && !moved.contains(input))
            found.push_back(input);
    return found;
}

} // namespace loopscope
