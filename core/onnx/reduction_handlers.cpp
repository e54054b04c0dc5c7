#include "onnx/handlers.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

Attributes over(NodeImport &node, std::vector<int64_t> axes) {
    return {{"axes", std::move(axes)}, {"keep_dims", int64_t{node.integer("keepdims", 1) != 0 ? 1 : 0}}};
}

/// Axes as an attribute, which is every form up to version 17 but that of ReduceSum.
template <OpName op> Translated reduceByAttribute(NodeImport &node) {
    return node.finish(op.text, {node.in(0)}, over(node, node.integers("axes")));
}

Translated reduceSumByInput(NodeImport &node) {
    std::vector<int64_t> axes;
    if (node.has(1)) {
        auto given = node.integersOf(1, "axes");
        if (!given) return given.refusal();
        axes = *std::move(given);
    }
    // No axes are all of them, or none.
    if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return node.finish("identity", {node.in(0)});
    return node.finish("reduce_sum", {node.in(0)}, over(node, std::move(axes)));
}

Translated reduceL1(NodeImport &node) {
    const auto size = node.value("abs", {node.in(0)});
    if (!size) return size.refusal();
    return node.finish("reduce_sum", {*size}, over(node, node.integers("axes")));
}

Translated reduceLogSum(NodeImport &node) {
    const auto sum = node.value("reduce_sum", {node.in(0)}, over(node, node.integers("axes")));
    if (!sum) return sum.refusal();
    return node.finish("log", {*sum});
}

/// log(sum(e^(x - m))) + m with m the greatest, so that nothing overflows.
Translated reduceLogSumExp(NodeImport &node) {
    const std::vector<int64_t> axes = node.integers("axes");
    Attributes keeping = over(node, axes);
    keeping["keep_dims"] = int64_t{1};
    const auto greatest = node.value("reduce_max", {node.in(0)}, keeping);
    if (!greatest) return greatest.refusal();
    const auto below = node.value("sub", {node.in(0), *greatest});
    if (!below) return below.refusal();
    const auto powers = node.value("exp", {*below});
    if (!powers) return powers.refusal();
    const auto sum = node.value("reduce_sum", {*powers}, over(node, axes));
    if (!sum) return sum.refusal();
    const auto logarithm = node.value("log", {*sum});
    if (!logarithm) return logarithm.refusal();
    ValueId shift = *greatest;
    if (node.integer("keepdims", 1) == 0) {
        const auto again = node.value("reduce_max", {node.in(0)}, over(node, axes));
        if (!again) return again.refusal();
        shift = *again;
    }
    return node.finish("add", {*logarithm, shift});
}

template <OpName op> Translated argument(NodeImport &node) {
    return node.finish(op.text, {node.in(0)},
                       {{"axis", node.integer("axis", 0)},
                        {"keep_dims", int64_t{node.integer("keepdims", 1) != 0 ? 1 : 0}},
                        {"select_last", node.integer("select_last_index", 0)}});
}

constexpr std::string_view kAxes = "axes:I keepdims:i";

constexpr OnnxHandler kReduction[] = {
    {"ReduceSum", 1, 1, 1, kAxes, reduceByAttribute<"reduce_sum">},
    {"ReduceSum", 13, 1, 2, "keepdims:i noop_with_empty_axes:i", reduceSumByInput},
    {"ReduceMean", 1, 1, 1, kAxes, reduceByAttribute<"reduce_mean">},
    {"ReduceMax", 1, 1, 1, kAxes, reduceByAttribute<"reduce_max">},
    {"ReduceMin", 1, 1, 1, kAxes, reduceByAttribute<"reduce_min">},
    {"ReduceProd", 1, 1, 1, kAxes, reduceByAttribute<"reduce_prod">},
    {"ReduceL2", 1, 1, 1, kAxes, reduceByAttribute<"reduce_l2">},
    {"ReduceSumSquare", 1, 1, 1, kAxes, reduceByAttribute<"reduce_sum_square">},
    {"ReduceL1", 1, 1, 1, kAxes, reduceL1},
    {"ReduceLogSum", 1, 1, 1, kAxes, reduceLogSum},
    {"ReduceLogSumExp", 1, 1, 1, kAxes, reduceLogSumExp},
    {"ArgMax", 1, 1, 1, "axis:i keepdims:i", argument<"argmax">},
    {"ArgMax", 12, 1, 1, "axis:i keepdims:i select_last_index:i=0|1", argument<"argmax">},
    {"ArgMin", 1, 1, 1, "axis:i keepdims:i", argument<"argmin">},
    {"ArgMin", 12, 1, 1, "axis:i keepdims:i select_last_index:i=0|1", argument<"argmin">},
};

} // namespace

std::span<const OnnxHandler> reductionHandlers() { return kReduction; }

} // namespace loopscope
