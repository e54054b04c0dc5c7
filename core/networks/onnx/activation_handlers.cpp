// Activations that the operator set got late, and which exporters before it wrote as several operators.
#include "networks/onnx/handlers.h"

#include <numbers>

namespace loopscope {

namespace {

ValueId numberLike(NodeImport &node, std::string_view what, double number) {
    return node.constant(what, HostTensor::scalar(node.dtype(0), number));
}

/// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))), Hendrycks and Gimpel 2016, as x * sigmoid(2 sqrt(2/pi) ...).
Translated geluByTanh(NodeImport &node) {
    const ValueId x = node.in(0);
    const auto square = node.value("mul", {x, x});
    if (!square) return square.refusal();
    const auto cubicPart = node.value("mul", {*square, numberLike(node, "cubic", 0.044715)});
    if (!cubicPart) return cubicPart.refusal();
    const auto factor = node.value("add", {*cubicPart, numberLike(node, "one", 1)});
    if (!factor) return factor.refusal();
    const auto inner = node.value("mul", {x, *factor});
    if (!inner) return inner.refusal();
    const double scale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    const auto scaled = node.value("mul", {*inner, numberLike(node, "scale", scale)});
    if (!scaled) return scaled.refusal();
    const auto gate = node.value("sigmoid", {*scaled});
    if (!gate) return gate.refusal();
    return node.finish("mul", {x, *gate});
}

Translated gelu(NodeImport &node) {
    if (node.text("approximate", "none") == "tanh") return geluByTanh(node);
    return node.finish("gelu", {node.in(0)});
}

/// x * tanh(log(1 + e^x)).
Translated mish(NodeImport &node) {
    const auto plus = node.value("softplus", {node.in(0)});
    if (!plus) return plus.refusal();
    const auto gate = node.value("tanh", {*plus});
    if (!gate) return gate.refusal();
    return node.finish("mul", {node.in(0), *gate});
}

/// x * sigmoid(alpha * x).
Translated swish(NodeImport &node) {
    ValueId inner = node.in(0);
    if (const double alpha = node.number("alpha", 1); alpha != 1) {
        const auto scaled = node.value("mul", {inner, numberLike(node, "alpha", alpha)});
        if (!scaled) return scaled.refusal();
        inner = *scaled;
    }
    const auto gate = node.value("sigmoid", {inner});
    if (!gate) return gate.refusal();
    return node.finish("mul", {node.in(0), *gate});
}

/// x where x > alpha, otherwise 0.
Translated thresholdedRelu(NodeImport &node) {
    const auto above = node.value("greater", {node.in(0), numberLike(node, "alpha", node.number("alpha", 1))});
    if (!above) return above.refusal();
    return node.finish("where", {*above, node.in(0), numberLike(node, "zero", 0)});
}

/// max(0, x) + min(0, alpha * (e^(x / alpha) - 1)), Barron 2017.
Translated celu(NodeImport &node) {
    const double alpha = node.number("alpha", 1);
    if (alpha == 1) return node.finish("elu", {node.in(0)}, {{"alpha", 1.0}});
    if (alpha == 0) return Refusal{"attribute 'alpha' is 0; the input is divided by it"};
    const ValueId factor = numberLike(node, "alpha", alpha);
    // Each side by itself: a large number divided by alpha may leave the type.
    const auto below = node.value("minimum", {node.in(0), numberLike(node, "zero", 0)});
    if (!below) return below.refusal();
    const auto shrunk = node.value("div", {*below, factor});
    if (!shrunk) return shrunk.refusal();
    const auto bent = node.value("elu", {*shrunk}, {{"alpha", 1.0}});
    if (!bent) return bent.refusal();
    const auto scaled = node.value("mul", {*bent, factor});
    if (!scaled) return scaled.refusal();
    const auto above = node.value("relu", {node.in(0)});
    if (!above) return above.refusal();
    return node.finish("add", {*above, *scaled});
}

constexpr OnnxHandler kActivations[] = {
    {"ThresholdedRelu", 10, 1, 1, "alpha:f", thresholdedRelu},
    {"Celu", 12, 1, 1, "alpha:f", celu},
    {"Mish", 18, 1, 1, "", mish},
    {"Gelu", 20, 1, 1, "approximate:s=none|tanh", gelu},
    {"Swish", 24, 1, 1, "alpha:f", swish},
};

} // namespace

std::span<const OnnxHandler> activationHandlers() { return kActivations; }

} // namespace loopscope
