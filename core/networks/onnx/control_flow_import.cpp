#include "networks/onnx/control_flow_import.h"

#include "networks/graph/dim_match.h"
#include "networks/graph/statement.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_set>
#include <utility>

namespace loopscope {

namespace {

constexpr int kDeepestGraphs = 16;

const onnx::GraphProto *graphOf(const onnx::NodeProto &node, std::string_view name) {
    for (const auto &attribute : node.attribute())
        if (attribute.name() == name && attribute.has_g()) return &attribute.g();
    return nullptr;
}

void addRead(const onnx::NodeProto &node, int depth, std::vector<std::string> &names);

/// What a graph reads and does not make.
void addReadOutside(const onnx::GraphProto &graph, int depth, std::vector<std::string> &names) {
    if (depth > kDeepestGraphs) return;
    std::unordered_set<std::string> own;
    for (const auto &input : graph.input()) own.insert(input.name());
    for (const auto &initialiser : graph.initializer()) own.insert(initialiser.name());
    for (const auto &node : graph.node())
        for (const std::string &output : node.output()) own.insert(output);
    std::vector<std::string> read;
    for (const auto &node : graph.node()) addRead(node, depth, read);
    for (const auto &output : graph.output()) read.push_back(output.name());
    for (std::string &name : read)
        if (!own.contains(name)) names.push_back(std::move(name));
}

void addRead(const onnx::NodeProto &node, int depth, std::vector<std::string> &names) {
    for (const std::string &input : node.input())
        if (!input.empty()) names.push_back(input);
    for (const auto &attribute : node.attribute()) {
        if (attribute.has_g()) addReadOutside(attribute.g(), depth + 1, names);
        for (const auto &graph : attribute.graphs()) addReadOutside(graph, depth + 1, names);
    }
}

std::vector<std::string> eachOnce(std::vector<std::string> names) {
    std::unordered_set<std::string> seen;
    std::erase_if(names, [&](const std::string &name) { return !seen.insert(name).second; });
    return names;
}

int depthOf(const onnx::GraphProto &graph, int depth = 1) {
    int deepest = depth;
    if (depth > kDeepestGraphs) return depth;
    for (const auto &node : graph.node())
        for (const auto &attribute : node.attribute())
            if (attribute.has_g()) deepest = std::max(deepest, depthOf(attribute.g(), depth + 1));
    return deepest;
}

std::optional<std::string> wrongGraph(const onnx::NodeProto &node, std::string_view attribute) {
    const onnx::GraphProto *graph = graphOf(node, attribute);
    if (!graph) return fmt::format("attribute '{}' is missing; it has to be a graph", attribute);
    if (depthOf(*graph) > kDeepestGraphs)
        return fmt::format("its graphs stand in one another more than {} deep", kDeepestGraphs);
    return std::nullopt;
}

/// Dims that say no symbol become ones of their own, so that every call can tell all symbols.
void solvable(const std::vector<HandedValue *> &values) {
    for (;;) {
        Dims dims;
        std::vector<std::pair<HandedValue *, size_t>> places;
        for (HandedValue *value : values)
            for (size_t axis = 0; axis < value->type.dims.size(); ++axis) {
                dims.push_back(value->type.dims[axis]);
                places.emplace_back(value, axis);
            }
        SymbolNames known;
        const auto open = unsolvedAxis(dims, known);
        if (!open) return;
        const auto [value, axis] = places[*open];
        value->type.dims[axis] = Dim::symbol(fmt::format("{}.{}", value->name, axis));
    }
}

/// What differs from trip to trip gets a symbol; false when nothing does any more.
bool generalise(std::vector<HandedValue> &carried, const GraphFunction &body) {
    bool changed = false;
    for (size_t i = 0; i < carried.size() && i + 1 < body.results().size(); ++i) {
        const auto &after = body.value(body.results()[i + 1]).type;
        Dims &dims = carried[i].type.dims;
        if (!after || after->dims.size() != dims.size()) continue;
        for (size_t axis = 0; axis < dims.size(); ++axis) {
            const Dim open = Dim::symbol(fmt::format("{}.{}", carried[i].name, axis));
            if (after->dims[axis] == dims[axis] || dims[axis] == open) continue;
            dims[axis] = open;
            changed = true;
        }
    }
    return changed;
}

} // namespace

bool isControlFlow(const onnx::NodeProto &node) {
    return (node.domain().empty() || node.domain() == "ai.onnx") &&
           (node.op_type() == "If" || node.op_type() == "Loop");
}

std::vector<std::string> wrongWithControlFlow(const onnx::NodeProto &node) {
    const std::vector<std::string> graphs = node.op_type() == "If"
                                                ? std::vector<std::string>{"then_branch", "else_branch"}
                                                : std::vector<std::string>{"body"};
    std::vector<std::string> wrong;
    for (const auto &attribute : node.attribute())
        if (std::find(graphs.begin(), graphs.end(), attribute.name()) == graphs.end())
            wrong.push_back(fmt::format("attribute '{}' is unknown; those of {} are {}", attribute.name(),
                                        node.op_type(), fmt::join(graphs, ", ")));
    for (const std::string &graph : graphs)
        if (auto sentence = wrongGraph(node, graph)) wrong.push_back(*std::move(sentence));
    if (node.output_size() == 0) wrong.emplace_back("has no output");
    return wrong;
}

std::vector<std::string> namesRead(const onnx::NodeProto &node) {
    std::vector<std::string> names;
    addRead(node, 0, names);
    return eachOnce(std::move(names));
}

std::string ControlFlowImport::freeFunctionName(const std::string &wanted) const {
    std::string name = wanted;
    for (int number = 1; name == "main" || m_module.find(name); ++number) name = fmt::format("{}_{}", wanted, number);
    return name;
}

Outcome<ControlFlowImport::Captured> ControlFlowImport::capture(const std::vector<std::string> &names) {
    Captured captured;
    for (const std::string &name : names) {
        const auto value = m_find(name);
        if (!value)
            return Refusal{fmt::format("its graphs read '{}', which is no value of the graphs around them", name)};
        const InputFact fact = m_builder.fact(*value);
        HandedValue handed = {name, m_builder.type(*value), std::nullopt};
        if (const HostTensor *constant = fact.constant)
            handed.constant = *constant;
        else
            captured.inputs.push_back(*value);
        captured.values.push_back(std::move(handed));
    }
    return captured;
}

FunctionPtr ControlFlowImport::importGraph(const onnx::GraphProto &graph, const std::string &name,
                                           const std::vector<HandedValue> &inputs,
                                           const std::vector<HandedValue> &captured) {
    std::vector<HandedValue> first = inputs;
    std::vector<HandedValue> others = captured;
    std::vector<HandedValue *> all;
    for (HandedValue &value : first) all.push_back(&value);
    for (HandedValue &value : others)
        if (!value.constant) all.push_back(&value);
    solvable(all);
    return m_import(graph, freeFunctionName(name), first, others, m_result);
}

std::optional<ControlFlowImport::Result> ControlFlowImport::translate(const onnx::NodeProto &node,
                                                                      const std::string &name,
                                                                      std::vector<ValueId> inputs,
                                                                      const std::vector<std::string> &outputs) {
    return node.op_type() == "If" ? translateIf(node, name, inputs, outputs)
                                  : translateLoop(node, name, std::move(inputs), outputs);
}

std::optional<ControlFlowImport::Result> ControlFlowImport::translateIf(const onnx::NodeProto &node,
                                                                        const std::string &name,
                                                                        const std::vector<ValueId> &inputs,
                                                                        const std::vector<std::string> &outputs) {
    if (inputs.size() != 1 || inputs[0].value < 0)
        return Result(Refusal{fmt::format("has {} inputs; it takes one, the condition", inputs.size())});
    std::vector<std::pair<const char *, const char *>> branches = {{"then_branch", "then"}, {"else_branch", "else"}};
    const std::optional<bool> known = knownCondition(inputs[0]);
    if (known) branches.erase(branches.begin() + (*known ? 1 : 0)); // the other one may not even fit
    std::vector<std::string> names;
    for (const auto &[attribute, ours] : branches) addReadOutside(*graphOf(node, attribute), 1, names);
    auto captured = capture(eachOnce(std::move(names)));
    if (!captured) return Result(captured.refusal());

    Node made = {name, "if", inputs, {}, {}, {name}};
    made.inputs.insert(made.inputs.end(), captured->inputs.begin(), captured->inputs.end());
    for (const auto &[attribute, ours] : branches) {
        const onnx::GraphProto &graph = *graphOf(node, attribute);
        if (graph.input_size() > 0)
            return Result(Refusal{fmt::format("the graph of '{}' has inputs; branches have none", attribute)});
        if (static_cast<size_t>(graph.output_size()) != outputs.size())
            return Result(Refusal{fmt::format("the graph of '{}' gives {} values; the node gives {}", attribute,
                                              graph.output_size(), outputs.size())});
        const FunctionPtr function = importGraph(graph, fmt::format("{}.{}", name, ours), {}, captured->values);
        if (!function) return std::nullopt;
        if (known) return inlined(*function, captured->inputs, outputs);
        made.attributes.emplace(ours, function->name());
        m_module = m_module.with(function);
    }
    return m_builder.addStatement(std::move(made), outputs, m_module);
}

std::optional<bool> ControlFlowImport::knownCondition(ValueId condition) const {
    const InputFact fact = m_builder.fact(condition);
    if (fact.constant && fact.constant->elements() == 1) return fact.constant->integer(0) != 0;
    if (fact.elements && fact.elements->size() == 1 && fact.elements->front().isConstant())
        return fact.elements->front().value() != 0;
    return std::nullopt;
}

ControlFlowImport::Result ControlFlowImport::inlined(const GraphFunction &function, const std::vector<ValueId> &inputs,
                                                     const std::vector<std::string> &outputs) {
    std::vector<ValueId> here(function.valueCount());
    for (size_t i = 0; i < inputs.size(); ++i) here[function.parameters()[i].index()] = inputs[i];
    const auto valueOf = [&](ValueId of) {
        if (of.value < 0) return of;
        ValueId &value = here[of.index()];
        if (value.value < 0)
            value = m_builder.addConstant(m_builder.freeValueName(function.value(of).name), *function.constant(of));
        return value;
    };
    const auto add = [&](Node node, const std::vector<std::string> &names, std::optional<TensorType> declared) {
        node.name = m_builder.freeNodeName(node.name);
        node.outputs.clear();
        return statementKind(node) ? m_builder.addStatement(std::move(node), names, m_module, std::move(declared))
                                   : m_builder.addNode(std::move(node), names);
    };
    for (size_t i = 0; i < function.nodeCount(); ++i) {
        const Node &node = function.node(NodeId(i));
        Node copy = node;
        for (ValueId &input : copy.inputs) input = valueOf(input);
        std::vector<std::string> names;
        for (const ValueId output : node.outputs) names.push_back(m_builder.freeValueName(function.value(output).name));
        std::optional<TensorType> declared;
        if (statementKind(node) == StatementKind::Match) declared = function.value(node.outputs[0]).type;
        const Result made = add(std::move(copy), names, std::move(declared));
        if (!made) return made;
        for (size_t k = 0; k < made->size(); ++k) here[node.outputs[k].index()] = (*made)[k];
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Result made =
            add({outputs[i], "identity", {valueOf(function.results()[i])}, {}, {}, {}}, {outputs[i]}, {});
        if (!made) return made;
        results.push_back(made->front());
    }
    return results;
}

std::optional<ControlFlowImport::Result> ControlFlowImport::translateLoop(const onnx::NodeProto &node,
                                                                          const std::string &name,
                                                                          std::vector<ValueId> inputs,
                                                                          const std::vector<std::string> &outputs) {
    const onnx::GraphProto &graph = *graphOf(node, "body");
    inputs.resize(std::max<size_t>(inputs.size(), 2));
    const size_t carried = inputs.size() - 2;
    if (static_cast<size_t>(graph.input_size()) != 2 + carried)
        return Result(Refusal{fmt::format("the body takes {} values; trip number, condition and {} carried are {}",
                                          graph.input_size(), carried, 2 + carried)});
    if (static_cast<size_t>(graph.output_size()) != 1 + outputs.size() || outputs.size() < carried)
        return Result(Refusal{fmt::format("the body gives {} values and the node {}; {} are carried, and the body "
                                          "gives the condition, too",
                                          graph.output_size(), outputs.size(), carried)});
    std::vector<HandedValue> first = {{graph.input(0).name(), {DType::Int64, {}}, std::nullopt},
                                      {graph.input(1).name(), {DType::Bool, {}}, std::nullopt}};
    for (size_t i = 0; i < 2; ++i)
        if (graph.input(static_cast<int>(i)).type().tensor_type().shape().dim_size() == 1) first[i].type.dims = {1};
    std::vector<HandedValue> values;
    for (size_t i = 0; i < carried; ++i) {
        if (inputs[2 + i].value < 0) return Result(Refusal{fmt::format("input {} is left out", 2 + i)});
        values.push_back({graph.input(static_cast<int>(2 + i)).name(), m_builder.type(inputs[2 + i]), std::nullopt});
    }
    std::vector<std::string> names;
    addReadOutside(graph, 1, names);
    auto captured = capture(eachOnce(std::move(names)));
    if (!captured) return Result(captured.refusal());

    // Again with what one trip changed left open, until trips change nothing more; dims become open once each.
    const std::vector<FunctionPtr> before = m_module.functions;
    FunctionPtr body;
    do {
        m_module.functions = before;
        std::vector<HandedValue> all = first;
        all.insert(all.end(), values.begin(), values.end());
        body = importGraph(graph, name + ".body", all, captured->values);
        if (!body) return std::nullopt;
        for (size_t i = 0; i < carried; ++i) values[i].type = body->type(body->parameters()[2 + i]);
    } while (generalise(values, *body));
    m_module = m_module.with(body);
    Node made = {name, "loop", std::move(inputs), {}, {{"body", body->name()}}, {name}};
    made.attributes.emplace("carried", static_cast<int64_t>(carried));
    made.inputs.insert(made.inputs.end(), captured->inputs.begin(), captured->inputs.end());
    return m_builder.addStatement(std::move(made), outputs, m_module);
}

} // namespace loopscope
