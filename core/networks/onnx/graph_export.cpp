#include "networks/onnx/graph_export.h"

#include "networks/graph/statement.h"
#include "networks/onnx/tensor_data.h"
#include "networks/op/data_layout.h"
#include "networks/op/infer_types.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

/// Smaller ones stay in the model, where every tool sees them.
constexpr size_t kMinExternalBytes = 1024;
constexpr int64_t kExternalAlignment = 64;

} // namespace

void setInteger(onnx::NodeProto &node, const std::string &name, int64_t value) {
    auto *attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto_AttributeType_INT);
    attribute->set_i(value);
}

void setNumber(onnx::NodeProto &node, const std::string &name, double value) {
    auto *attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto_AttributeType_FLOAT);
    attribute->set_f(static_cast<float>(value));
}

void setText(onnx::NodeProto &node, const std::string &name, const std::string &value) {
    auto *attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto_AttributeType_STRING);
    attribute->set_s(value);
}

void setIntegers(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values) {
    if (values.empty()) return;
    auto *attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto_AttributeType_INTS);
    for (const int64_t value : values) attribute->add_ints(value);
}

std::string GraphExport::freeName(const std::string &wanted) {
    if (m_names.insert(wanted).second) return wanted;
    for (int number = 1;; ++number) {
        std::string name = fmt::format("{}_{}", wanted, number);
        if (m_names.insert(name).second) return name;
    }
}

onnx::NodeProto &GraphExport::addNode(const std::string &nodeName, std::string_view op,
                                      const std::vector<std::string> &inputs, const std::vector<std::string> &outputs) {
    auto *node = m_graph.add_node();
    node->set_name(nodeName);
    node->set_op_type(std::string(op));
    for (const std::string &input : inputs) node->add_input(input);
    for (const std::string &output : outputs) node->add_output(output);
    return *node;
}

void GraphExport::writeDense(const std::string &as, const HostTensor &tensor) {
    auto *proto = m_graph.add_initializer();
    if (m_dataPath.empty() || tensor.byteSize() < kMinExternalBytes) {
        writeTensor(*proto, as, tensor);
        return;
    }
    if (!m_data) m_data = std::make_unique<WholeFile>(m_dataPath);
    for (; m_dataAt % kExternalAlignment != 0; ++m_dataAt) m_data->write(std::string_view("\0", 1));
    const HostTensor dense = tensor.dense();
    m_data->write(std::span(dense.bytes(), dense.byteSize()));
    proto->set_name(as);
    proto->set_data_type(onnxOfDtype(tensor.dtype()));
    for (const int64_t dim : tensor.dims()) proto->add_dims(dim);
    proto->set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
    const std::pair<const char *, std::string> entries[] = {
        {"location", std::filesystem::path(m_dataPath).filename().string()},
        {"offset", std::to_string(m_dataAt)},
        {"length", std::to_string(dense.byteSize())}};
    for (const auto &[key, value] : entries) {
        auto *entry = proto->add_external_data();
        entry->set_key(key);
        entry->set_value(value);
    }
    m_dataAt += static_cast<int64_t>(dense.byteSize());
}

std::string GraphExport::addConstant(const std::string &wanted, const HostTensor &tensor) {
    std::string as = freeName(wanted);
    writeDense(as, tensor);
    return as;
}

std::string GraphExport::name(ValueId value) {
    if (value.value < 0) return {};
    const Value &of = m_function.value(value);
    if (!of.constant || !m_written.insert(of.name).second) return of.name;
    if (!of.constant->isSplat() || of.constant->elements() <= m_options.maxSplatElements) {
        writeDense(of.name, *of.constant);
        return of.name;
    }
    const std::string shape = addConstant(
        of.name + "/shape", integerTensor({static_cast<int64_t>(of.constant->rank())}, of.constant->dims()));
    auto &node = addNode(of.name, "ConstantOfShape", {shape}, {of.name});
    auto *attribute = node.add_attribute();
    attribute->set_name("value");
    attribute->set_type(onnx::AttributeProto_AttributeType_TENSOR);
    HostTensor one = isFloat(of.constant->dtype())
                         ? HostTensor::splat(of.constant->dtype(), {1}, of.constant->number(0))
                         : integerSplat(of.constant->dtype(), {1}, of.constant->integer(0));
    writeTensor(*attribute->mutable_t(), "", one);
    return of.name;
}

