// Poolings over windows of any dimension, and over everything. The texts are TVM 0.18's; the operator library's own
// averages count as TVM did until 2021.

#include "networks/op/data_layout.h"
#include "networks/op_compute/emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace loopscope {

namespace {

Expr lowestOf(DType type) {
    if (type == DType::Float32) return makeFloat(std::numeric_limits<float>::lowest(), type);
    return makeCombiner(ReduceKind::Max, type).identity[0];
}

struct SlidingWindow {
    std::vector<int64_t> kernel, strides, dilations, before, after, beyond; // by spatial dimension
    std::vector<int64_t> outDims;
    size_t first = 2;               // spatial axis of the data
    const Tensor *source = nullptr; // padded where it has to be

    [[nodiscard]] size_t space() const { return kernel.size(); }
};

SlidingWindow slide(Emission &e, Expr outside, bool dilated) {
    const Tensor &x = e.input();
    if (x.shape.size() < 3) e.refuse("windows slide over data of [N, C, ...]");
    const size_t space = x.shape.size() - 2;
    SlidingWindow window;
    window.first = firstSpatialAxis(layoutOf(e.use().node()));
    const size_t first = window.first;
    window.kernel = e.perDimension("kernel", space, 1);
    window.strides = e.perDimension("strides", space, 1);
    window.dilations = dilated ? e.perDimension("dilations", space, 1) : std::vector<int64_t>(space, 1);
    const std::vector<int64_t> pads = e.perDimension("pads", 2 * space, 0);
    window.outDims = e.outDims();
    std::vector<int64_t> before(space + 2, 0);
    std::vector<int64_t> after(space + 2, 0);
    bool padded = false;
    for (size_t d = 0; d < space; ++d) {
        window.before.push_back(pads[d]);
        window.after.push_back(pads[space + d]);
        // Rounded up, the last window may reach beyond the padding: as far as a stride at most.
        window.beyond.push_back(e.use().integer("ceil_mode") != 0 ? window.strides[d] - 1 : 0);
        const int64_t reach =
            (window.outDims[first + d] - 1) * window.strides[d] + (window.kernel[d] - 1) * window.dilations[d] + 1;
        if (reach > x.shape[first + d] + window.before[d] + window.after[d] + window.beyond[d])
            e.refuse(fmt::format("a window reaches {} elements far into {} padded ones", reach,
                                 x.shape[first + d] + window.before[d] + window.after[d]));
        before[first + d] = window.before[d];
        after[first + d] = window.after[d] + window.beyond[d];
        padded = padded || before[first + d] > 0 || after[first + d] > 0;
    }
    window.source = padded ? &e.padded(x, before, after, "pad_temp", outside, "ax") : &x;
    return window;
}

const Tensor &reduced(Emission &e, const SlidingWindow &window, ReduceKind kind, const std::string &name) {
    std::vector<Axis> axes = numberedAxes("ax", window.outDims);
    std::vector<Axis> reduceAxes = numberedAxes("rv", window.kernel);
    std::vector<Expr> index = varsOf(axes);
    for (size_t d = 0; d < window.space(); ++d)
        index[window.first + d] = index[window.first + d] * window.strides[d] + reduceAxes[d].var * window.dilations[d];
    const Expr value = load(*window.source, index);
    return e.add(makeCompute(name, std::move(axes), {value},
                             reductionOver(kind, std::move(reduceAxes), window.source->dtype), {}, name));
}

std::vector<const Tensor *> maxPooling(Emission &e) {
    const SlidingWindow window = slide(e, lowestOf(e.input().dtype), true);
    return {&reduced(e, window, ReduceKind::Max, "pool_max")};
}

/// How many values of the window at `index` lie inside, or, with the padding, between the ends of it.
Expr countOf(const SlidingWindow &window, const Tensor &x, bool withPadding, const std::vector<Expr> &index) {
    Expr count = makeInt(1);
    for (size_t d = 0; d < window.space(); ++d) {
        const Expr start = index[window.first + d] * window.strides[d] - window.before[d];
        const Expr last = start + (window.kernel[d] - 1);
        if (withPadding) {
            const Expr end = minOf(last, makeInt(x.shape[window.first + d] + window.after[d] - 1));
            count = count * (end - start + 1);
            continue;
        }
        const Expr skipped = maxOf(makeInt(0) - start, makeInt(0));
        count = count * (minOf(last, makeInt(x.shape[window.first + d] - 1)) - (start + skipped) + 1);
    }
    return withPadding ? count : maxOf(count, makeInt(1));
}

std::vector<const Tensor *> averagePooling(Emission &e) {
    const Tensor &x = e.input();
    if (!isFloat(x.dtype)) e.refuse("averages need a float type");
    const SlidingWindow window = slide(e, zeroOf(x.dtype), false);
    const Tensor &sum = reduced(e, window, ReduceKind::Sum, "pool_sum");
    const bool withPadding = e.use().integer("count_include_pad") != 0;
    return {&e.compute(
        "pool_avg", window.outDims,
        [&](const std::vector<Expr> &index) {
            return divide(load(sum, index), castTo(x.dtype, countOf(window, x, withPadding, index)));
        },
        "ax", "elemwise")};
}

/// One window that is everything, written as TVM's adaptive pooling to an output size of 1.
const Tensor &overEverything(Emission &e, bool average) {
    const Tensor &x = e.input();
    if (x.shape.size() < 3) e.refuse("pooling needs data of [N, C, ...]");
    const size_t first = firstSpatialAxis(layoutOf(e.use().node()));
    const auto from = x.shape.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<int64_t> extents(from, from + static_cast<std::ptrdiff_t>(x.shape.size() - 2));
    std::vector<Axis> axes = numberedAxes("ax", e.outDims());
    std::vector<Axis> reduceAxes = numberedAxes("rv", extents);
    std::vector<Expr> index = varsOf(axes);
    for (size_t d = 0; d < extents.size(); ++d) index[first + d] = index[first + d] * extents[d] + reduceAxes[d].var;
    const std::string name = average ? "adaptive_pool_sum" : "adaptive_pool_max";
    const Expr value = load(x, index);
    return e.add(makeCompute(name, std::move(axes), {value},
                             reductionOver(average ? ReduceKind::Sum : ReduceKind::Max, std::move(reduceAxes), x.dtype),
                             {}, name));
}

std::vector<const Tensor *> globalAverage(Emission &e) {
    const Tensor &x = e.input();
    if (!isFloat(x.dtype)) e.refuse("averages need a float type");
    const Tensor &sum = overEverything(e, true);
    const size_t first = firstSpatialAxis(layoutOf(e.use().node()));
    return {&e.compute(
        "adaptive_pool_avg", e.outDims(),
        [&](const std::vector<Expr> &index) {
            Expr count;
            for (size_t d = first; d < first + x.shape.size() - 2; ++d) {
                const Expr end = (index[d] + 1) * x.shape[d];
                const Expr extent = castTo(x.dtype, select(makeBool(true), end, end + 1) - index[d] * x.shape[d]);
                count = count ? count * extent : extent;
            }
            return divide(load(sum, index), count);
        },
        "ax", "elemwise")};
}
std::vector<const Tensor *> globalMax(Emission &e) { return {&overEverything(e, false)}; }

} // namespace

EmitTable poolingEmissions() {
    return {{"max_pool", maxPooling},
            {"average_pool", averagePooling},
            {"global_average_pool", globalAverage},
            {"global_max_pool", globalMax}};
}

} // namespace loopscope
