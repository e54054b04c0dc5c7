#include "networks/onnx/handlers.h"

#include <fmt/format.h>
#include <numeric>

namespace loopscope {

namespace {

/// Up to version 6: b stands for the axes of a from `axis` on, or for the last ones; those behind are of extent 1.
Outcome<ValueId> alignedOperand(NodeImport &node) {
    if (node.integer("broadcast", 0) == 0) {
        if (node.dims(0).size() != node.dims(1).size())
            return Refusal{fmt::format("adds {} and {} without broadcasting", typeText(node.type(node.in(0))),
                                       typeText(node.type(node.in(1))))};
        return node.in(1);
    }
    if (!node.given("axis")) return node.in(1);
    int64_t axis = node.integer("axis", 0);
    if (axis < 0) axis += node.rank(0);
    const int64_t behind = node.rank(0) - axis - node.rank(1);
    if (axis < 0 || behind < 0)
        return Refusal{fmt::format("broadcasts {} from axis {} of {} on, where it has no place",
                                   typeText(node.type(node.in(1))), node.integer("axis", 0),
                                   typeText(node.type(node.in(0))))};
    if (behind == 0) return node.in(1);
    std::vector<int64_t> axes(static_cast<size_t>(behind));
    std::iota(axes.begin(), axes.end(), node.rank(1));
    return node.value("unsqueeze", {node.in(1)}, {{"axes", axes}});
}

template <OpName op> Translated oldBinary(NodeImport &node) {
    const auto b = alignedOperand(node);
    if (!b) return b.refusal();
    return node.finish(op.text, {node.in(0), *b});
}

template <OpName op> Translated binary(NodeImport &node) { return node.finish(op.text, {node.in(0), node.in(1)}); }

/// Base and exponent may differ in type; the result has that of the base.
Translated mixedPower(NodeImport &node, ValueId b) {
    const DType base = node.dtype(0);
    const DType exponent = node.type(b).dtype;
    if (base == exponent) return node.finish("pow", {node.in(0), b});
    if (isFloat(base) || isInteger(exponent)) {
        const auto same = node.value("cast", {b}, {{"to", std::string(dtypeName(base))}});
        if (!same) return same.refusal();
        return node.finish("pow", {node.in(0), *same});
    }
    // An integer to the power of 0.5: computed in the exponent's type.
    const auto wide = node.value("cast", {node.in(0)}, {{"to", std::string(dtypeName(exponent))}});
    if (!wide) return wide.refusal();
    const auto power = node.value("pow", {*wide, b});
    if (!power) return power.refusal();
    return node.finish("cast", {*power}, {{"to", std::string(dtypeName(base))}});
}

Translated power(NodeImport &node) { return mixedPower(node, node.in(1)); }

Translated mod(NodeImport &node) {
    const int64_t fmod = node.integer("fmod", 0);
    if (isFloat(node.dtype(0)) && fmod == 0 && node.opset() < 28)
        return Refusal{
            "attribute 'fmod' is 0, and floats need 1 before version 28 of the operator set: their remainder "
            "is that of C's fmod"};
    return node.finish("mod", {node.in(0), node.in(1)}, {{"fmod", fmod}});
}

/// One behind the other; of one input the input itself.
template <OpName op> Translated folded(NodeImport &node) {
    if (node.inputs().size() == 1) return node.finish("identity", {node.in(0)});
    ValueId so = node.in(0);
    for (size_t i = 1; i + 1 < node.inputs().size(); ++i) {
        const auto next = node.value(op.text, {so, node.in(i)});
        if (!next) return next.refusal();
        so = *next;
    }
    return node.finish(op.text, {so, node.in(node.inputs().size() - 1)});
}

Translated sum(NodeImport &node) {
    if (node.inputs().size() == 1) return node.finish("identity", {node.in(0)});
    return node.finish("add_n", node.inputs());
}

Translated mean(NodeImport &node) {
    if (node.inputs().size() == 1) return node.finish("identity", {node.in(0)});
    std::vector<ValueId> terms;
    for (const ValueId input : node.inputs()) {
        const auto term = widened(node, input);
        if (!term) return term.refusal();
        terms.push_back(*term);
    }
    const DType type = node.type(terms[0]).dtype;
    const auto total = node.value("add_n", std::move(terms));
    if (!total) return total.refusal();
    const auto count = static_cast<double>(node.inputs().size());
    return finishRounded(node, "div", {*total, node.constant("count", HostTensor::scalar(type, count))});
}

/// Up to version 6 a slope for each channel.
Translated oldPrelu(NodeImport &node) {
    ValueId slope = node.in(1);
    if (node.rank(1) == 1 && node.rank(0) > 2) {
        std::vector<int64_t> axes(static_cast<size_t>(node.rank(0) - 2));
        std::iota(axes.begin(), axes.end(), 1);
        const auto channels = node.value("unsqueeze", {slope}, {{"axes", axes}});
        if (!channels) return channels.refusal();
        slope = *channels;
    }
    return node.finish("prelu", {node.in(0), slope});
}

Translated where(NodeImport &node) { return node.finish("where", {node.in(0), node.in(1), node.in(2)}); }

constexpr std::string_view kOld = "axis:i broadcast:i=0|1 consumed_inputs:I";

constexpr OnnxHandler kBinary[] = {
    {"Add", 1, 2, 2, kOld, oldBinary<"add">},
    {"Add", 7, 2, 2, "", binary<"add">},
    {"Sub", 1, 2, 2, kOld, oldBinary<"sub">},
    {"Sub", 7, 2, 2, "", binary<"sub">},
    {"Mul", 1, 2, 2, kOld, oldBinary<"mul">},
    {"Mul", 7, 2, 2, "", binary<"mul">},
    {"Div", 1, 2, 2, kOld, oldBinary<"div">},
    {"Div", 7, 2, 2, "", binary<"div">},
    {"Pow", 1, 2, 2, kOld, oldBinary<"pow">},
    {"Pow", 7, 2, 2, "", power},
    {"And", 1, 2, 2, kOld, oldBinary<"and">},
    {"And", 7, 2, 2, "", binary<"and">},
    {"Or", 1, 2, 2, kOld, oldBinary<"or">},
    {"Or", 7, 2, 2, "", binary<"or">},
    {"Xor", 1, 2, 2, kOld, oldBinary<"xor">},
    {"Xor", 7, 2, 2, "", binary<"xor">},
    {"Equal", 1, 2, 2, kOld, oldBinary<"equal">},
    {"Equal", 7, 2, 2, "", binary<"equal">},
    {"Less", 1, 2, 2, kOld, oldBinary<"less">},
    {"Less", 7, 2, 2, "", binary<"less">},
    {"Greater", 1, 2, 2, kOld, oldBinary<"greater">},
    {"Greater", 7, 2, 2, "", binary<"greater">},
    {"LessOrEqual", 12, 2, 2, "", binary<"less_equal">},
    {"GreaterOrEqual", 12, 2, 2, "", binary<"greater_equal">},
    {"Mod", 10, 2, 2, "fmod:i=0|1", mod},
    {"Max", 1, 1, kAnyNumber, "consumed_inputs:I", folded<"maximum">},
    {"Min", 1, 1, kAnyNumber, "consumed_inputs:I", folded<"minimum">},
    {"Sum", 1, 1, kAnyNumber, "consumed_inputs:I", sum},
    {"Mean", 1, 1, kAnyNumber, "consumed_inputs:I", mean},
    {"PRelu", 1, 2, 2, "consumed_inputs:I", oldPrelu},
    {"PRelu", 7, 2, 2, "", binary<"prelu">},
    {"Where", 9, 3, 3, "", where},
};

} // namespace

std::span<const OnnxHandler> binaryHandlers() { return kBinary; }

} // namespace loopscope