void GraphExport::declare(onnx::ValueInfoProto &info, ValueId value) {
    const TensorType &type = m_function.type(value);
    info.set_name(m_function.value(value).name);
    auto *tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnxOfDtype(type.dtype));
    auto *shape = tensor->mutable_shape();
    for (const Dim &dim : type.dims) {
        auto *to = shape->add_dim();
        if (dim.isConstant())
            to->set_dim_value(dim.value());
        else
            to->set_dim_param(dim.text());
    }
}

Outcome<bool> GraphExport::run() {
    for (size_t i = 0; i < m_function.valueCount(); ++i) {
        const Value &value = m_function.value(ValueId(i));
        if (!value.type)
            return Refusal{fmt::format("the type of '{}' is not known; types are inferred before a network is exported",
                                       value.name)};
        m_names.insert(value.name);
    }
    for (const ValueId parameter : m_function.parameters()) declare(*m_graph.add_input(), parameter);
    const std::vector<ValueId> &results = m_function.results();
    const std::unordered_set<int> resultIds = [&] {
        std::unordered_set<int> ids;
        for (const ValueId result : results) ids.insert(result.value);
        return ids;
    }();
    for (size_t i = 0; i < m_function.nodeCount(); ++i) {
        const Node &node = m_function.node(NodeId(i));
        const NodeWriter writer = nodeWriter(node.op);
        if (statementKind(node)) return Refusal{fmt::format("{}: control flow is not written as ONNX", nodeText(node))};
        if (!writer) return Refusal{fmt::format("{}: ONNX has no such operator", nodeText(node))};
        NodeExport exported(*this, node, useOf(m_function, node));
        writer(exported);
        for (const ValueId output : node.outputs)
            if (!resultIds.contains(output.value)) declare(*m_graph.add_value_info(), output);
    }
    std::unordered_set<int> seen;
    for (const ValueId result : results) {
        if (!seen.insert(result.value).second)
            return Refusal{fmt::format("'{}' is a result twice, and outputs of an ONNX file have names of their own",
                                       m_function.value(result).name)};
        name(result); // a constant may be read by nobody else
        declare(*m_graph.add_output(), result);
    }
    return true;
}

std::vector<std::string> NodeExport::allInputs() {
    std::vector<std::string> names;
    for (size_t i = 0; i < m_node.inputs.size(); ++i) names.push_back(in(i));
    return names;
}

onnx::NodeProto &NodeExport::finish(std::string_view op, std::vector<std::string> inputs) {
    while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
    std::vector<std::string> outputs;
    for (const ValueId output : m_node.outputs) outputs.push_back(m_graph.function().value(output).name);
    return m_graph.addNode(m_node.name, op, inputs, outputs);
}

std::string NodeExport::transposed(const std::string &name, const std::vector<size_t> &axes) {
    std::string result = m_graph.freeName(fmt::format("{}/{}/Transpose", m_node.name, name));
    setIntegers(m_graph.addNode(result, "Transpose", {name}, {result}), "perm", {axes.begin(), axes.end()});
    return result;
}

onnx::NodeProto &NodeExport::finishPlanes(std::string_view op) {
    const DataLayout layout = layoutOf(m_node);
    std::vector<std::string> inputs = allInputs();
    if (layout == DataLayout::ChannelsFirst) return finish(op, std::move(inputs));
    const size_t rank = m_use.rank(0);
    const std::vector<size_t> axes = axesIn(layout, rank);
    inputs[0] = transposed(inputs[0], inverseOf(axes));
    if (m_node.op == "conv") inputs[1] = transposed(inputs[1], inverseOf(kernelAxesIn(layout, rank)));
    while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
    const std::string planes = m_graph.freeName(fmt::format("{}/{}", m_node.name, op));
    onnx::NodeProto &to = m_graph.addNode(planes, op, inputs, {planes});
    setIntegers(finish("Transpose", {planes}), "perm", {axes.begin(), axes.end()});
    return to;
}

std::string NodeExport::value(std::string_view op, const std::vector<std::string> &inputs,
                              const std::vector<std::pair<std::string, int64_t>> &attributes) {
    std::string result = m_graph.freeName(fmt::format("{}/{}", m_node.name, op));
    auto &node = m_graph.addNode(result, op, inputs, {result});
    for (const auto &[name, value] : attributes) setInteger(node, name, value);
    return result;
}

std::string NodeExport::constant(std::string_view what, const HostTensor &tensor) {
    return m_graph.addConstant(fmt::format("{}/{}", m_node.name, what), tensor);
}

std::string NodeExport::integers(std::string_view what, const std::vector<int64_t> &values) {
    return constant(what, integerTensor({static_cast<int64_t>(values.size())}, values));
}

} // namespace loopscope
