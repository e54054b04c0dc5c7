#include "networks/graph/function_builder.h"

#include "base/check.h"

#include <utility>

namespace loopscope {

FunctionBuilder::FunctionBuilder(std::string name) { m_function.m_name = std::move(name); }

std::string FunctionBuilder::freeName(const std::string &wanted) {
    const std::string base = wanted.empty() ? "v" : wanted;
    auto [at, fresh] = m_names.try_emplace(base, 0);
    if (fresh) return base;
    for (;;) {
        std::string numbered = base + "_" + std::to_string(++at->second);
        if (m_names.try_emplace(numbered, 0).second) return numbered;
        at = m_names.find(base); // another name may have moved it
    }
}

ValueId FunctionBuilder::addValue(Value value) {
    value.name = freeName(value.name);
    m_function.m_values.push_back(std::move(value));
    return ValueId(m_function.m_values.size() - 1);
}

ValueId FunctionBuilder::addParameter(const std::string &name, TensorType type) {
    const ValueId id = addValue({name, std::move(type), {}, std::nullopt});
    m_function.m_parameters.push_back(id);
    return id;
}

ValueId FunctionBuilder::addConstant(const std::string &name, HostTensor value) {
    TensorType type = {value.dtype(), asDims(value.dims())};
    return addValue({name, std::move(type), {}, std::move(value)});
}

void FunctionBuilder::beginBlock(BlockKind kind) { m_function.m_blocks.push_back({kind, {}}); }

NodeId FunctionBuilder::addNode(Node node, const std::vector<std::string> &outputNames) {
    if (m_function.m_blocks.empty()) beginBlock(BlockKind::Dataflow);
    const NodeId id(m_function.m_nodePlaces.size());
    for (const ValueId input : node.inputs)
        LOOPSCOPE_CHECK(input.value < static_cast<int>(m_function.m_values.size()), node.name);
    node.outputs.clear();
    for (const std::string &name : outputNames)
        node.outputs.push_back(addValue({name, std::nullopt, id, std::nullopt}));
    if (node.name.empty() && !node.outputs.empty()) node.name = m_function.value(node.outputs[0]).name;
    Block &block = m_function.m_blocks.back();
    m_function.m_nodePlaces.emplace_back(m_function.m_blocks.size() - 1, block.nodes.size());
    block.nodes.push_back(std::move(node));
    return id;
}

ValueId FunctionBuilder::add(std::string op, std::string name, std::vector<ValueId> inputs, Attributes attributes,
                             std::vector<std::string> sources) {
    const std::vector<std::string> outputs = {name};
    const NodeId id = addNode(
        {std::move(name), std::move(op), std::move(inputs), {}, std::move(attributes), std::move(sources)}, outputs);
    return m_function.node(id).outputs[0];
}

void FunctionBuilder::setType(ValueId value, std::optional<TensorType> type) {
    m_function.m_values[value.index()].type = std::move(type);
}

FunctionPtr FunctionBuilder::finish() && {
    return std::shared_ptr<const GraphFunction>(new GraphFunction(std::move(m_function)));
}

FunctionPtr FunctionBuilder::retyped(const GraphFunction &function, std::vector<std::optional<TensorType>> types) {
    LOOPSCOPE_CHECK(types.size() == function.valueCount(), function.name());
    GraphFunction copy = function;
    for (size_t i = 0; i < types.size(); ++i) copy.m_values[i].type = std::move(types[i]);
    return std::shared_ptr<const GraphFunction>(new GraphFunction(std::move(copy)));
}

FunctionCopy::FunctionCopy(const GraphFunction &from, FunctionBuilder &to)
    : m_from(from), m_to(to), m_mapped(from.valueCount()) {
    copyParameters();
}

void FunctionCopy::copyParameters() {
    for (const ValueId parameter : m_from.parameters()) {
        const Value &value = m_from.value(parameter);
        m_mapped[parameter.index()] = m_to.addParameter(value.name, *value.type);
    }
}

ValueId FunctionCopy::mapped(ValueId old) {
    if (old.value < 0) return old;
    ValueId &now = m_mapped[old.index()];
    if (now.value < 0) {
        const HostTensor *constant = m_from.constant(old);
        LOOPSCOPE_CHECK(constant, m_from.value(old).name);
        now = m_to.addConstant(m_from.value(old).name, *constant);
    }
    return now;
}

void FunctionCopy::copyNode(NodeId id) {
    Node node = m_from.node(id);
    std::vector<std::string> names;
    const std::vector<ValueId> outputs = node.outputs;
    names.reserve(outputs.size());
    for (const ValueId output : outputs) names.push_back(m_from.value(output).name);
    for (ValueId &input : node.inputs) input = mapped(input);
    const NodeId copied = m_to.addNode(std::move(node), names);
    const std::vector<ValueId> now = m_to.soFar().node(copied).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
        map(outputs[i], now[i]);
        m_to.setType(now[i], m_from.value(outputs[i]).type);
    }
}

void FunctionCopy::copyResults() {
    for (const ValueId result : m_from.results()) m_to.addResult(mapped(result));
}

} // namespace loopscope
