#include "networks/op/entry.h"
#include "networks/op/strided_loop.h"
#include "networks/op/window.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace loopscope {

namespace {

constexpr std::array<size_t, 3> kOperands = {0, 1, 2};

/// What both kinds of convolution have in common; refuses what is not of that form.
struct Convolution {
    Window window;
    int64_t groups = 1;
    // As channels-first data and kernels have them, whatever the layout.
    Dims x;
    Dims w;
};

Outcome<Convolution> convolutionOf(const OperatorUse &use, DataLayout layout) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, kOperands)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 3, SIZE_MAX)) return *wrong;
    if (Checked wrong = wantRank(use, 1, use.rank(0), use.rank(0))) return *wrong;
    Dims x = permuted(use.dims(0), inverseOf(axesIn(layout, use.rank(0))));
    Dims w = permuted(use.dims(1), inverseOf(kernelAxesIn(layout, use.rank(1))));
    const auto kernel = constantDims(Dims(w.begin() + 2, w.end()));
    if (!kernel) return refusal(use, "the size of the kernel w {} is not known", dimsText(use.dims(1)));
    const int64_t groups = use.integer("group");
    if (groups < 1) return refusal(use, "group is {}, it is at least 1", groups);
    Outcome<Window> window = windowOf(use, *kernel);
    if (!window) return window.refusal();
    return Convolution{std::move(window).value(), groups, std::move(x), std::move(w)};
}

std::string groupsText(int64_t groups) { return groups == 1 ? "1 group" : fmt::format("{} groups", groups); }

/// Whether `whole` falls into that many equal parts; true where it is not known.
bool dividesEvenly(const Dim &whole, int64_t parts) { return !whole.isConstant() || whole.value() % parts == 0; }

Inferred inferConv(const OperatorUse &use) {
    const Outcome<DataLayout> layout = layoutOf(use);
    if (!layout) return layout.refusal();
    Outcome<Convolution> convolution = convolutionOf(use, *layout);
    if (!convolution) return convolution.refusal();
    const Dims &x = convolution->x;
    const Dims &w = convolution->w;
    const int64_t groups = convolution->groups;
    const Dim takes = w[1] * groups;
    if (knownEqual(x[1], takes) != true)
        return refusal(use, "x has {} channels, w takes {} in {}", x[1].text(), takes.text(), groupsText(groups));
    if (!dividesEvenly(w[0], groups))
        return refusal(use, "{} output channels do not fall into {}", w[0].text(), groupsText(groups));
    if (use.has(2))
        if (Checked wrong = wantVector(use, 2, w[0], "one for each output channel")) return *wrong;
    Outcome<Dims> places =
        windowPlaces(use, convolution->window, std::span(x).subspan(2), false, firstSpatialAxis(*layout));
    if (!places) return places.refusal();
    Dims dims = {x[0], w[0]};
    dims.insert(dims.end(), places->begin(), places->end());
    return result(use.dtype(0), permuted(dims, axesIn(*layout, dims.size())));
}

Inferred inferConvTranspose(const OperatorUse &use) {
    Outcome<Convolution> convolution = convolutionOf(use, DataLayout::ChannelsFirst);
    if (!convolution) return convolution.refusal();
    const Dims &x = convolution->x;
    const Dims &w = convolution->w;
    const Window &window = convolution->window;
    const int64_t groups = convolution->groups;
    if (knownEqual(x[1], w[0]) != true) return refusal(use, "x has {} channels, w takes {}", x[1].text(), w[0].text());
    if (!dividesEvenly(x[1], groups))
        return refusal(use, "{} channels do not fall into {}", x[1].text(), groupsText(groups));
    const Dim channels = w[1] * groups;
    if (use.has(2))
        if (Checked wrong = wantVector(use, 2, channels, "one for each output channel")) return *wrong;
    std::vector<int64_t> more = use.integers("output_padding");
    if (more.empty()) more.assign(x.size() - 2, 0);
    if (more.size() != x.size() - 2)
        return refusal(use, "output_padding has {} numbers, it takes {} for as many spatial axes", more.size(),
                       x.size() - 2);
    Dims dims = {x[0], channels};
    for (size_t axis = 0; axis < more.size(); ++axis) {
        if (more[axis] < 0 || more[axis] > INT32_MAX)
            return refusal(use, "output_padding has {}, each is from 0 to {}", more[axis], INT32_MAX);
        const Dim extent = Dim(window.strides[axis]) * (x[axis + 2] - 1) + window.reach(axis) + more[axis] -
                           window.before[axis] - window.behind[axis];
        if (extent.isConstant() && extent.value() < 0)
            return refusal(use, "padding {} + {} takes away more than the whole axis {}", window.before[axis],
                           window.behind[axis], axis + 2);
        dims.push_back(extent);
    }
    return result(use.dtype(0), std::move(dims));
}

