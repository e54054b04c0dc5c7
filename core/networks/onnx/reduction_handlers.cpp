#include "language/expr/half.h"
#include "networks/onnx/handlers.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// Axes are an attribute up to version 17 (of ReduceSum 12), and an input from then on. No axes are all of them, unless
/// the node says that then nothing is reduced.
struct Reduced {
    std::vector<int64_t> axes;
    bool nothing = false;
};

Outcome<Reduced> reducedAxes(NodeImport &node) {
    Reduced reduced = {node.integers("axes"), false};
    if (node.has(1)) {
        auto given = node.integersOf(1, "axes");
        if (!given) return given.refusal();
        reduced.axes = *std::move(given);
    }
    reduced.nothing = reduced.axes.empty() && node.integer("noop_with_empty_axes", 0) != 0;
    return reduced;
}

Attributes over(NodeImport &node, std::vector<int64_t> axes) {
    return {{"axes", std::move(axes)}, {"keep_dims", int64_t{node.integer("keepdims", 1) != 0 ? 1 : 0}}};
}

/// Of no axes what the operator makes of each element alone: `ofOne`, itself in most cases, a product with itself.
Translated ofElements(NodeImport &node, std::string_view ofOne) {
    return node.finish(ofOne, std::vector<ValueId>(ofOne == "mul" ? 2 : 1, node.in(0)));
}

template <OpName op, OpName ofOne = "identity"> Translated reduce(NodeImport &node) {
    const auto reduced = reducedAxes(node);
    if (!reduced) return reduced.refusal();
    if (reduced->nothing) return ofElements(node, ofOne.text);
    return node.finish(op.text, {node.in(0)}, over(node, reduced->axes));
}

Translated reduceL1(NodeImport &node) {
    const auto reduced = reducedAxes(node);
    if (!reduced) return reduced.refusal();
    if (reduced->nothing) return ofElements(node, "abs");
    const auto size = node.value("abs", {node.in(0)});
    if (!size) return size.refusal();
    return node.finish("reduce_sum", {*size}, over(node, reduced->axes));
}

Translated reduceLogSum(NodeImport &node) {
    const auto reduced = reducedAxes(node);
    if (!reduced) return reduced.refusal();
    if (reduced->nothing) return ofElements(node, "log");
    const auto x = widened(node, node.in(0));
    if (!x) return x.refusal();
    const auto sum = node.value("reduce_sum", {*x}, over(node, reduced->axes));
    if (!sum) return sum.refusal();
    return finishRounded(node, "log", {*sum});
}

/// The greatest, and where it is infinite the last finite number: what is subtracted from it must be one.
Outcome<ValueId> finiteGreatest(NodeImport &node, ValueId x, const Attributes &how) {
    const auto greatest = node.value("reduce_max", {x}, how);
    if (!greatest) return greatest;
    const double last = largestOf(node.type(x).dtype);
    return node.value("clip", {*greatest}, {{"min", -last}, {"max", last}});
}

/// log(sum(e^(x - m))) + m with m the greatest, so that nothing overflows.
Translated reduceLogSumExp(NodeImport &node) {
    const auto reduced = reducedAxes(node);
    if (!reduced) return reduced.refusal();
    if (reduced->nothing) return ofElements(node, "identity");
    Attributes keeping = over(node, reduced->axes);
    keeping["keep_dims"] = int64_t{1};
    const auto x = widened(node, node.in(0));
    if (!x) return x.refusal();
    const auto greatest = finiteGreatest(node, *x, keeping);
    if (!greatest) return greatest.refusal();
    const auto below = node.value("sub", {*x, *greatest});
    if (!below) return below.refusal();
    const auto powers = node.value("exp", {*below});
    if (!powers) return powers.refusal();
    const auto sum = node.value("reduce_sum", {*powers}, over(node, reduced->axes));
    if (!sum) return sum.refusal();
    const auto logarithm = node.value("log", {*sum});
    if (!logarithm) return logarithm.refusal();
    ValueId shift = *greatest;
    if (node.integer("keepdims", 1) == 0) {
        const auto again = finiteGreatest(node, *x, over(node, reduced->axes));
        if (!again) return again.refusal();
        shift = *again;
    }
    return finishRounded(node, "add", {*logarithm, shift});
}

template <OpName op> Translated argument(NodeImport &node) {
    return node.finish(op.text, {node.in(0)},
                       {{"axis", node.integer("axis", 0)},
                        {"keep_dims", int64_t{node.integer("keepdims", 1) != 0 ? 1 : 0}},
                        {"select_last", node.integer("select_last_index", 0)}});
}

constexpr std::string_view kAxes = "axes:I keepdims:i";
constexpr std::string_view kAxesBehind = "keepdims:i noop_with_empty_axes:i";

constexpr OnnxHandler kReduction[] = {
    {"ReduceSum", 1, 1, 1, kAxes, reduce<"reduce_sum">},
    {"ReduceSum", 13, 1, 2, kAxesBehind, reduce<"reduce_sum">},
    {"ReduceMean", 1, 1, 1, kAxes, reduce<"reduce_mean">},
    {"ReduceMean", 18, 1, 2, kAxesBehind, reduce<"reduce_mean">},
    {"ReduceMax", 1, 1, 1, kAxes, reduce<"reduce_max">},
    {"ReduceMax", 18, 1, 2, kAxesBehind, reduce<"reduce_max">},
    {"ReduceMin", 1, 1, 1, kAxes, reduce<"reduce_min">},
    {"ReduceMin", 18, 1, 2, kAxesBehind, reduce<"reduce_min">},
    {"ReduceProd", 1, 1, 1, kAxes, reduce<"reduce_prod">},
    {"ReduceProd", 18, 1, 2, kAxesBehind, reduce<"reduce_prod">},
    {"ReduceL2", 1, 1, 1, kAxes, reduce<"reduce_l2", "abs">},
    {"ReduceL2", 18, 1, 2, kAxesBehind, reduce<"reduce_l2", "abs">},
    {"ReduceSumSquare", 1, 1, 1, kAxes, reduce<"reduce_sum_square", "mul">},
    {"ReduceSumSquare", 18, 1, 2, kAxesBehind, reduce<"reduce_sum_square", "mul">},
    {"ReduceL1", 1, 1, 1, kAxes, reduceL1},
    {"ReduceL1", 18, 1, 2, kAxesBehind, reduceL1},
    {"ReduceLogSum", 1, 1, 1, kAxes, reduceLogSum},
    {"ReduceLogSum", 18, 1, 2, kAxesBehind, reduceLogSum},
    {"ReduceLogSumExp", 1, 1, 1, kAxes, reduceLogSumExp},
    {"ReduceLogSumExp", 18, 1, 2, kAxesBehind, reduceLogSumExp},
    {"ArgMax", 1, 1, 1, "axis:i keepdims:i", argument<"argmax">},
    {"ArgMax", 12, 1, 1, "axis:i keepdims:i select_last_index:i=0|1", argument<"argmax">},
    {"ArgMin", 1, 1, 1, "axis:i keepdims:i", argument<"argmin">},
    {"ArgMin", 12, 1, 1, "axis:i keepdims:i select_last_index:i=0|1", argument<"argmin">},
};

} // namespace

std::span<const OnnxHandler> reductionHandlers() { return kReduction; }

} // namespace loopscope
