#include "language/expr/extreme.h"
#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace loopscope {

namespace {

/// A tensor as three axes: what stands before an axis (or a run of axes), those, and what stands behind.
struct ThreeAxes {
    int64_t outer = 1;
    int64_t middle = 1;
    int64_t inner = 1;
};

ThreeAxes around(const std::vector<int64_t> &dims, size_t first, size_t last) {
    ThreeAxes axes;
    for (size_t axis = 0; axis < dims.size(); ++axis)
        (axis < first ? axes.outer : axis < last ? axes.middle : axes.inner) *= dims[axis];
    return axes;
}

Inferred inferLrn(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 2, SIZE_MAX)) return *wrong;
    if (use.integer("size") < 1) return refusal(use, "size is {}, it is at least 1", use.integer("size"));
    return result(use.dtype(0), use.dims(0));
}

Evaluated evaluateLrn(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    const ThreeAxes axes = around(x.dims, 1, 2);
    // Of an even number there is one more behind than before.
    const int64_t size = use.integer("size");
    const int64_t before = std::min((size - 1) / 2, axes.middle);
    const int64_t behind = std::min(size - 1 - (size - 1) / 2, axes.middle);
    const double weight = use.number("alpha") / static_cast<double>(size);
    const double beta = use.number("beta");
    const double bias = use.number("bias");
    inParts(pool, axes.outer * axes.middle, axes.inner * (before + behind + 20), [&](int64_t begin, int64_t end) {
        std::vector<double> sums(static_cast<size_t>(axes.inner));
        for (int64_t plane = begin; plane < end; ++plane) {
            const int64_t channel = plane % axes.middle;
            std::fill(sums.begin(), sums.end(), 0.0);
            const int64_t last = std::min(axes.middle - 1, channel + behind);
            for (int64_t other = std::max(int64_t{0}, channel - before); other <= last; ++other) {
                const double *from = x.floats.data() + (plane - channel + other) * axes.inner;
                for (size_t i = 0; i < sums.size(); ++i) sums[i] += from[i] * from[i];
            }
            const double *from = x.floats.data() + plane * axes.inner;
            double *to = y.floats.data() + plane * axes.inner;
            for (size_t i = 0; i < sums.size(); ++i) to[i] = from[i] / std::pow(bias + weight * sums[i], beta);
        }
    });
    return single(std::move(y));
}

Inferred inferBatchNorm(const OperatorUse &use) {
    for (size_t input = 0; input < 5; ++input)
        if (Checked wrong = wantFloat(use, input)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 2, SIZE_MAX)) return *wrong;
    for (size_t input = 1; input < 5; ++input)
        if (Checked wrong = wantVector(use, input, use.dims(0)[1], "one for each channel of x")) return *wrong;
    return result(use.dtype(0), use.dims(0));
}

Evaluated evaluateBatchNorm(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    const ThreeAxes axes = around(x.dims, 1, 2);
    const double epsilon = use.number("epsilon");
    inParts(pool, axes.outer * axes.middle, axes.inner, [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
            const auto channel = static_cast<size_t>(plane % axes.middle);
            const double scale = inputs[1]->floats[channel] / std::sqrt(inputs[4]->floats[channel] + epsilon);
            const double mean = inputs[3]->floats[channel];
            const double bias = inputs[2]->floats[channel];
            const double *from = x.floats.data() + plane * axes.inner;
            double *to = y.floats.data() + plane * axes.inner;
            for (int64_t i = 0; i < axes.inner; ++i) to[i] = (from[i] - mean) * scale + bias;
        }
    });
    return single(std::move(y));
}

/// Mean 0 and variance 1.
void normalise(const double *from, double *to, int64_t count, double epsilon) {
    double mean = 0;
    for (int64_t i = 0; i < count; ++i) mean += from[i];
    mean /= static_cast<double>(count);
    double variance = 0;
    for (int64_t i = 0; i < count; ++i) variance += (from[i] - mean) * (from[i] - mean);
    variance /= static_cast<double>(count);
    const double factor = 1 / std::sqrt(variance + epsilon);
    for (int64_t i = 0; i < count; ++i) to[i] = (from[i] - mean) * factor;
}

Inferred inferLayerNorm(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 1, SIZE_MAX)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const Dims normalised(use.dims(0).begin() + static_cast<std::ptrdiff_t>(*axis), use.dims(0).end());
    for (size_t input = 1; input < 3; ++input) {
        if (!use.has(input)) continue;
        if (Checked wrong = wantFloat(use, input)) return *wrong;
        const Outcome<Dims> joined =
            broadcastDims(use, normalised, use.dims(input), "what is normalised", inputName(use, input));
        if (!joined) return joined.refusal();
        if (*joined != normalised)
            return refusal(use, "{} {} does not broadcast to what is normalised {}", inputName(use, input),
                           dimsText(use.dims(input)), dimsText(normalised));
    }
    return result(use.dtype(0), use.dims(0));
}

