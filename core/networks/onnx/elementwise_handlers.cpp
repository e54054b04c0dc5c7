#include "networks/onnx/handlers.h"

#include <fmt/format.h>
#include <optional>
#include <string>

namespace loopscope {

namespace {

/// An operator whose form never changed: the name of ours is all there is to it.
template <OpName op> Translated plainUnary(NodeImport &node) { return node.finish(op.text, {node.in(0)}); }

Translated leakyRelu(NodeImport &node) {
    return node.finish("leaky_relu", {node.in(0)}, {{"alpha", node.number("alpha", 0.01)}});
}

Translated elu(NodeImport &node) { return node.finish("elu", {node.in(0)}, {{"alpha", node.number("alpha", 1.0)}}); }

Translated hardSigmoid(NodeImport &node) {
    return node.finish("hard_sigmoid", {node.in(0)},
                       {{"alpha", node.number("alpha", 0.2)}, {"beta", node.number("beta", 0.5)}});
}

/// x / (1 + |x|).
Translated softsign(NodeImport &node) {
    const ValueId one = node.constant("one", HostTensor::scalar(node.dtype(0), 1));
    const auto size = node.value("abs", {node.in(0)});
    if (!size) return size.refusal();
    const auto sum = node.value("add", {*size, one});
    if (!sum) return sum.refusal();
    return node.finish("div", {node.in(0), *sum});
}

/// gamma * (max(x, 0) + alpha * (e^min(x, 0) - 1)): elu, scaled.
Translated selu(NodeImport &node) {
    const ValueId gamma = node.constant("gamma", HostTensor::scalar(node.dtype(0), node.number("gamma", 1.050701)));
    const auto scaled = node.value("elu", {node.in(0)}, {{"alpha", node.number("alpha", 1.6732632)}});
    if (!scaled) return scaled.refusal();
    return node.finish("mul", {*scaled, gamma});
}

Translated clipByAttributes(NodeImport &node) {
    Attributes limits;
    for (const char *name : {"min", "max"})
        if (node.given(name)) limits[name] = node.number(name, 0);
    return node.finish("clip", {node.in(0)}, std::move(limits));
}

/// Of integers as they are: a double does not hold all of 64 bits.
template <typename T> std::optional<Refusal> addLimit(Attributes &limits, size_t input, const std::vector<T> &numbers) {
    if (numbers.size() != 1)
        return Refusal{
            fmt::format("the limits of Clip are one number each, and input {} has {}", input, numbers.size())};
    limits[input == 1 ? "min" : "max"] = numbers.front();
    return std::nullopt;
}

Translated clipByInputs(NodeImport &node) {
    Attributes limits;
    bool known = true;
    for (const size_t i : {1, 2}) {
        if (!node.has(i)) continue;
        const std::string what = i == 1 ? "min" : "max";
        std::optional<Refusal> wrong;
        if (isFloat(node.dtype(i))) {
            const auto numbers = node.numbersOf(i, what);
            known = known && numbers.ok();
            if (numbers) wrong = addLimit(limits, i, *numbers);
        } else {
            const auto numbers = node.integersOf(i, what);
            known = known && numbers.ok();
            if (numbers) wrong = addLimit(limits, i, *numbers);
        }
        if (wrong) return *wrong;
    }
    if (known) return node.finish("clip", {node.in(0)}, std::move(limits));
    // Limits that the network computes.
    for (const size_t i : {1, 2})
        if (node.has(i) && node.rank(i) != 0)
            return Refusal{fmt::format("the limits of Clip are one number each, and input {} is {}", i,
                                       typeText(node.type(node.in(i))))};
    if (!node.has(2)) return node.finish("maximum", {node.in(0), node.in(1)});
    if (!node.has(1)) return node.finish("minimum", {node.in(0), node.in(2)});
    const auto above = node.value("maximum", {node.in(0), node.in(1)});
    if (!above) return above.refusal();
    return node.finish("minimum", {*above, node.in(2)});
}

Translated castTo(NodeImport &node, int type) {
    const auto to = dtypeOfOnnx(type);
    if (!to)
        return Refusal{
            fmt::format("converts to {}; supported are floats of 16 to 64 bits, integers but uint64, and bool",
                        onnxTypeName(type))};
    return node.finish("cast", {node.in(0)}, {{"to", std::string(dtypeName(*to))}});
}

Translated castByNumber(NodeImport &node) {
    if (!node.given("to")) return Refusal{"attribute 'to' is missing"};
    const int64_t to = node.integer("to", 0);
    return castTo(node, to < 0 || to > 1000 ? -1 : static_cast<int>(to));
}

Translated castByName(NodeImport &node) {
    const std::string name = node.text("to", "");
    onnx::TensorProto_DataType type = onnx::TensorProto_DataType_UNDEFINED;
    if (!onnx::TensorProto_DataType_Parse(name, &type))
        return Refusal{fmt::format("attribute 'to' is '{}', which is no type", name)};
    return castTo(node, type);
}

Translated castLike(NodeImport &node) {
    return node.finish("cast", {node.in(0)}, {{"to", std::string(dtypeName(node.dtype(1)))}});
}

// `consumed_inputs` told early runtimes which memory to use again.
constexpr OnnxHandler kElementwise[] = {
    {"Relu", 1, 1, 1, "consumed_inputs:I", plainUnary<"relu">},
    {"Sigmoid", 1, 1, 1, "consumed_inputs:I", plainUnary<"sigmoid">},
    {"Tanh", 1, 1, 1, "consumed_inputs:I", plainUnary<"tanh">},
    {"Exp", 1, 1, 1, "consumed_inputs:I", plainUnary<"exp">},
    {"Log", 1, 1, 1, "consumed_inputs:I", plainUnary<"log">},
    {"Sqrt", 1, 1, 1, "consumed_inputs:I", plainUnary<"sqrt">},
    {"Neg", 1, 1, 1, "consumed_inputs:I", plainUnary<"neg">},
    {"Abs", 1, 1, 1, "consumed_inputs:I", plainUnary<"abs">},
    {"Reciprocal", 1, 1, 1, "consumed_inputs:I", plainUnary<"reciprocal">},
    {"Floor", 1, 1, 1, "consumed_inputs:I", plainUnary<"floor">},
    {"Ceil", 1, 1, 1, "consumed_inputs:I", plainUnary<"ceil">},
    {"Erf", 9, 1, 1, "", plainUnary<"erf">},
    {"Round", 11, 1, 1, "", plainUnary<"round">},
    {"Sign", 9, 1, 1, "", plainUnary<"sign">},
    {"Sin", 7, 1, 1, "", plainUnary<"sin">},
    {"Cos", 7, 1, 1, "", plainUnary<"cos">},
    {"Not", 1, 1, 1, "", plainUnary<"not">},
    {"Identity", 1, 1, 1, "", plainUnary<"identity">},
    {"Softplus", 1, 1, 1, "", plainUnary<"softplus">},
    {"HardSwish", 14, 1, 1, "", plainUnary<"hard_swish">},
    {"LeakyRelu", 1, 1, 1, "alpha:f consumed_inputs:I", leakyRelu},
    {"Elu", 1, 1, 1, "alpha:f consumed_inputs:I", elu},
    {"HardSigmoid", 1, 1, 1, "alpha:f beta:f consumed_inputs:I", hardSigmoid},
    {"Softsign", 1, 1, 1, "", softsign},
    {"Selu", 1, 1, 1, "alpha:f gamma:f consumed_inputs:I", selu},
    {"Clip", 1, 1, 1, "min:f max:f consumed_inputs:I", clipByAttributes},
    {"Clip", 11, 1, 3, "", clipByInputs},
    {"Cast", 1, 1, 1, "to:s", castByName},
    {"Cast", 6, 1, 1, "to:i", castByNumber},
    // Both say how to convert to floats of 8 bits, which no network here has.
    {"Cast", 19, 1, 1, "saturate:i to:i", castByNumber},
    {"Cast", 24, 1, 1, "round_mode:s saturate:i to:i", castByNumber},
    {"CastLike", 15, 2, 2, "", castLike},
    {"CastLike", 19, 2, 2, "saturate:i", castLike},
    {"CastLike", 24, 2, 2, "round_mode:s saturate:i", castLike},
};

} // namespace

std::span<const OnnxHandler> elementwiseHandlers() { return kElementwise; }

} // namespace loopscope
