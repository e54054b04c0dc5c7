// Prefix sums, which are made as a product with a triangle of ones, and places that are named by tuples of indices.
#include "onnx/handlers.h"

#include <fmt/format.h>
#include <numeric>

namespace loopscope {

namespace {

/// The triangle has this number of elements squared.
constexpr int64_t kMostSummed = 4096;

/// y[..., j] = the sum of x[..., i] over i <= j; without j itself where exclusive, from the end where reverse.
Translated cumulativeSum(NodeImport &node) {
    const auto axes = node.integersOf(1, "the axis");
    if (!axes) return axes.refusal();
    const size_t rank = node.dims(0).size();
    const auto place = axes->size() == 1 ? axisIn(axes->front(), rank) : std::nullopt;
    if (!place) return Refusal{fmt::format("the axis is one number, and one of {}", typeText(node.type(node.in(0))))};
    const Dim extent = node.dims(0)[*place];
    if (!extent.isConstant() || extent.value() > kMostSummed)
        return Refusal{fmt::format("sums along axis {} of {}; supported are extents that are known, up to {}", *place,
                                   typeText(node.type(node.in(0))), kMostSummed)};
    const bool exclusive = node.integer("exclusive", 0) != 0;
    const bool reverse = node.integer("reverse", 0) != 0;
    const int64_t count = extent.value();
    std::vector<int64_t> ones(static_cast<size_t>(count * count));
    for (int64_t from = 0; from < count; ++from)
        for (int64_t to = 0; to < count; ++to) {
            const int64_t ahead = reverse ? from - to : to - from;
            ones[static_cast<size_t>(from * count + to)] = ahead > 0 || (ahead == 0 && !exclusive) ? 1 : 0;
        }
    const auto triangle = node.value("cast", {node.constant("triangle", integerTensor({count, count}, ones))},
                                     {{"to", std::string(dtypeName(node.dtype(0)))}});
    if (!triangle) return triangle.refusal();
    if (*place + 1 == rank) return node.finish("matmul", {node.in(0), *triangle});
    // The axis at the end, and back: the exchange of two axes is its own inverse.
    std::vector<int64_t> exchanged(rank);
    std::iota(exchanged.begin(), exchanged.end(), 0);
    std::swap(exchanged[*place], exchanged[rank - 1]);
    const auto moved = node.value("transpose", {node.in(0)}, {{"permutation", exchanged}});
    if (!moved) return moved.refusal();
    const auto summed = node.value("matmul", {*moved, *triangle});
    if (!summed) return summed.refusal();
    return node.finish("transpose", {*summed}, {{"permutation", exchanged}});
}

Translated gatherTuples(NodeImport &node) {
    return node.finish("gather_nd", {node.in(0), node.in(1)}, {{"batch_dims", node.integer("batch_dims", 0)}});
}

Translated scatterTuples(NodeImport &node) { return node.finish("scatter_nd", {node.in(0), node.in(1), node.in(2)}); }

constexpr OnnxHandler kDerived[] = {
    {"CumSum", 11, 2, 2, "exclusive:i reverse:i", cumulativeSum}, {"GatherND", 11, 2, 2, "", gatherTuples},
    {"GatherND", 12, 2, 2, "batch_dims:i", gatherTuples},         {"ScatterND", 11, 3, 3, "", scatterTuples},
    {"ScatterND", 16, 3, 3, "reduction:s=none", scatterTuples},
};

} // namespace

std::span<const OnnxHandler> derivedHandlers() { return kDerived; }

} // namespace loopscope