Evaluated evaluateLayerNorm(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    const Outcome<size_t> axis = axisOf(use, "axis", x.dims.size());
    if (!axis) return axis.refusal();
    const ThreeAxes axes = around(x.dims, *axis, x.dims.size());
    const double epsilon = use.number("epsilon");
    inParts(pool, axes.outer, axes.middle, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            normalise(x.floats.data() + row * axes.middle, y.floats.data() + row * axes.middle, axes.middle, epsilon);
    });
    const WideTensor &scale = *inputs[1];
    const WideTensor *bias = inputs.size() > 2 ? inputs[2] : nullptr;
    const Strides none(x.dims.size(), 0);
    const StridedLoop loop(x.dims, {denseStrides(x.dims), broadcastStrides(scale.dims, x.dims),
                                    bias ? broadcastStrides(bias->dims, x.dims) : none});
    loop.run(pool, [&](const StridedLoop::Places &at, const StridedLoop::Places &step, int64_t count) {
        double *to = y.floats.data() + at[0];
        const double *factor = scale.floats.data() + at[1];
        for (int64_t i = 0; i < count; ++i) to[i * step[0]] *= factor[i * step[1]];
        if (!bias) return;
        const double *shift = bias->floats.data() + at[2];
        for (int64_t i = 0; i < count; ++i) to[i * step[0]] += shift[i * step[2]];
    });
    return single(std::move(y));
}

Inferred inferInstanceNorm(const OperatorUse &use) {
    for (size_t input = 0; input < 3; ++input)
        if (Checked wrong = wantFloat(use, input)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 3, SIZE_MAX)) return *wrong;
    for (size_t input = 1; input < 3; ++input)
        if (Checked wrong = wantVector(use, input, use.dims(0)[1], "one for each channel of x")) return *wrong;
    return result(use.dtype(0), use.dims(0));
}

Evaluated evaluateInstanceNorm(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    const ThreeAxes axes = around(x.dims, 1, 2);
    const double epsilon = use.number("epsilon");
    inParts(pool, axes.outer * axes.middle, axes.inner, [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
            const auto channel = static_cast<size_t>(plane % axes.middle);
            double *to = y.floats.data() + plane * axes.inner;
            normalise(x.floats.data() + plane * axes.inner, to, axes.inner, epsilon);
            for (int64_t i = 0; i < axes.inner; ++i)
                to[i] = to[i] * inputs[1]->floats[channel] + inputs[2]->floats[channel];
        }
    });
    return single(std::move(y));
}

Inferred inferSoftmax(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    return result(use.dtype(0), use.dims(0));
}

template <bool logarithm>
Evaluated evaluateSoftmax(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    const Outcome<size_t> axis = axisOf(use, "axis", x.dims.size());
    if (!axis) return axis.refusal();
    const ThreeAxes axes = around(x.dims, *axis, *axis + 1);
    inParts(pool, axes.outer * axes.inner, axes.middle * 20, [&](int64_t begin, int64_t end) {
        for (int64_t column = begin; column < end; ++column) {
            const int64_t first = column / axes.inner * axes.middle * axes.inner + column % axes.inner;
            const double *from = x.floats.data() + first;
            double *to = y.floats.data() + first;
            double greatest = -std::numeric_limits<double>::infinity();
            for (int64_t i = 0; i < axes.middle; ++i) greatest = greaterOf(greatest, from[i * axes.inner]);
            double sum = 0;
            for (int64_t i = 0; i < axes.middle; ++i) sum += std::exp(from[i * axes.inner] - greatest);
            for (int64_t i = 0; i < axes.middle; ++i) {
                const double shifted = from[i * axes.inner] - greatest;
                to[i * axes.inner] = logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
            }
        }
    });
    return single(std::move(y));
}

} // namespace

OperatorTable normalizationOperators() {
    const AttributeSpec epsilon = number("epsilon", 1e-5, "added to the variance");
    const AttributeSpec last = integer("axis", -1, "along which the sum is 1");
    return {{.name = "lrn",
             .doc = "x divided by (bias + alpha / size * sum of squares of `size` channels around) ^ beta.",
             .inputs = {needed("x")},
             .attributes = {given(integer("size", 0, "number of channels that are summed")),
                            number("alpha", 1e-4, "weight of the sum"), number("beta", 0.75, "exponent"),
                            number("bias", 1.0, "added to the sum")},
             .pattern = PatternKind::Opaque,
             .infer = inferLrn,
             .evaluate = evaluateLrn},
            {.name = "batch_norm",
             .doc = "(x - mean) / sqrt(variance + epsilon) * scale + bias, for each channel of x[N, C, ...].",
             .inputs = {needed("x"), needed("scale"), needed("bias"), needed("mean"), needed("variance")},
             .attributes = {epsilon},
             .pattern = PatternKind::Broadcast,
             .infer = inferBatchNorm,
             .evaluate = evaluateBatchNorm},
            {.name = "layer_norm",
             .doc = "Mean 0 and variance 1 over the axes from `axis` on, then scaled and shifted.",
             .inputs = {needed("x"), needed("scale"), optional("bias")},
             .attributes = {integer("axis", -1, "first axis that is normalised"), epsilon},
             .pattern = PatternKind::OutputFusable,
             .infer = inferLayerNorm,
             .evaluate = evaluateLayerNorm},
            {.name = "instance_norm",
             .doc = "Mean 0 and variance 1 in each channel of each image, then scaled and shifted.",
             .inputs = {needed("x"), needed("scale"), needed("bias")},
             .attributes = {epsilon},
             .pattern = PatternKind::OutputFusable,
             .infer = inferInstanceNorm,
             .evaluate = evaluateInstanceNorm},
            {.name = "softmax",
             .doc = "e^x divided by its sum along an axis.",
             .inputs = {needed("x")},
             .attributes = {last},
             .pattern = PatternKind::OutputFusable,
             .infer = inferSoftmax,
             .evaluate = evaluateSoftmax<false>},
            {.name = "log_softmax",
             .doc = "Logarithm of softmax.",
             .inputs = {needed("x")},
             .attributes = {last},
             .pattern = PatternKind::OutputFusable,
             .infer = inferSoftmax,
             .evaluate = evaluateSoftmax<true>}};
}

} // namespace loopscope
