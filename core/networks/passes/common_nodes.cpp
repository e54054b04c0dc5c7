// Nodes that compute the same become one: the same operator with the same attributes of the same values. Small
// constants with the same bits count as the same value; weights do not, which are alike in test models alone.

#include "networks/passes/constant_evaluation.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace loopscope {

namespace {

void mix(size_t &hash, size_t with) { hash ^= with + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2); }

constexpr int64_t kSmallConstant = 64; // elements that are compared

size_t hashOf(const HostTensor &tensor) {
    size_t hash = static_cast<size_t>(tensor.dtype());
    for (const int64_t dim : tensor.dims()) mix(hash, static_cast<size_t>(dim));
    const int64_t looked = tensor.isSplat() ? 1 : std::min<int64_t>(tensor.elements(), 16);
    for (int64_t i = 0; i < looked; ++i) mix(hash, std::bit_cast<size_t>(tensor.number(i) + 0.0));
    return hash;
}

/// Stands for all constants of the same type, dims and bits.
class Constants {
  public:
    ValueId representative(const FunctionEdit &edit, ValueId value) {
        const HostTensor *tensor = edit.constant(value);
        if (!tensor || tensor->elements() > kSmallConstant) return value;
        const auto [known, fresh] = m_known.try_emplace(value.value, value);
        if (!fresh) return known->second;
        std::vector<ValueId> &alike = m_alike[hashOf(*tensor)];
        for (const ValueId other : alike)
            if (edit.constant(other)->sameAs(*tensor)) return known->second = other;
        alike.push_back(value);
        return value;
    }

  private:
    std::unordered_map<int, ValueId> m_known;
    std::unordered_map<size_t, std::vector<ValueId>> m_alike;
};

class CommonNodes {
  public:
    explicit CommonNodes(FunctionEdit &edit) : m_edit(edit), m_nextAlike(edit.nodeLimit(), -1) {
        m_alike.reserve(edit.nodeLimit());
    }

    void visit(NodeId id) {
        const std::vector<ValueId> inputs = inputsOf(id);
        const Node &node = m_edit.node(id);
        size_t hash = std::hash<std::string_view>()(node.op);
        for (const ValueId input : inputs) mix(hash, static_cast<size_t>(input.value));
        mix(hash, node.outputs.size());
        const auto [first, fresh] = m_alike.try_emplace(hash, id.value);
        if (fresh) return;
        for (int at = first->second; at >= 0; at = m_nextAlike[static_cast<size_t>(at)]) {
            const NodeId other(at);
            const Node &twin = m_edit.node(other);
            if (m_edit.blockOf(other) != m_edit.blockOf(id) || twin.outputs.size() != node.outputs.size() ||
                inputsOf(other) != inputs || !sameAttributes(node, twin))
                continue;
            join(id, other);
            return;
        }
        m_nextAlike[id.index()] = std::exchange(first->second, id.value);
    }

  private:
    std::vector<ValueId> inputsOf(NodeId id) {
        std::vector<ValueId> inputs = m_edit.inputs(id);
        while (!inputs.empty() && inputs.back().value < 0) inputs.pop_back();
        for (ValueId &input : inputs)
            if (input.value >= 0) input = m_constants.representative(m_edit, input);
        return inputs;
    }
    void join(NodeId id, NodeId twin) {
        const std::vector<ValueId> outputs = m_edit.node(id).outputs;
        for (size_t i = 0; i < outputs.size(); ++i)
            if (m_edit.uses(outputs[i]) > 0)
                m_edit.replace(outputs[i], m_edit.node(twin).outputs[i], "another node computes the same");
    }

    FunctionEdit &m_edit;
    Constants m_constants;
    std::unordered_map<size_t, int> m_alike; // by hash: a node, the others through m_nextAlike
    std::vector<int> m_nextAlike;
};

} // namespace

GraphPass commonNodesPass() {
    return {{.name = "commonNodes",
             .level = 1,
             .needs = {Fact::Types},
             .preserves = Facts::all(),
             .description = "nodes that compute the same become one"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "commonNodes", context.report);
                CommonNodes common(edit);
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) common.visit(at);
                return edit.finish();
            })};
}

} // namespace loopscope
