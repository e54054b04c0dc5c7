#include "language/expr/extreme.h"
#include "language/expr/interval.h"
#include "networks/op/entry.h"
#include "networks/op/strided_loop.h"
#include "networks/op/window.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace loopscope {

namespace {

Outcome<Window> poolWindow(const OperatorUse &use, DataLayout layout) {
    if (Checked wrong = wantRank(use, 0, 3, SIZE_MAX)) return *wrong;
    std::vector<int64_t> kernel = use.integers("kernel");
    if (kernel.size() != use.rank(0) - 2)
        return refusal(use, "kernel has {} numbers, x {} has {} spatial axes", kernel.size(), dimsText(use.dims(0)),
                       use.rank(0) - 2);
    Outcome<Window> window = windowOf(use, std::move(kernel));
    if (!window) return window;
    for (size_t axis = 0; axis < window->kernel.size(); ++axis)
        if (window->before[axis] >= window->reach(axis) || window->behind[axis] >= window->reach(axis))
            return refusal(use, "padding {} + {} of axis {}: a window of {} would see nothing but padding",
                           window->before[axis], window->behind[axis], firstSpatialAxis(layout) + axis,
                           window->reach(axis));
    return window;
}

Inferred inferPool(const OperatorUse &use) {
    const Outcome<DataLayout> layout = layoutOf(use);
    if (!layout) return layout.refusal();
    Outcome<Window> window = poolWindow(use, *layout);
    if (!window) return window.refusal();
    const Dims x = permuted(use.dims(0), inverseOf(axesIn(*layout, use.rank(0))));
    Outcome<Dims> places =
        windowPlaces(use, *window, std::span(x).subspan(2), use.integer("ceil_mode") != 0, firstSpatialAxis(*layout));
    if (!places) return places.refusal();
    Dims dims = {x[0], x[1]};
    dims.insert(dims.end(), places->begin(), places->end());
    return result(use.dtype(0), permuted(dims, axesIn(*layout, dims.size())));
}

Inferred inferMaxPool(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    return inferPool(use);
}

Inferred inferAveragePool(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    return inferPool(use);
}

Inferred inferGlobalPool(const OperatorUse &use) {
    if (Checked wrong = wantFloat(use, 0)) return *wrong;
    if (Checked wrong = wantRank(use, 0, 3, SIZE_MAX)) return *wrong;
    const Outcome<DataLayout> layout = layoutOf(use);
    if (!layout) return layout.refusal();
    const size_t channel = channelAxis(*layout, use.rank(0));
    Dims dims(use.rank(0), 1);
    dims[0] = use.dims(0)[0];
    dims[channel] = use.dims(0)[channel];
    return result(use.dtype(0), std::move(dims));
}

std::vector<int64_t> withoutChannels(const std::vector<int64_t> &dims) { return {dims.begin() + 2, dims.end()}; }

template <typename T> T leastOf(DType type) {
    if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
    return Interval::ofType(type).min;
}

template <typename T>
void maxPlanes(const WindowWalk &walk, const std::vector<T> &x, std::vector<T> &y, int64_t planes, DType type,
               ThreadPool &pool) {
    const auto inputs = static_cast<int64_t>(x.size()) / planes;
    const auto outputs = static_cast<int64_t>(y.size()) / planes;
    pool.forEach(static_cast<size_t>(planes), [&](size_t plane, int) {
        const T *from = x.data() + static_cast<int64_t>(plane) * inputs;
        T *to = y.data() + static_cast<int64_t>(plane) * outputs;
        std::fill_n(to, outputs, leastOf<T>(type));
        for (int64_t tap = 0; tap < walk.taps(); ++tap)
            walk.rows(tap, [&](int64_t output, int64_t input, int64_t count, int64_t step) {
                for (int64_t i = 0; i < count; ++i) {
                    const T read = from[input + i * step];
                    T &greatest = to[output + i];
                    greatest = greaterOf(greatest, read);
                }
            });
    });
}

/// The window of a node whose types are right.
Outcome<Window> inferredWindow(const OperatorUse &use) {
    const Outcome<DataLayout> layout = layoutOf(use);
    if (!layout) return layout.refusal();
    return poolWindow(use, *layout);
}

Evaluated evaluateMaxPool(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const Outcome<Window> window = inferredWindow(use);
    if (!window) return window.refusal();
    return evaluatePlanes(use, *inputs[0], pool, [&](const WideTensor &x, WideTensor &y) -> Checked {
        const WindowWalk walk(*window, withoutChannels(x.dims), withoutChannels(y.dims));
        const int64_t planes = y.dims[0] * y.dims[1];
        if (isFloat(x.dtype))
            maxPlanes(walk, x.floats, y.floats, planes, x.dtype, pool);
        else
            maxPlanes(walk, x.integers, y.integers, planes, x.dtype, pool);
        return std::nullopt;
    });
}

Evaluated evaluateAveragePool(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const Outcome<Window> window = inferredWindow(use);
    if (!window) return window.refusal();
    const bool padding = use.integer("count_include_pad") != 0;
    return evaluatePlanes(use, *inputs[0], pool, [&](const WideTensor &x, WideTensor &y) -> Checked {
        const WindowWalk walk(*window, withoutChannels(x.dims), withoutChannels(y.dims));
        const int64_t planes = y.dims[0] * y.dims[1];
        const auto inputPlane = static_cast<int64_t>(x.floats.size()) / planes;
        const auto outputPlane = static_cast<int64_t>(y.floats.size()) / planes;
        std::vector<double> counts(static_cast<size_t>(outputPlane));
        for (int64_t i = 0; i < outputPlane; ++i)
            counts[static_cast<size_t>(i)] = static_cast<double>(walk.inside(i, padding));
        pool.forEach(static_cast<size_t>(planes), [&](size_t plane, int) {
            const double *from = x.floats.data() + static_cast<int64_t>(plane) * inputPlane;
            double *to = y.floats.data() + static_cast<int64_t>(plane) * outputPlane;
            for (int64_t tap = 0; tap < walk.taps(); ++tap)
                walk.rows(tap, [&](int64_t output, int64_t input, int64_t count, int64_t step) {
                    for (int64_t i = 0; i < count; ++i) to[output + i] += from[input + i * step];
                });
            for (size_t i = 0; i < counts.size(); ++i) to[i] /= counts[i];
        });
        return std::nullopt;
    });
}

template <bool greatest>
Evaluated evaluateGlobalPool(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    return evaluatePlanes(use, *inputs[0], pool, [&](const WideTensor &x, WideTensor &y) -> Checked {
        const size_t plane = x.floats.size() / y.floats.size();
        if (plane == 0) return refusal(use, "x {} has no elements in a channel", dimsText(use.dims(0)));
        const auto one = [&](int64_t begin, int64_t end) {
            for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
                const double *from = x.floats.data() + i * plane;
                double total = greatest ? from[0] : 0;
                for (size_t k = 0; k < plane; ++k) total = greatest ? greaterOf(total, from[k]) : total + from[k];
                y.floats[i] = greatest ? total : total / static_cast<double>(plane);
            }
        };
        inParts(pool, static_cast<int64_t>(y.floats.size()), static_cast<int64_t>(plane), one);
        return std::nullopt;
    });
}

} // namespace

