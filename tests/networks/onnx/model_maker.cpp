#include "model_maker.h"

#include "networks/onnx/tensor_data.h"
#include "networks/op/operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace loopscope {

namespace {

void declare(onnx::ValueInfoProto &info, const std::string &name, const std::vector<int64_t> &dims, DType type) {
    info.set_name(name);
    auto *tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnxOfDtype(type));
    tensor->mutable_shape();
    for (const int64_t dim : dims) {
        auto *to = tensor->mutable_shape()->add_dim();
        if (dim >= 0) to->set_dim_value(dim);
        if (dim < -1) to->set_dim_param(std::string(1, static_cast<char>('a' - 2 - dim)));
    }
}

std::string attributeText(const Attribute &attribute) {
    return std::visit(
        [](const auto &value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, HostTensor>)
                return fmt::format("{}", value.number(0));
            else
                return fmt::format("{}", value);
        },
        attribute);
}

} // namespace

ModelMaker::ModelMaker(int64_t opset) {
    m_model.set_ir_version(8);
    auto *import = m_model.add_opset_import();
    import->set_domain("");
    import->set_version(opset);
    m_model.mutable_graph()->set_name("made");
}

ModelMaker &ModelMaker::input(const std::string &name, std::vector<int64_t> dims, DType type) {
    declare(*graph().add_input(), name, dims, type);
    return *this;
}

ModelMaker &ModelMaker::output(const std::string &name) {
    graph().add_output()->set_name(name);
    return *this;
}

ModelMaker &ModelMaker::output(const std::string &name, const std::vector<int64_t> &dims, DType type) {
    declare(*graph().add_output(), name, dims, type);
    return *this;
}

ModelMaker &ModelMaker::initialiser(const std::string &name, const HostTensor &tensor) {
    writeTensor(*graph().add_initializer(), name, tensor);
    return *this;
}

onnx::NodeProto &ModelMaker::node(const std::string &op, const std::vector<std::string> &inputs,
                                  const std::vector<std::string> &outputs,
                                  const std::vector<std::pair<std::string, OnnxAttribute>> &attributes) {
    auto *node = graph().add_node();
    node->set_op_type(op);
    for (const std::string &input : inputs) node->add_input(input);
    for (const std::string &output : outputs) node->add_output(output);
    for (const auto &[name, value] : attributes) {
        auto *to = node->add_attribute();
        to->set_name(name);
        if (const auto *integer = std::get_if<int64_t>(&value)) {
            to->set_type(onnx::AttributeProto_AttributeType_INT);
            to->set_i(*integer);
        } else if (const auto *number = std::get_if<float>(&value)) {
            to->set_type(onnx::AttributeProto_AttributeType_FLOAT);
            to->set_f(*number);
        } else if (const auto *text = std::get_if<std::string>(&value)) {
            to->set_type(onnx::AttributeProto_AttributeType_STRING);
            to->set_s(*text);
        } else if (const auto *integers = std::get_if<std::vector<int64_t>>(&value)) {
            to->set_type(onnx::AttributeProto_AttributeType_INTS);
            for (const int64_t each : *integers) to->add_ints(each);
        } else if (const auto *numbers = std::get_if<std::vector<float>>(&value)) {
            to->set_type(onnx::AttributeProto_AttributeType_FLOATS);
            for (const float each : *numbers) to->add_floats(each);
        } else {
            to->set_type(onnx::AttributeProto_AttributeType_TENSOR);
            writeTensor(*to->mutable_t(), "", std::get<HostTensor>(value));
        }
    }
    return *node;
}

ImportResult ModelMaker::import(const ImportOptions &options) const { return importText(bytes(), {}, options); }

ImportResult importText(const std::string &bytes, const std::string &folder, const ImportOptions &options) {
    return importOnnxBytes(std::as_bytes(std::span(bytes.data(), bytes.size())), folder, options);
}

namespace {

bool isDefault(const Node &node, const std::string &name, const Attribute &attribute) {
    const Operator *of = findOperator(node.op);
    if (!of) return false;
    for (const AttributeSpec &spec : of->attributes)
        if (spec.name == name && spec.fallback) return attributeText(*spec.fallback) == attributeText(attribute);
    return false;
}

std::string textOf(const GraphFunction &function, bool defaults) {
    std::string text;
    const auto value = [&](ValueId id) {
        return fmt::format("{} {}", function.value(id).name, typeText(function.type(id)));
    };
    for (const ValueId parameter : function.parameters()) text += fmt::format("parameter {}\n", value(parameter));
    for (size_t i = 0; i < function.nodeCount(); ++i) {
        const Node &node = function.node(NodeId(i));
        std::vector<std::string> outputs;
        for (const ValueId output : node.outputs) outputs.push_back(value(output));
        std::vector<std::string> inputs;
        for (const ValueId input : node.inputs) {
            if (input.value < 0) {
                inputs.emplace_back("-");
                continue;
            }
            const HostTensor *constant = function.constant(input);
            if (!constant) {
                inputs.push_back(function.value(input).name);
                continue;
            }
            std::vector<double> first;
            for (int64_t at = 0; at < std::min<int64_t>(constant->elements(), 6); ++at)
                first.push_back(constant->number(at));
            inputs.push_back(fmt::format("{} [{}]", typeText(function.type(input)), fmt::join(first, ", ")));
        }
        std::vector<std::string> attributes;
        for (const auto &[name, attribute] : node.attributes)
            if (defaults || !isDefault(node, name, attribute))
                attributes.push_back(fmt::format("{}: {}", name, attributeText(attribute)));
        text += fmt::format("{} = {}({})", fmt::join(outputs, ", "), node.op, fmt::join(inputs, ", "));
        if (!attributes.empty()) text += fmt::format(" {{{}}}", fmt::join(attributes, ", "));
        text += "\n";
    }
    for (const ValueId result : function.results()) text += fmt::format("result {}\n", value(result));
    return text;
}

} // namespace

std::string functionText(const GraphFunction &function) { return textOf(function, true); }
std::string shortText(const GraphFunction &function) { return textOf(function, false); }

std::string problemsText(const ImportResult &result) {
    std::string text;
    for (const OnnxProblem &problem : result.problems) text += problemText(problem) + "\n";
    return text;
}

} // namespace loopscope
