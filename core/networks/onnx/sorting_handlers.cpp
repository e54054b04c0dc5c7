#include "networks/onnx/handlers.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// Sizes of results are known before the network runs: k and depth are constants, or of shapes that are known.
Outcome<int64_t> oneNumber(NodeImport &node, size_t input, const char *what) {
    const auto one = [&](size_t given) {
        return given == 1 ? std::nullopt
                          : std::optional(Refusal{fmt::format("{} is one number; {} are given", what, given)});
    };
    if (isFloat(node.dtype(input))) { // a depth may be
        const auto given = node.numbersOf(input, what);
        if (!given) return given.refusal();
        if (const auto wrong = one(given->size())) return *wrong;
        const double number = given->front();
        if (!(std::floor(number) == number && std::abs(number) < 1e9))
            return Refusal{fmt::format("{} is {}, which is no whole number", what, number)};
        return static_cast<int64_t>(number);
    }
    const auto given = node.integersOf(input, what);
    if (!given) return given.refusal();
    if (const auto wrong = one(given->size())) return *wrong;
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

/// Boxes by their middle and size become boxes by their corners, whichever axis is called first.
Outcome<ValueId> cornersOf(NodeImport &node, ValueId boxes) {
    const auto part = [&](int64_t begin, int64_t end) {
        return node.value("slice", {boxes, node.integerConstant("start", {begin}), node.integerConstant("end", {end}),
                                    node.integerConstant("axis", {2})});
    };
    const auto middle = part(0, 2);
    if (!middle) return middle.refusal();
    const auto size = part(2, 4);
    if (!size) return size.refusal();
    const auto half = node.value("mul", {*size, node.constant("half", HostTensor::splat(node.dtype(0), {}, 0.5))});
    if (!half) return half.refusal();
    const auto low = node.value("sub", {*middle, *half});
    if (!low) return low.refusal();
    const auto high = node.value("add", {*middle, *half});
    if (!high) return high.refusal();
    return node.value("concat", {*low, *high}, {{"axis", int64_t{2}}});
}

Translated suppression(NodeImport &node) {
    ValueId boxes = node.in(0);
    if (node.integer("center_point_box", 0) != 0) {
        const auto corners = cornersOf(node, boxes);
        if (!corners) return corners.refusal();
        boxes = *corners;
    }
    return node.finishStatement("non_max_suppression", {boxes, node.in(1), node.in(2), node.in(3), node.in(4)});
}

constexpr OnnxHandler kSorting[] = {
    {"TopK", 1, 1, 1, "k:i axis:i", greatest},
    {"TopK", 10, 2, 2, "axis:i", greatest},
    {"TopK", 11, 2, 2, "axis:i largest:i=0|1 sorted:i=0|1", greatest},
    {"OneHot", 9, 3, 3, "axis:i", oneHot},
    {"NonMaxSuppression", 10, 2, 5, "center_point_box:i=0|1", suppression},
};

} // namespace

std::span<const OnnxHandler> sortingHandlers() { return kSorting; }

} // namespace loopscope
