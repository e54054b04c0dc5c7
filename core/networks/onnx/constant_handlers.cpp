#include "networks/onnx/handlers.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

Translated constant(NodeImport &node) {
    std::string_view which;
    int forms = 0;
    for (const std::string_view name : {"value", "value_float", "value_floats", "value_int", "value_ints"})
        if (node.given(name)) {
            which = name;
            ++forms;
        }
    if (forms != 1) return Refusal{"must have one attribute that gives its value, such as 'value'"};
    if (which == "value") {
        auto tensor = node.tensor("value");
        if (!tensor) return tensor.refusal();
        return node.finishConstant(*std::move(tensor));
    }
    if (which == "value_float") return node.finishConstant(HostTensor::scalar(DType::Float32, node.number(which, 0)));
    if (which == "value_int") return node.finishConstant(integerSplat(DType::Int64, {}, node.integer(which, 0)));
    if (which == "value_ints") {
        const std::vector<int64_t> values = node.integers(which);
        return node.finishConstant(integerTensor({static_cast<int64_t>(values.size())}, values));
    }
    const auto *list = node.attribute(which);
    const std::vector<float> values(list->floats().begin(), list->floats().end());
    return node.finishConstant(floatTensor({static_cast<int64_t>(values.size())}, values));
}

Translated constantOfShape(NodeImport &node) {
    HostTensor value = HostTensor::splat(DType::Float32, {1}, 0);
    if (node.given("value")) {
        auto tensor = node.tensor("value");
        if (!tensor) return tensor.refusal();
        if (tensor->elements() != 1)
            return Refusal{
                fmt::format("attribute 'value' has {} elements; it is the one that is repeated", tensor->elements())};
        value = *std::move(tensor);
    }
    const auto known = node.integersOf(0, "the shape");
    if (!known) return node.finish("constant_of_shape", {node.in(0)}, {{"value", value}});
    const TensorType type = {value.dtype(), asDims(*known)};
    if (const auto refusal = node.sizeRefusal(type)) return *refusal;
    if (isFloat(value.dtype())) return node.finishConstant(HostTensor::splat(value.dtype(), *known, value.number(0)));
    return node.finishConstant(integerSplat(value.dtype(), *known, value.integer(0)));
}

Translated range(NodeImport &node) { return node.finish("range", {node.in(0), node.in(1), node.in(2)}); }

constexpr OnnxHandler kConstants[] = {
    {"Constant", 1, 0, 0, "value:t", constant},
    {"Constant", 12, 0, 0, "value:t value_float:f value_floats:F value_int:i value_ints:I", constant},
    {"ConstantOfShape", 9, 1, 1, "value:t", constantOfShape},
    {"Range", 11, 3, 3, "", range},
    {"Range", 27, 3, 3, "stash_type:i", range},
};

} // namespace

std::span<const OnnxHandler> constantHandlers() { return kConstants; }

} // namespace loopscope
