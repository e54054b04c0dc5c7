#include "networks/onnx/handlers.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

Outcome<int64_t> axisOf(NodeImport &node, int64_t fallback) {
    const int64_t axis = node.integer("axis", fallback);
    const auto inside = axisIn(axis, node.dims(0).size());
    if (!inside)
        return Refusal{
            fmt::format("attribute 'axis' is {}, and {} has no such axis", axis, typeText(node.type(node.in(0))))};
    return static_cast<int64_t>(*inside);
}

template <OpName op> Translated soft(NodeImport &node) {
    const auto axis = axisOf(node, -1);
    if (!axis) return axis.refusal();
    return node.finish(op.text, {node.in(0)}, {{"axis", node.integer("axis", -1)}});
}

/// Up to version 12: over all axes from `axis` on as if they were one.
template <OpName op> Translated flattenedSoft(NodeImport &node) {
    const auto axis = axisOf(node, 1);
    if (!axis) return axis.refusal();
    const Dims &dims = node.dims(0);
    if (std::all_of(dims.begin() + *axis + 1, dims.end(), [](const Dim &dim) { return dim == Dim(1); }))
        return node.finish(op.text, {node.in(0)}, {{"axis", *axis}});
    const auto flat = node.value("flatten", {node.in(0)}, {{"axis", *axis}});
    if (!flat) return flat.refusal();
    const auto done = node.value(op.text, {*flat}, {{"axis", int64_t{-1}}});
    if (!done) return done.refusal();
    if (const auto known = constantDims(dims))
        return node.finish("reshape", {*done, node.integerConstant("shape", *known)}, {{"allow_zero", int64_t{1}}});
    const auto shape = node.value("shape", {node.in(0)});
    if (!shape) return shape.refusal();
    return node.finish("reshape", {*done, *shape}, {{"allow_zero", int64_t{1}}});
}

Translated batchNorm(NodeImport &node) {
    for (size_t i = 1; i < node.outputCount(); ++i)
        if (node.outputUsed(i))
            return Refusal{"is in training mode (its statistics are outputs); only inference is supported"};
    return node.finish("batch_norm", {node.in(0), node.in(1), node.in(2), node.in(3), node.in(4)},
                       {{"epsilon", node.number("epsilon", 1e-5)}});
}

Translated oldBatchNorm(NodeImport &node) {
    if (node.integer("is_test", 0) == 0 && node.outputCount() > 1)
        return Refusal{"is in training mode (is_test is 0); only inference is supported"};
    return batchNorm(node);
}

Translated batchNormByMode(NodeImport &node) {
    if (node.integer("training_mode", 0) != 0)
        return Refusal{"is in training mode (training_mode is 1); only inference is supported"};
    return batchNorm(node);
}

Translated instanceNorm(NodeImport &node) {
    return node.finish("instance_norm", {node.in(0), node.in(1), node.in(2)},
                       {{"epsilon", node.number("epsilon", 1e-5)}});
}

/// Mean and reciprocal of the deviation, which the operator of ours keeps to itself. Their type is that of
/// `stash_type`; they are computed as the operator computes them.
Outcome<bool> addMoments(NodeImport &node, std::vector<ValueId> &outputs) {
    const auto axis = axisOf(node, -1);
    if (!axis) return axis.refusal();
    std::vector<int64_t> axes;
    for (int64_t i = *axis; i < node.rank(0); ++i) axes.push_back(i);
    const auto stash = dtypeOfOnnx(static_cast<int>(node.integer("stash_type", 1)));
    if (!stash || !isFloat(*stash))
        return Refusal{fmt::format("attribute 'stash_type' is {}, which is no floating type of 16 to 64 bits",
                                   node.integer("stash_type", 1))};
    const Attributes over = {{"axes", axes}};
    const Attributes to = {{"to", std::string(dtypeName(*stash))}};
    const auto x = widened(node, node.in(0));
    if (!x) return x.refusal();
    const DType type = node.type(*x).dtype;
    // Under the output's name in its type; what comes back is what was computed.
    const auto output = [&](size_t i, std::string_view op, ValueId of, Attributes attributes) -> Outcome<ValueId> {
        auto computed = type == *stash ? node.finishOutput(i, op, {of}, std::move(attributes))
                                       : node.value(op, {of}, std::move(attributes));
        if (!computed) return computed;
        const auto named = type == *stash ? computed : node.finishOutput(i, "cast", {*computed}, to);
        if (!named) return named;
        outputs.push_back(*named);
        return computed;
    };
    const auto mean = output(1, "reduce_mean", *x, over);
    if (!mean) return mean.refusal();
    const auto centred = node.value("sub", {*x, *mean});
    if (!centred) return centred.refusal();
    const auto squares = node.value("mul", {*centred, *centred});
    if (!squares) return squares.refusal();
    const auto variance = node.value("reduce_mean", {*squares}, over);
    if (!variance) return variance.refusal();
    const ValueId epsilon = node.constant("epsilon", HostTensor::scalar(type, node.number("epsilon", 1e-5)));
    const auto sum = node.value("add", {*variance, epsilon});
    if (!sum) return sum.refusal();
    const auto deviation = node.value("sqrt", {*sum});
    if (!deviation) return deviation.refusal();
    if (node.outputCount() < 3) return true;
    const auto inverse = output(2, "reciprocal", *deviation, {});
    if (!inverse) return inverse.refusal();
    return true;
}

