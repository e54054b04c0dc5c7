// Operators that have none of ours but are made of some: prefix sums as a product with a triangle of ones, and
// gathering by tuples of indices as gathering along one axis.
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

/// Indices below zero count from the end of their axis.
Outcome<ValueId> countedFromZero(NodeImport &node, ValueId indices, const std::vector<int64_t> &extents) {
    const ValueId zero = node.constant("zero", HostTensor::scalar(DType::Int64, 0));
    const auto below = node.value("less", {indices, zero});
    if (!below) return below.refusal();
    const auto lifted = node.value("add", {indices, node.integerConstant("extents", extents)});
    if (!lifted) return lifted.refusal();
    return node.value("where", {*below, *lifted, indices});
}

/// The last axis of the indices has the place on the first axes of the data, which become one axis.
Translated gatherTuples(NodeImport &node) {
    if (node.integer("batch_dims", 0) != 0) return Refusal{"attribute 'batch_dims' is not 0, which is not supported"};
    const Dims indexDims = node.dims(1);
    if (indexDims.empty() || !indexDims.back().isConstant())
        return Refusal{fmt::format("the indices are {}; how many there are in a tuple must be known",
                                   typeText(node.type(node.in(1))))};
    const auto data = constantDims(node.dims(0));
    const int64_t count = indexDims.back().value();
    if (!data)
        return Refusal{fmt::format("gathers from {}, whose dims must be known", typeText(node.type(node.in(0))))};
    if (count < 1 || count > static_cast<int64_t>(data->size()))
        return Refusal{fmt::format("takes {} indices for a place in {}, which has {} axes", count,
                                   typeText(node.type(node.in(0))), data->size())};
    const std::vector<int64_t> extents(data->begin(), data->begin() + count);
    std::vector<int64_t> strides(extents.size(), 1);
    for (size_t i = strides.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * extents[i];
    const auto counted = countedFromZero(node, node.in(1), extents);
    if (!counted) return counted.refusal();
    const auto steps = node.value("mul", {*counted, node.integerConstant("strides", strides)});
    if (!steps) return steps.refusal();
    const auto place =
        node.value("reduce_sum", {*steps}, {{"axes", std::vector<int64_t>{-1}}, {"keep_dims", int64_t{0}}});
    if (!place) return place.refusal();
    std::vector<int64_t> flat = {strides[0] * extents[0]};
    flat.insert(flat.end(), data->begin() + count, data->end());
    const auto rows =
        node.value("reshape", {node.in(0), node.integerConstant("rows", flat)}, {{"allow_zero", int64_t{1}}});
    if (!rows) return rows.refusal();
    return node.finish("gather", {*rows, *place}, {{"axis", int64_t{0}}});
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
