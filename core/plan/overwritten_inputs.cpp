#include "plan/overwritten_inputs.h"

#include "op/operator.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Follows one value through the nodes of a kernel as far as elements stay where they are.
class SameElements {
  public:
    SameElements(const GraphFunction &function, const Kernel &kernel)
        : m_function(function), m_kernel(kernel), m_output(kernel.outputs.front()) {}

    /// Every way from the value to the output keeps the index.
    [[nodiscard]] bool everywhere(ValueId value) const {
        if (!likeOutput(value)) return false;
        for (const NodeId id : m_kernel.nodes) {
            const Node &node = m_function.node(id);
            if (std::find(node.inputs.begin(), node.inputs.end(), value) == node.inputs.end()) continue;
            if (patternOf(m_function, node) > PatternKind::Broadcast || node.outputs.size() != 1) return false;
            if (node.outputs.front() != m_output && !everywhere(node.outputs.front())) return false;
            if (!likeOutput(node.outputs.front())) return false;
        }
        return true;
    }

  private:
    /// As many elements of as many bytes: the same index is the same place.
    [[nodiscard]] bool likeOutput(ValueId value) const {
        const TensorType &type = m_function.type(value);
        const TensorType &output = m_function.type(m_output);
        return type.dims == output.dims && dtypeBytes(type.dtype) == dtypeBytes(output.dtype);
    }

    const GraphFunction &m_function;
    const Kernel &m_kernel;
    ValueId m_output;
};

} // namespace

std::vector<ValueId> overwritableInputs(const GraphFunction &function, const Kernel &kernel) {
    std::vector<ValueId> found;
    if (kernel.outputs.size() != 1 || kernel.alias) return found;
    const SameElements same(function, kernel);
    for (const ValueId input : kernel.inputs)
        if (!function.isConstant(input) && same.everywhere(input)) found.push_back(input);
    return found;
}

} // namespace loopscope