OperatorTable poolingOperators() {
    const AttributeSpec kernel = given(integers("kernel", "size of the window along each axis"));
    const AttributeSpec strides = integers("strides", "step of the window along each axis; none: 1");
    const AttributeSpec pads = integers("pads", "elements before each axis, then behind each; none: 0");
    const AttributeSpec ceilMode = integer("ceil_mode", 0, "1: a last window that is only partly inside counts");
    const AttributeSpec layout = layoutAttribute();
    return {{.name = "max_pool",
             .doc = "Greatest element of each window of x[N, C, ...]; padding never wins.",
             .inputs = {needed("x")},
             .attributes = {kernel, strides, pads,
                            integers("dilations", "distance between the elements of the window; none: 1"), ceilMode,
                            layout},
             .pattern = PatternKind::OutputFusable,
             .infer = inferMaxPool,
             .evaluate = evaluateMaxPool},
            {.name = "average_pool",
             .doc = "Mean of each window of x[N, C, ...].",
             .inputs = {needed("x")},
             .attributes = {kernel, strides, pads, ceilMode,
                            integer("count_include_pad", 0, "1: padding counts as elements that are zero"), layout},
             .pattern = PatternKind::OutputFusable,
             .infer = inferAveragePool,
             .evaluate = evaluateAveragePool},
            {.name = "global_average_pool",
             .doc = "Mean of each channel of x[N, C, ...]; the other axes stay with extent 1.",
             .inputs = {needed("x")},
             .attributes = {layout},
             .pattern = PatternKind::OutputFusable,
             .infer = inferGlobalPool,
             .evaluate = evaluateGlobalPool<false>},
            {.name = "global_max_pool",
             .doc = "Greatest element of each channel of x[N, C, ...]; the other axes stay with extent 1.",
             .inputs = {needed("x")},
             .attributes = {layout},
             .pattern = PatternKind::OutputFusable,
             .infer = inferGlobalPool,
             .evaluate = evaluateGlobalPool<true>}};
}

} // namespace loopscope
