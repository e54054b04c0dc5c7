#include "networks/graph/function.h"

#include "base/check.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

std::string typeText(const TensorType &type) { return fmt::format("{}{}", dtypeName(type.dtype), dimsText(type.dims)); }

FunctionPtr GraphFunction::fromParts(FunctionParts parts) {
    GraphFunction function;
    function.m_name = std::move(parts.name);
    function.m_parameters = std::move(parts.parameters);
    function.m_results = std::move(parts.results);
    function.m_blocks = std::move(parts.blocks);
    function.m_values = std::move(parts.values);
    for (size_t block = 0; block < function.m_blocks.size(); ++block)
        for (size_t at = 0; at < function.m_blocks[block].nodes.size(); ++at)
            function.m_nodePlaces.emplace_back(block, at);
    return std::make_shared<const GraphFunction>(GraphFunction(std::move(function)));
}

const TensorType &GraphFunction::type(ValueId id) const {
    const Value &of = value(id);
    LOOPSCOPE_CHECK(of.type.has_value(), of.name);
    return *of.type;
}

std::optional<ValueId> GraphFunction::find(std::string_view valueName) const {
    for (size_t i = 0; i < m_values.size(); ++i)
        if (m_values[i].name == valueName) return ValueId(i);
    return std::nullopt;
}

std::vector<std::vector<NodeId>> GraphFunction::readers() const {
    std::vector<std::vector<NodeId>> readers(m_values.size());
    for (size_t i = 0; i < nodeCount(); ++i)
        for (const ValueId input : node(NodeId(i)).inputs) {
            if (input.value < 0) continue;
            auto &of = readers[input.index()];
            if (of.empty() || of.back() != NodeId(i)) of.push_back(NodeId(i));
        }
    return readers;
}

std::string nodeText(const Node &node) { return fmt::format("{} '{}'", node.op, node.name); }

} // namespace loopscope
