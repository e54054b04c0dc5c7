#include "networks/onnx/node_import.h"

#include "base/check.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

/// More numbers than that are no axes, pads or sizes.
constexpr int64_t kMaxNumbers = 4096;

} // namespace

Outcome<std::vector<int64_t>> NodeImport::integersOf(size_t i, std::string_view what) const {
    const InputFact fact = m_builder.fact(in(i));
    if (isFloat(fact.type.dtype) || fact.type.dims.size() > 1)
        return Refusal{fmt::format("{} must be a list of integers, and is {}", what, typeText(fact.type))};
    if (fact.constant && fact.constant->elements() <= kMaxNumbers) return fact.constant->integerValues();
    if (fact.elements)
        if (auto known = constantDims(*fact.elements)) return *std::move(known);
    return Refusal{fmt::format("{} must be known when the network is imported, and is computed by it", what)};
}

Outcome<std::vector<double>> NodeImport::numbersOf(size_t i, std::string_view what) const {
    const InputFact fact = m_builder.fact(in(i));
    if (fact.constant && fact.constant->elements() <= kMaxNumbers) return fact.constant->numbers();
    if (fact.elements)
        if (const auto known = constantDims(*fact.elements)) return std::vector<double>(known->begin(), known->end());
    return Refusal{fmt::format("{} must be known when the network is imported, and is computed by it", what)};
}

const onnx::AttributeProto *NodeImport::attribute(std::string_view name) const {
    for (const auto &attribute : m_proto.attribute())
        if (attribute.name() == name) return &attribute;
    return nullptr;
}

int64_t NodeImport::integer(std::string_view name, int64_t fallback) const {
    const auto *found = attribute(name);
    return found ? found->i() : fallback;
}

double NodeImport::number(std::string_view name, double fallback) const {
    const auto *found = attribute(name);
    if (!found) return fallback;
    // The number somebody wrote: 1e-5, not the float nearest to it.
    const std::string written = fmt::format("{}", found->f());
    double value = double{found->f()};
    std::from_chars(written.data(), written.data() + written.size(), value);
    return value;
}

std::string NodeImport::text(std::string_view name, std::string_view fallback) const {
    const auto *found = attribute(name);
    return found ? found->s() : std::string(fallback);
}

std::vector<int64_t> NodeImport::integers(std::string_view name) const {
    const auto *found = attribute(name);
    if (!found) return {};
    return {found->ints().begin(), found->ints().end()};
}

std::vector<double> NodeImport::numbers(std::string_view name) const {
    const auto *found = attribute(name);
    if (!found) return {};
    return {found->floats().begin(), found->floats().end()};
}

Outcome<HostTensor> NodeImport::tensor(std::string_view name) const {
    const auto *found = attribute(name);
    LOOPSCOPE_CHECK(found, std::string(name));
    auto tensor = tensorOf(found->t(), m_files, m_maxBytes);
    if (!tensor) return Refusal{fmt::format("the tensor of attribute '{}' {}", name, tensor.why())};
    return tensor;
}

Outcome<std::vector<ValueId>> NodeImport::add(std::string_view op, std::string name, std::vector<ValueId> inputs,
                                              Attributes attributes, const std::vector<std::string> &outputs) {
    while (!inputs.empty() && inputs.back().value < 0) inputs.pop_back();
    return m_builder.addNode(
        {std::move(name), std::string(op), std::move(inputs), {}, std::move(attributes), {m_place.name}}, outputs);
}

Outcome<ValueId> NodeImport::value(std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
    auto outputs = add(op, m_builder.freeNodeName(fmt::format("{}/{}", m_place.name, op)), std::move(inputs),
                       std::move(attributes), {m_builder.freeValueName(fmt::format("{}/{}", m_place.outputs[0], op))});
    if (!outputs) return outputs.refusal();
    return outputs->front();
}

Translated NodeImport::finish(std::string_view op, std::vector<ValueId> inputs, Attributes attributes, size_t outputs) {
    const auto known = [this](ValueId value) { return value.value < 0 || m_builder.fact(value).elements; };
    if (op == "slice" && m_builder.cutsAllowed() && inputs.size() > 2 && !(known(inputs[1]) && known(inputs[2])))
        return finishStatement("cut", std::move(inputs));
    return add(op, m_builder.freeNodeName(m_place.name), std::move(inputs), std::move(attributes),
               {m_place.outputs.begin(), m_place.outputs.begin() + static_cast<std::ptrdiff_t>(outputs)});
}

Translated NodeImport::finishStatement(std::string_view op, std::vector<ValueId> inputs) {
    while (inputs.back().value < 0) inputs.pop_back();
    return m_builder.addStatement(
        {m_builder.freeNodeName(m_place.name), std::string(op), std::move(inputs), {}, {}, {m_place.name}},
        {m_place.outputs[0]}, Module());
}

Outcome<ValueId> NodeImport::finishOutput(size_t output, std::string_view op, std::vector<ValueId> inputs,
                                          Attributes attributes) {
    auto outputs = add(op, m_builder.freeNodeName(fmt::format("{}/{}", m_place.name, op)), std::move(inputs),
                       std::move(attributes), {m_place.outputs[output]});
    if (!outputs) return outputs.refusal();
    return outputs->front();
}

ValueId NodeImport::constant(std::string_view what, HostTensor tensor) {
    return m_builder.addConstant(m_builder.freeValueName(fmt::format("{}/{}", m_place.outputs[0], what)),
                                 std::move(tensor));
}

ValueId NodeImport::integerConstant(std::string_view what, const std::vector<int64_t> &values) {
    return constant(what, integerTensor({static_cast<int64_t>(values.size())}, values));
}

Translated NodeImport::finishConstant(HostTensor tensor) {
    return std::vector<ValueId>{m_builder.addConstant(m_place.outputs[0], std::move(tensor))};
}

} // namespace loopscope