std::vector<int64_t> spatial(const std::vector<int64_t> &dims) { return {dims.begin() + 2, dims.end()}; }

int64_t productOfAll(const std::vector<int64_t> &dims) { return elementCount(dims); }

/// Where the kernel is a single place that moves over everything, all axes are one.
bool isPointwise(const Window &window) {
    for (size_t axis = 0; axis < window.kernel.size(); ++axis)
        if (window.kernel[axis] != 1 || window.strides[axis] != 1 || window.before[axis] != 0 ||
            window.behind[axis] != 0)
            return false;
    return true;
}

constexpr int64_t kChannelsAtOnce = 4;

/// Adds to `planes` (outputs of up to four channels, `outputs` apart) what one input plane gives with the kernels at w,
/// `kernels` apart. Four channels share what is read of x.
void addPlane(const WindowWalk &walk, const double *x, const double *w, int64_t kernels, double *planes,
              int64_t outputs, int64_t channels) {
    for (int64_t tap = 0; tap < walk.taps(); ++tap) {
        if (channels < kChannelsAtOnce) {
            for (int64_t c = 0; c < channels; ++c) {
                const double factor = w[c * kernels + tap];
                walk.rows(tap, [&](int64_t output, int64_t input, int64_t count, int64_t step) {
                    double *to = planes + c * outputs + output;
                    const double *from = x + input;
                    if (step == 1)
                        for (int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
                    else
                        for (int64_t i = 0; i < count; ++i) to[i] += factor * from[i * step];
                });
            }
            continue;
        }
        const double f0 = w[tap];
        const double f1 = w[kernels + tap];
        const double f2 = w[2 * kernels + tap];
        const double f3 = w[3 * kernels + tap];
        walk.rows(tap, [&](int64_t output, int64_t input, int64_t count, int64_t step) {
            double *__restrict to0 = planes + output;
            double *__restrict to1 = to0 + outputs;
            double *__restrict to2 = to1 + outputs;
            double *__restrict to3 = to2 + outputs;
            const double *__restrict from = x + input;
            if (step == 1) {
                for (int64_t i = 0; i < count; ++i) {
                    const double read = from[i];
                    to0[i] += f0 * read;
                    to1[i] += f1 * read;
                    to2[i] += f2 * read;
                    to3[i] += f3 * read;
                }
                return;
            }
            for (int64_t i = 0; i < count; ++i) {
                const double read = from[i * step];
                to0[i] += f0 * read;
                to1[i] += f1 * read;
                to2[i] += f2 * read;
                to3[i] += f3 * read;
            }
        });
    }
}

/// All in the order of channels-first data.
void convolve(const Convolution &convolution, const WideTensor &x, const WideTensor &w, const WideTensor *bias,
              WideTensor &y, ThreadPool &pool) {
    std::vector<int64_t> in = spatial(x.dims);
    std::vector<int64_t> out = spatial(y.dims);
    const int64_t inputPlane = productOfAll(in);
    const int64_t outputPlane = productOfAll(out);
    const int64_t kernel = productOfAll(spatial(w.dims));
    Window window = convolution.window;
    if (isPointwise(window)) {
        in = {inputPlane};
        out = {outputPlane};
        window = {{1}, {1}, {1}, {0}, {0}};
    }
    const WindowWalk walk(window, in, out);

    const int64_t channels = y.dims[1];
    const int64_t groups = convolution.groups;
    const int64_t perGroup = channels / groups;
    const int64_t taken = w.dims[1]; // input channels of a group
    const int64_t blocks = (perGroup + kChannelsAtOnce - 1) / kChannelsAtOnce;
    // A unit: one image, one group, up to four of its output channels.
    pool.forEach(static_cast<size_t>(y.dims[0] * groups * blocks), [&](size_t unit, int) {
        const auto at = static_cast<int64_t>(unit);
        const int64_t group = at / blocks % groups;
        const int64_t image = at / (blocks * groups);
        const int64_t first = group * perGroup + at % blocks * kChannelsAtOnce;
        const int64_t count = std::min(kChannelsAtOnce, (group + 1) * perGroup - first);
        double *planes = y.floats.data() + (image * channels + first) * outputPlane;
        if (bias)
            for (int64_t c = 0; c < count; ++c)
                std::fill_n(planes + c * outputPlane, outputPlane, bias->floats[static_cast<size_t>(first + c)]);
        for (int64_t c = 0; c < taken; ++c)
            addPlane(walk, x.floats.data() + (image * x.dims[1] + group * taken + c) * inputPlane,
                     w.floats.data() + (first * taken + c) * kernel, taken * kernel, planes, outputPlane, count);
    });
}

Evaluated evaluateConv(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const Outcome<DataLayout> layout = layoutOf(use);
    if (!layout) return layout.refusal();
    const Outcome<Convolution> convolution = convolutionOf(use, *layout);
    if (!convolution) return convolution.refusal();
    const WideTensor *bias = inputs.size() > 2 ? inputs[2] : nullptr;
    return evaluatePlanes(use, *inputs[0], pool, [&](const WideTensor &x, WideTensor &y) -> Checked {
        if (*layout == DataLayout::ChannelsFirst)
            convolve(*convolution, x, *inputs[1], bias, y, pool);
        else
            convolve(*convolution, x, withAxes(*inputs[1], inverseOf(kernelAxesIn(*layout, use.rank(1))), pool), bias,
                     y, pool);
        return std::nullopt;
    });
}

Evaluated evaluateConvTranspose(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    Outcome<Convolution> convolution = convolutionOf(use, DataLayout::ChannelsFirst);
    if (!convolution) return convolution.refusal();
    const WideTensor &x = *inputs[0];
    const WideTensor &w = *inputs[1];
    const WideTensor *bias = inputs.size() > 2 ? inputs[2] : nullptr;
    if (y->floats.empty()) return single(std::move(y).value());
    const std::vector<int64_t> in = spatial(x.dims);
    const std::vector<int64_t> out = spatial(y->dims);
    const int64_t inputPlane = productOfAll(in);
    const int64_t outputPlane = productOfAll(out);
    const int64_t kernel = productOfAll(spatial(w.dims));
    // The window goes over the result: place i of the input meets what a convolution's output i would read.
    const WindowWalk walk(convolution->window, out, in);

    const int64_t groups = convolution->groups;
    const int64_t perGroup = w.dims[1];
    const int64_t channels = perGroup * groups;
    const int64_t taken = x.dims[1] / groups;
    pool.forEach(static_cast<size_t>(y->dims[0] * channels), [&](size_t unit, int) {
        const auto at = static_cast<int64_t>(unit);
        const int64_t channel = at % channels;
        const int64_t image = at / channels;
        const int64_t group = channel / perGroup;
        double *plane = y->floats.data() + at * outputPlane;
        if (bias) std::fill_n(plane, outputPlane, bias->floats[static_cast<size_t>(channel)]);
        for (int64_t c = group * taken; c < (group + 1) * taken; ++c) {
            const double *from = x.floats.data() + (image * x.dims[1] + c) * inputPlane;
            const double *factors = w.floats.data() + (c * perGroup + channel % perGroup) * kernel;
            for (int64_t tap = 0; tap < walk.taps(); ++tap)
                walk.rows(tap, [&](int64_t place, int64_t target, int64_t count, int64_t step) {
                    for (int64_t i = 0; i < count; ++i) plane[target + i * step] += factors[tap] * from[place + i];
                });
        }
    });
    return single(std::move(y).value());
}

} // namespace

