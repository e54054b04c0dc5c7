#include "onnx/handlers.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// Sizes of results are known before the network runs: k and depth are constants, or of shapes that are known.
Outcome<int64_t> oneNumber(NodeImport &node, size_t input, const char *what) {
    const auto given = node.integersOf(input, what);
    if (!given) return given.refusal();
    if (given->size() != 1) return Refusal{fmt::format("{} is one number; {} are given", what, given->size())};
    return given->front();
}

/// Where the order of the result does not matter, it is that of the values all the same.
Translated greatest(NodeImport &node) {
    int64_t k = node.integer("k", 0);
    if (node.has(1)) {
        const auto given = oneNumber(node, 1, "k");
        if (!given) return given.refusal();
        k = *given;
    }
    return node.finish("topk", {node.in(0)},
                       {{"k", k}, {"axis", node.integer("axis", -1)}, {"largest", node.integer("largest", 1)}},
                       node.outputCount() > 2 ? 2 : node.outputCount());
}

Translated oneHot(NodeImport &node) {
    const auto depth = oneNumber(node, 1, "depth");
    if (!depth) return depth.refusal();
    ValueId indices = node.in(0);
    if (const DType type = node.dtype(0); type != DType::Int64 && type != DType::Int32) {
        const auto whole = node.value("cast", {indices}, {{"to", std::string("int64")}});
        if (!whole) return whole.refusal();
        indices = *whole;
    }
    return node.finish("one_hot", {indices, node.in(2)}, {{"depth", *depth}, {"axis", node.integer("axis", -1)}});
}

constexpr OnnxHandler kSorting[] = {
    {"TopK", 1, 1, 1, "k:i axis:i", greatest},
    {"TopK", 10, 2, 2, "axis:i", greatest},
    {"TopK", 11, 2, 2, "axis:i largest:i=0|1 sorted:i=0|1", greatest},
    {"OneHot", 9, 3, 3, "axis:i", oneHot},
};

} // namespace

std::span<const OnnxHandler> sortingHandlers() { return kSorting; }

} // namespace loopscope
