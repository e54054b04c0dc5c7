// Softmax and what networks normalise by.

#include "records/resolve/op_patterns.h"

#include <string>
#include <vector>

namespace loopscope {

namespace {

/// Squares of neighbouring channels, summed; the text tells neither the window nor the constants, which are AlexNet's.
OpPattern responseNorm(bool channelsLast) {
    const std::string axes = channelsLast ? "(ax0 < N, ax1 < H, ax2 < W, ax3 < C" : "(ax0 < N, ax1 < C";
    const std::string rest = channelsLast ? ")" : ", ax2 < H, ax3 < W)";
    const std::string c = channelsLast ? "ax3" : "ax1";
    const auto load = [&](const std::string &tensor, const std::string &at) {
        return tensor + (channelsLast ? "[ax0, ax1, ax2, " + at + "]" : "[ax0, " + at + ", ax2, ax3]");
    };
    const std::string square = load("pad_data", c + " + rxs");
    return {"lrn",
            channelsLast ? "N H W C -> N H W C" : "N C H W -> N C H W",
            "pad_data" + axes + " + P0 + Q0" + rest + " = if_then_else(" + c + " >= P0 && " + c + " < C + P0, " +
                load("a", c + " - P0") + ", 0)\n" + "s \"tensor\"" + axes + rest + " = sum(rxs < K0; " + square + "*" +
                square + ")\n" + "t \"tensor\"" + axes + rest + " = pow(2.0 + 0.0001*" + load("s", c) + "/K0, 0.75)\n" +
                "r = divide(a, t)",
            "over {K0} channels",
            {{WindowKind::Neighbours, "C", "", "C"}}};
}

} // namespace

std::vector<OpPattern> normalizationPatterns() {
    std::vector<OpPattern> all;
    for (const std::string shape : {"A", "A B", "A B C", "A B C D"}) {
        const std::string shapes = shape + " -> " + shape;
        for (size_t axis = shape.size() / 2 + 1; axis-- > 0;)
            all.push_back({"softmax", shapes, "r = softmax(a, " + std::to_string(axis) + ")",
                           axis == shape.size() / 2 ? "" : "along dimension " + std::to_string(axis)});
    }
    all.push_back({"log_softmax", "A B -> A B",
                   "T_softmax_maxelem(i0 < A) = max(k < B; a[i0, k])\n"
                   "c \"compute\"(i0 < A) = sum(k < B; exp(a[i0, k] - T_softmax_maxelem[i0]))\n"
                   "r \"compute\"(i0 < A, i1 < B) = a[i0, i1] - T_softmax_maxelem[i0] - log(c[i0])",
                   ""});
    // Norms of vectors come out of graphs as their parts; these have two outputs of one reduction.
    all.push_back({"layer_norm", "A B, B, B -> A B", "r = layer_norm(a, b, c, two_pass = 0)", ""});
    all.push_back({"layer_norm", "A B C, C, C -> A B C", "r = layer_norm(a, b, c, two_pass = 0)", ""});
    for (const bool channelsLast : {false, true}) all.push_back(responseNorm(channelsLast));
    return all;
}

} // namespace loopscope