Translated layerNorm(NodeImport &node) {
    auto outputs = node.finish("layer_norm", {node.in(0), node.in(1), node.in(2)},
                               {{"axis", node.integer("axis", -1)}, {"epsilon", node.number("epsilon", 1e-5)}});
    if (!outputs || (!node.outputUsed(1) && !node.outputUsed(2))) return outputs;
    const auto added = addMoments(node, *outputs);
    if (!added) return added.refusal();
    return outputs;
}

/// x / sqrt(mean(x^2) + epsilon) * scale over the axes from `axis` on, Zhang and Sennrich 2019.
Translated rmsNorm(NodeImport &node) {
    const auto axis = axisOf(node, -1);
    if (!axis) return axis.refusal();
    std::vector<int64_t> axes;
    for (int64_t i = *axis; i < node.rank(0); ++i) axes.push_back(i);
    const auto x = widened(node, node.in(0));
    if (!x) return x.refusal();
    const auto squares = node.value("mul", {*x, *x});
    if (!squares) return squares.refusal();
    const auto mean = node.value("reduce_mean", {*squares}, {{"axes", axes}});
    if (!mean) return mean.refusal();
    const DType type = node.type(*x).dtype;
    const ValueId epsilon = node.constant("epsilon", HostTensor::scalar(type, node.number("epsilon", 1e-5)));
    const auto sum = node.value("add", {*mean, epsilon});
    if (!sum) return sum.refusal();
    const auto root = node.value("sqrt", {*sum});
    if (!root) return root.refusal();
    const auto scaled = node.value("div", {*x, *root});
    if (!scaled) return scaled.refusal();
    const auto scale = widened(node, node.in(1));
    if (!scale) return scale.refusal();
    return finishRounded(node, "mul", {*scaled, *scale});
}

/// [count] as [count, 1, ...], which stands beside the channels of the input.
Outcome<ValueId> besideChannels(NodeImport &node, ValueId value) {
    std::vector<int64_t> axes;
    for (int64_t i = 1; i + 1 < node.rank(0); ++i) axes.push_back(i);
    return axes.empty() ? Outcome<ValueId>(value) : node.value("unsqueeze", {value}, {{"axes", axes}});
}

/// Wu and He 2018: the channels in groups, each group and image with its own mean and deviation. Scale and bias have a
/// number for each channel; before version 21 one for each group.
Translated groupNorm(NodeImport &node) {
    const int64_t groups = node.integer("num_groups", 0);
    const Dims dims = node.dims(0);
    if (dims.size() < 3)
        return Refusal{fmt::format("has the input {}; it has images, channels and at least one axis behind them",
                                   typeText(node.type(node.in(0))))};
    if (groups < 1 || !dims[1].isConstant() || dims[1].value() % groups != 0)
        return Refusal{fmt::format("makes {} groups of the channels of {}", groups, typeText(node.type(node.in(0))))};
    const int64_t channels = dims[1].value();
    const auto filled = [&](std::string_view what, double number) {
        return node.constant(what, HostTensor::splat(node.dtype(0), {groups}, number));
    };
    const auto grouped = node.value("reshape", {node.in(0), node.integerConstant("groups", {0, groups, -1})});
    if (!grouped) return grouped.refusal();
    const auto normal = node.value("instance_norm", {*grouped, filled("ones", 1), filled("zeros", 0)},
                                   {{"epsilon", node.number("epsilon", 1e-5)}});
    if (!normal) return normal.refusal();
    Outcome<ValueId> shape = Refusal{""};
    if (const auto known = constantDims(dims))
        shape = node.integerConstant("shape", *known);
    else
        shape = node.value("shape", {node.in(0)});
    if (!shape) return shape.refusal();
    const auto back = node.value("reshape", {*normal, *shape}, {{"allow_zero", int64_t{1}}});
    if (!back) return back.refusal();
    std::vector<ValueId> numbers;
    for (const size_t i : {1, 2}) {
        ValueId of = node.in(i);
        if (node.opset() < 21) { // [groups] to [channels]: each as often as its group has channels
            const auto column = node.value("unsqueeze", {of}, {{"axes", std::vector<int64_t>{1}}});
            if (!column) return column.refusal();
            const auto repeated =
                node.value("expand", {*column, node.integerConstant("repeated", {groups, channels / groups})});
            if (!repeated) return repeated.refusal();
            const auto flat = node.value("reshape", {*repeated, node.integerConstant("channels", {channels})});
            if (!flat) return flat.refusal();
            of = *flat;
        }
        const auto beside = besideChannels(node, of);
        if (!beside) return beside.refusal();
        numbers.push_back(*beside);
    }
    const auto scaled = node.value("mul", {*back, numbers[0]});
    if (!scaled) return scaled.refusal();
    return node.finish("add", {*scaled, numbers[1]});
}

