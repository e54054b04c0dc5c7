#include "networks/onnx/typed_builder.h"

#include "base/check.h"
#include "networks/op/infer_statements.h"
#include "networks/op/operator.h"
#include "networks/op/small_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

/// Longer tensors are no shapes.
constexpr int64_t kMaxShapeElements = 1024;

std::optional<Dims> shapeElements(const HostTensor &tensor) {
    if (isFloat(tensor.dtype()) || tensor.rank() > 1 || tensor.elements() > kMaxShapeElements) return std::nullopt;
    return asDims(tensor.integerValues());
}

} // namespace

std::string TypedBuilder::freeName(std::unordered_set<std::string> &taken, const std::string &wanted) {
    if (taken.insert(wanted).second) return wanted;
    for (int number = 1;; ++number) {
        std::string name = fmt::format("{}_{}", wanted, number);
        if (taken.insert(name).second) return name;
    }
}

void TypedBuilder::setElements(ValueId value, std::optional<Dims> elements) {
    if (m_elements.size() <= value.index()) m_elements.resize(value.index() + 1);
    m_elements[value.index()] = std::move(elements);
}

ValueId TypedBuilder::addParameter(const std::string &name, TensorType type) {
    const ValueId id = m_builder.addParameter(name, std::move(type));
    setElements(id, std::nullopt);
    return id;
}

ValueId TypedBuilder::addConstant(const std::string &name, HostTensor value) {
    auto elements = shapeElements(value);
    const ValueId id = m_builder.addConstant(name, std::move(value));
    setElements(id, std::move(elements));
    return id;
}

InputFact TypedBuilder::fact(ValueId value) const {
    if (value.value < 0) return {};
    const Value &of = m_builder.value(value);
    const HostTensor *constant = of.constant ? &*of.constant : nullptr;
    if (const auto at = m_known.find(value); at != m_known.end()) constant = &at->second;
    return {true, *of.type, constant, m_elements[value.index()]};
}

std::optional<Refusal> TypedBuilder::sizeRefusal(const TensorType &type) const {
    // Symbols are at least one; the constants alone may be too much already.
    int64_t bytes = dtypeBytes(type.dtype);
    bool empty = false;
    bool tooMuch = false;
    for (const Dim &dim : type.dims) {
        if (!dim.isConstant()) continue;
        if (dim.value() < 0) return Refusal{fmt::format("{} has a negative dim", typeText(type))};
        empty = empty || dim.value() == 0;
        if (dim.value() > 0) tooMuch = tooMuch || __builtin_mul_overflow(bytes, dim.value(), &bytes);
    }
    if (empty || (!tooMuch && bytes <= m_maxBytes)) return std::nullopt;
    return Refusal{
        fmt::format("{} has more than {} bytes, which is the most that a tensor may have", typeText(type), m_maxBytes)};
}

void TypedBuilder::evaluateSmall(const Node &node, const Operator &of, const std::vector<ValueId> &outputs) {
    std::vector<InputFact> facts;
    for (const ValueId input : node.inputs) facts.push_back(fact(input));
    std::vector<TensorType> types;
    for (const ValueId output : outputs) types.push_back(type(output));
    auto results = smallResults(node, of, facts, types, m_thread);
    for (size_t i = 0; results && i < outputs.size() && i < results->size(); ++i) {
        HostTensor &known = (*results)[i];
        if (!m_elements[outputs[i].index()]) setElements(outputs[i], shapeElements(known));
        m_known.emplace(outputs[i], std::move(known));
    }
}

Outcome<std::vector<ValueId>> TypedBuilder::addNode(Node node, const std::vector<std::string> &outputNames) {
    const Operator *of = findOperator(node.op);
    LOOPSCOPE_CHECK(of && of->infer, node.op);
    std::vector<InputFact> facts;
    facts.reserve(node.inputs.size());
    for (const ValueId input : node.inputs) facts.push_back(fact(input));
    // How many outputs are wanted is read from the node.
    node.outputs.assign(outputNames.size(), ValueId());
    auto inferred = of->infer(OperatorUse(node, *of, std::move(facts)));
    if (!inferred) {
        // Whoever reports it names the node of the file.
        const std::string place = nodeText(node) + ": ";
        const std::string &why = inferred.why();
        return Refusal{why.starts_with(place) ? why.substr(place.size()) : why};
    }
    LOOPSCOPE_CHECK(inferred->size() >= outputNames.size(), node.op);
    for (const InferredOutput &output : *inferred)
        if (const auto refusal = sizeRefusal(output.type)) return Refusal{"its result " + refusal->sentence};
    if (std::exchange(m_inEffect, false)) m_builder.beginBlock(BlockKind::Dataflow);
    const NodeId id = m_builder.addNode(node, outputNames);
    std::vector<ValueId> outputs = m_builder.soFar().node(id).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
        m_builder.setType(outputs[i], std::move((*inferred)[i].type));
        setElements(outputs[i], std::move((*inferred)[i].elements));
    }
    evaluateSmall(node, *of, outputs);
    return outputs;
}

Outcome<std::vector<ValueId>> TypedBuilder::addStatement(Node node, const std::vector<std::string> &outputNames,
                                                         const Module &module, std::optional<TensorType> declared) {
    std::vector<InputFact> facts;
    for (const ValueId input : node.inputs) facts.push_back(fact(input));
    if (!std::exchange(m_inEffect, true)) m_builder.beginBlock(BlockKind::Effect);
    const NodeId id = m_builder.addNode(std::move(node), outputNames);
    const Node &added = m_builder.soFar().node(id);
    if (declared) m_builder.setType(added.outputs[0], std::move(declared));
    const auto inferred = StatementInference(module, m_builder.soFar()).infer(added, facts);
    LOOPSCOPE_CHECK(inferred.has_value(), added.name);
    const std::vector<ValueId> outputs = added.outputs;
    if (!*inferred) {
        // Whoever reports it names the node of the file.
        const std::string place = nodeText(added) + ": ";
        const std::string &why = inferred->why();
        return Refusal{why.starts_with(place) ? why.substr(place.size()) : why};
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (const auto refusal = sizeRefusal((**inferred)[i].type)) return Refusal{"its result " + refusal->sentence};
        m_builder.setType(outputs[i], (**inferred)[i].type);
        setElements(outputs[i], (**inferred)[i].elements);
    }
    return outputs;
}

} // namespace loopscope
