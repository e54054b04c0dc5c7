#include "networks/passes/node_attributes.h"
#include "networks/passes/rules/rule_list.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

/// Where the reduced axes are the last ones and are kept.
std::optional<size_t> firstOfLastAxes(const FunctionEdit &edit, NodeId reduction) {
    const TensorType *type = edit.type(edit.input(reduction, 0));
    std::vector<int64_t> axes = integersOf(edit.node(reduction), "axes");
    if (!type || axes.empty() || axes.size() > type->dims.size() || integerOf(edit.node(reduction), "keep_dims") == 0)
        return std::nullopt;
    for (int64_t &axis : axes)
        if (axis < 0) axis += static_cast<int64_t>(type->dims.size());
    std::sort(axes.begin(), axes.end());
    const size_t first = type->dims.size() - axes.size();
    for (size_t i = 0; i < axes.size(); ++i)
        if (axes[i] != static_cast<int64_t>(first + i)) return std::nullopt;
    return first;
}

/// The same node, or another that subtracts the same.
bool isSame(const FunctionEdit &edit, ValueId a, ValueId b) {
    if (a == b) return true;
    const NodeId first = madeBy(edit, a, "sub");
    const NodeId second = madeBy(edit, b, "sub");
    if (first.value < 0 || second.value < 0 || edit.input(first, 0) != edit.input(second, 0)) return false;
    const ValueId m = edit.input(first, 1);
    const ValueId n = edit.input(second, 1);
    if (m == n) return true;
    const NodeId p = madeBy(edit, m, "reduce_mean");
    const NodeId q = madeBy(edit, n, "reduce_mean");
    return p.value >= 0 && q.value >= 0 && edit.input(p, 0) == edit.input(q, 0) &&
           sameAttributes(edit.node(p), edit.node(q));
}

bool isSquareOf(const FunctionEdit &edit, ValueId square, ValueId of) {
    if (const NodeId pow = madeBy(edit, square, "pow"); pow.value >= 0)
        return isSame(edit, edit.input(pow, 0), of) && uniformNumber(edit, edit.input(pow, 1)) == 2.0;
    const NodeId mul = madeBy(edit, square, "mul");
    return mul.value >= 0 && isSame(edit, edit.input(mul, 0), of) && isSame(edit, edit.input(mul, 1), of);
}

bool applyLayerNormCore(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const ValueId centred = edit.input(root, 0);
    const NodeId sub = madeBy(edit, centred, "sub");
    if (sub.value < 0) return false;
    const ValueId x = edit.input(sub, 0);
    const NodeId mean = madeBy(edit, edit.input(sub, 1), "reduce_mean");
    const NodeId deviation = madeBy(edit, edit.input(root, 1), "sqrt");
    if (mean.value < 0 || edit.input(mean, 0) != x || deviation.value < 0 || !isFloatValue(edit, x)) return false;
    const NodeId sum = madeBy(edit, edit.input(deviation, 0), "add");
    if (sum.value < 0) return false;
    const size_t side = edit.constant(edit.input(sum, 0)) ? 0 : 1;
    const auto epsilon = uniformNumber(edit, edit.input(sum, side));
    const NodeId variance = madeBy(edit, edit.input(sum, 1 - side), "reduce_mean");
    if (!epsilon || *epsilon < 0 || variance.value < 0 || !isSquareOf(edit, edit.input(variance, 0), centred))
        return false;
    const auto axis = firstOfLastAxes(edit, mean);
    if (!axis || firstOfLastAxes(edit, variance) != axis) return false;
    std::vector<int64_t> dims;
    const TensorType &type = *edit.type(x);
    for (size_t i = *axis; i < type.dims.size(); ++i) {
        if (!type.dims[i].isConstant()) return false;
        dims.push_back(type.dims[i].value());
    }
    const ValueId ones = edit.addConstant(edit.node(root).name + ".ones", HostTensor::splat(type.dtype, dims, 1));
    return edit.replace(
        edit.output(root),
        edit.add(root, "layer_norm", {x, ones}, {{"axis", static_cast<int64_t>(*axis)}, {"epsilon", *epsilon}}),
        "what is centred and divided by its deviation is a layer norm");
}

} // namespace

RewriteRule layerNormCoreRule() {
    return {.name = "layerNormCore",
            .roots = {"div"},
            .given = "x: float32[2, 4]",
            .before = "div(sub(x, reduce_mean(x; axes = [1])), sqrt(add(reduce_mean(pow(sub(x, reduce_mean(x; axes = "
                      "[1])), 2.0); axes = [1]), 0.25)))",
            .after = "layer_norm(x, {1.0, 1.0, 1.0, 1.0}; axis = 1, epsilon = 0.25)",
            .apply = applyLayerNormCore};
}

} // namespace loopscope