Translated lrn(NodeImport &node) {
    if (!node.given("size")) return Refusal{"attribute 'size' is missing"};
    return node.finish("lrn", {node.in(0)},
                       {{"size", node.integer("size", 1)},
                        {"alpha", node.number("alpha", 1e-4)},
                        {"beta", node.number("beta", 0.75)},
                        {"bias", node.number("bias", 1.0)}});
}

Translated dropout(NodeImport &node) {
    const size_t outputs = node.outputUsed(1) ? 2 : 1;
    return node.finish("dropout", {node.in(0)}, {}, outputs);
}

Translated oldDropout(NodeImport &node) {
    if (node.integer("is_test", 0) == 0 && node.outputUsed(1))
        return Refusal{"is in training mode (is_test is 0); only inference is supported"};
    return dropout(node);
}

Translated dropoutByMode(NodeImport &node) {
    if (node.has(2)) {
        const auto training = node.integersOf(2, "training_mode");
        if (!training) return training.refusal();
        // With nothing to drop, training is no different.
        const auto ratio = node.has(1) ? node.numbersOf(1, "ratio") : Outcome<std::vector<double>>({0.5});
        const bool drops = !ratio || ratio->size() != 1 || ratio->front() != 0;
        if (!training->empty() && training->front() != 0 && drops)
            return Refusal{"is in training mode (training_mode is true); only inference is supported"};
    }
    return dropout(node);
}

constexpr OnnxHandler kNormalization[] = {
    {"Softmax", 1, 1, 1, "axis:i", flattenedSoft<"softmax">},
    {"Softmax", 13, 1, 1, "axis:i", soft<"softmax">},
    {"LogSoftmax", 1, 1, 1, "axis:i", flattenedSoft<"log_softmax">},
    {"LogSoftmax", 13, 1, 1, "axis:i", soft<"log_softmax">},
    {"BatchNormalization", 1, 5, 5, "epsilon:f momentum:f is_test:i spatial:i=1 consumed_inputs:I", oldBatchNorm},
    {"BatchNormalization", 7, 5, 5, "epsilon:f momentum:f spatial:i=1", batchNorm},
    {"BatchNormalization", 9, 5, 5, "epsilon:f momentum:f", batchNorm},
    {"BatchNormalization", 14, 5, 5, "epsilon:f momentum:f training_mode:i", batchNormByMode},
    {"InstanceNormalization", 1, 3, 3, "epsilon:f consumed_inputs:I", instanceNorm},
    {"LayerNormalization", 17, 2, 3, "axis:i epsilon:f stash_type:i", layerNorm},
    {"GroupNormalization", 18, 3, 3, "epsilon:f num_groups:i", groupNorm},
    {"GroupNormalization", 21, 3, 3, "epsilon:f num_groups:i stash_type:i", groupNorm},
    {"RMSNormalization", 23, 2, 2, "axis:i epsilon:f stash_type:i", rmsNorm},
    {"LRN", 1, 1, 1, "size:i alpha:f beta:f bias:f", lrn},
    {"Dropout", 1, 1, 1, "ratio:f is_test:i consumed_inputs:I", oldDropout},
    {"Dropout", 7, 1, 1, "ratio:f", dropout},
    {"Dropout", 12, 1, 3, "seed:i", dropoutByMode},
};

} // namespace

std::span<const OnnxHandler> normalizationHandlers() { return kNormalization; }

} // namespace loopscope
