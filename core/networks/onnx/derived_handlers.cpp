// Running sums, whose axis is an input, and places that are named by tuples of indices.
#include "networks/onnx/handlers.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

Translated cumulativeSum(NodeImport &node) {
    const auto axes = node.integersOf(1, "the axis");
    if (!axes) return axes.refusal();
    const size_t rank = node.dims(0).size();
    const auto place = axes->size() == 1 ? axisIn(axes->front(), rank) : std::nullopt;
    if (!place) return Refusal{fmt::format("the axis is one number, and one of {}", typeText(node.type(node.in(0))))};
    return node.finish("cumsum", {node.in(0)},
                       {{"axis", static_cast<int64_t>(*place)},
                        {"exclusive", int64_t{node.integer("exclusive", 0) != 0 ? 1 : 0}},
                        {"reverse", int64_t{node.integer("reverse", 0) != 0 ? 1 : 0}}});
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