OperatorTable convolutionOperators() {
    const std::vector<AttributeSpec> window = {
        integers("strides", "step of the window along each axis; none: 1"),
        integers("pads", "zeros before each axis, then behind each; none: 0"),
        integers("dilations", "distance between the elements of the kernel; none: 1")};
    const AttributeSpec group = integer("group", 1, "parts into which the channels fall, each with kernels of its own");
    std::vector<AttributeSpec> direct = window;
    direct.push_back(group);
    direct.push_back(layoutAttribute());
    std::vector<AttributeSpec> transposed = window;
    transposed.push_back(integers("output_padding", "elements added behind each axis of the result; none: 0"));
    transposed.push_back(group);
    return {
        {.name = "conv",
         .doc = "Convolution of x[N, C, ...] with w[M, C / group, ...], plus a bias for each of M channels; channels "
                "last, x[N, ..., C] with w[..., C / group, M].",
         .inputs = {needed("x"), needed("w"), optional("b")},
         .attributes = direct,
         .pattern = PatternKind::OutputFusable,
         .infer = inferConv,
         .evaluate = evaluateConv},
        {.name = "conv_transpose",
         .doc = "Transposed convolution of x[N, C, ...] with w[C, M / group, ...], plus a bias for each of M channels.",
         .inputs = {needed("x"), needed("w"), optional("b")},
         .attributes = transposed,
         .pattern = PatternKind::OutputFusable,
         .infer = inferConvTranspose,
         .evaluate = evaluateConvTranspose}};
}

} // namespace loopscope
