#pragma once
// A network small enough to be told word by word: two blocks that are the same, each a convolution with a relu, another
// convolution and a sum with what went in; then a pooling over everything and a product.

#include "networks/graph/function_builder.h"
#include "views/session/network_contents.h"

#include <span>

namespace loopscope {

inline HostTensor someWeights(std::vector<int64_t> dims) {
    std::vector<float> values(static_cast<size_t>(elementCount(dims)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    return HostTensor::fromBytes(DType::Float32, std::move(dims), std::as_bytes(std::span(values)));
}

inline NetworkContentsPtr smallNetwork(int blocks = 2) {
    FunctionBuilder builder("main");
    const auto typed = [&](ValueId value, const std::vector<int64_t> &dims) {
        builder.setType(value, TensorType{DType::Float32, asDims(dims)});
        return value;
    };
    ValueId x = builder.addParameter("x", {DType::Float32, asDims({1, 4, 8, 8})});
    const Attributes padded{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
    for (int i = 0; i < blocks; ++i) {
        const std::string name = "stage" + std::to_string(i + 1);
        const auto conv = [&](const std::string &part, ValueId from) {
            const ValueId w = builder.addConstant(name + "/" + part + "_w", someWeights({4, 4, 3, 3}));
            return typed(builder.add("conv", name + "/" + part, {from, w}, padded, {name + "/" + part}), {1, 4, 8, 8});
        };
        const ValueId a = conv("first", x);
        const ValueId relu = typed(builder.add("relu", name + "/relu", {a}, {}, {name + "/relu"}), {1, 4, 8, 8});
        const ValueId b = conv("second", relu);
        x = typed(builder.add("add", name + "/sum", {b, x}, {}, {name + "/sum"}), {1, 4, 8, 8});
    }
    const ValueId pooled = typed(builder.add("global_average_pool", "pool", {x}, {}, {"pool"}), {1, 4, 1, 1});
    const ValueId flat = typed(builder.add("flatten", "flat", {pooled}, {{"axis", int64_t{1}}}, {"flat"}), {1, 4});
    const ValueId w = builder.addConstant("out_w", someWeights({10, 4}));
    const ValueId out = typed(builder.add("dense", "out", {flat, w}, {}, {"out"}), {1, 10});
    builder.addResult(out);
    Module module;
    module.name = "small";
    module.functions = {std::move(builder).finish()};
    return networkOf(std::move(module));
}

} // namespace loopscope
