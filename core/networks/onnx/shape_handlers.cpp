#include "networks/onnx/handlers.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

Translated oldReshape(NodeImport &node) {
    return node.finish("reshape", {node.in(0), node.integerConstant("shape", node.integers("shape"))});
}

Translated reshape(NodeImport &node) {
    Attributes attributes;
    if (const int64_t allow = node.integer("allowzero", 0); allow != 0) attributes["allow_zero"] = allow;
    return node.finish("reshape", {node.in(0), node.in(1)}, std::move(attributes));
}

Translated flatten(NodeImport &node) {
    return node.finish("flatten", {node.in(0)}, {{"axis", node.integer("axis", 1)}});
}

Translated transpose(NodeImport &node) {
    Attributes attributes;
    if (node.given("perm")) attributes["permutation"] = node.integers("perm");
    return node.finish("transpose", {node.in(0)}, std::move(attributes));
}

Translated unsqueezeByAttribute(NodeImport &node) {
    if (!node.given("axes")) return Refusal{"attribute 'axes' is missing"};
    return node.finish("unsqueeze", {node.in(0)}, {{"axes", node.integers("axes")}});
}

Translated unsqueezeByInput(NodeImport &node) {
    auto axes = node.integersOf(1, "axes");
    if (!axes) return axes.refusal();
    return node.finish("unsqueeze", {node.in(0)}, {{"axes", *std::move(axes)}});
}

/// With no axes at all nothing goes, which is not what no axes mean in ours.
Translated squeezed(NodeImport &node, std::vector<int64_t> axes, bool given) {
    if (given && axes.empty()) return node.finish("identity", {node.in(0)});
    Attributes attributes;
    if (given) attributes["axes"] = std::move(axes);
    return node.finish("squeeze", {node.in(0)}, std::move(attributes));
}

Translated squeezeByAttribute(NodeImport &node) { return squeezed(node, node.integers("axes"), node.given("axes")); }

Translated squeezeByInput(NodeImport &node) {
    if (!node.has(1)) return squeezed(node, {}, false);
    auto axes = node.integersOf(1, "axes");
    if (!axes) return axes.refusal();
    return squeezed(node, *std::move(axes), true);
}

Translated expand(NodeImport &node) { return node.finish("expand", {node.in(0), node.in(1)}); }

Translated shape(NodeImport &node) { return node.finish("shape", {node.in(0)}); }

Translated shapeSlice(NodeImport &node) {
    Attributes attributes;
    if (node.given("start")) attributes["start"] = node.integer("start", 0);
    if (node.given("end")) attributes["end"] = node.integer("end", 0);
    return node.finish("shape", {node.in(0)}, std::move(attributes));
}

Translated size(NodeImport &node) {
    const auto dims = node.value("shape", {node.in(0)});
    if (!dims) return dims.refusal();
    return node.finish("reduce_prod", {*dims}, {{"keep_dims", int64_t{0}}});
}

Translated slicedByAttributes(NodeImport &node) {
    const std::vector<int64_t> starts = node.integers("starts");
    const std::vector<int64_t> ends = node.integers("ends");
    const std::vector<int64_t> axes = node.integers("axes");
    if (starts.size() != ends.size() || (node.given("axes") && axes.size() != starts.size()))
        return Refusal{fmt::format("has {} starts, {} ends and {} axes; there are as many of each", starts.size(),
                                   ends.size(), axes.size())};
    return node.finish("slice", {node.in(0), node.integerConstant("starts", starts), node.integerConstant("ends", ends),
                                 node.given("axes") ? node.integerConstant("axes", axes) : ValueId()});
}

/// Of int64, in whichever of the two types a file has them.
Outcome<ValueId> wideIntegers(NodeImport &node, size_t i) {
    if (!node.has(i) || node.dtype(i) != DType::Int32) return node.in(i);
    if (node.rank(i) == 1)
        if (const auto known = node.integersOf(i, "")) return node.integerConstant("int64", *known);
    return node.value("cast", {node.in(i)}, {{"to", std::string("int64")}});
}

Translated sliced(NodeImport &node) {
    std::vector<ValueId> inputs = {node.in(0)};
    for (size_t i = 1; i < node.inputs().size(); ++i) {
        const auto wide = wideIntegers(node, i);
        if (!wide) return wide.refusal();
        inputs.push_back(*wide);
    }
    return node.finish("slice", std::move(inputs));
}

Translated gather(NodeImport &node) {
    return node.finish("gather", {node.in(0), node.in(1)}, {{"axis", node.integer("axis", 0)}});
}

Translated gatherElements(NodeImport &node) {
    return node.finish("gather_elements", {node.in(0), node.in(1)}, {{"axis", node.integer("axis", 0)}});
}

constexpr int64_t kMaxInTriangle = int64_t{1} << 24;

/// What is on one side of a diagonal; zero elsewhere.
Translated trilu(NodeImport &node) {
    const Dims dims = node.dims(0);
    const bool upper = node.integer("upper", 1) != 0;
    if (dims.size() < 2 || !dims[dims.size() - 1].isConstant() || !dims[dims.size() - 2].isConstant())
        return Refusal{fmt::format("has the input {}; it needs two axes of known size at the end",
                                   typeText(node.type(node.in(0))))};
    int64_t diagonal = 0;
    if (node.has(1)) {
        const auto given = node.integersOf(1, "the diagonal");
        if (!given) return given.refusal();
        if (given->size() != 1) return Refusal{fmt::format("has {} diagonals; it is one", given->size())};
        diagonal = given->front();
    }
    const int64_t rows = dims[dims.size() - 2].value();
    const int64_t columns = dims[dims.size() - 1].value();
    // Which elements stay is written out.
    if (rows > kMaxInTriangle || columns > kMaxInTriangle || rows * columns > kMaxInTriangle)
        return Refusal{fmt::format("has the input {}; supported are planes of {} elements at most",
                                   typeText(node.type(node.in(0))), kMaxInTriangle)};
    diagonal = std::clamp(diagonal, -rows, columns);
    std::vector<int64_t> kept(static_cast<size_t>(rows * columns));
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
            kept[static_cast<size_t>(row * columns + column)] =
                upper ? column - row >= diagonal : column - row <= diagonal;
    const auto mask = node.value("cast", {node.constant("kept", integerTensor({rows, columns}, kept))},
                                 {{"to", std::string("bool")}});
    if (!mask) return mask.refusal();
    return node.finish("where", {*mask, node.in(0), node.constant("zero", HostTensor::scalar(node.dtype(0), 0))});
}

constexpr OnnxHandler kShape[] = {
    {"Reshape", 1, 1, 1, "shape:I consumed_inputs:I", oldReshape},
    {"Reshape", 5, 2, 2, "", reshape},
    {"Reshape", 14, 2, 2, "allowzero:i=0|1", reshape},
    {"Flatten", 1, 1, 1, "axis:i", flatten},
    {"Transpose", 1, 1, 1, "perm:I", transpose},
    {"Unsqueeze", 1, 1, 1, "axes:I", unsqueezeByAttribute},
    {"Unsqueeze", 13, 2, 2, "", unsqueezeByInput},
    {"Squeeze", 1, 1, 1, "axes:I", squeezeByAttribute},
    {"Squeeze", 13, 1, 2, "", squeezeByInput},
    {"Expand", 8, 2, 2, "", expand},
    {"Shape", 1, 1, 1, "", shape},
    {"Shape", 15, 1, 1, "start:i end:i", shapeSlice},
    {"Size", 1, 1, 1, "", size},
    {"Slice", 1, 1, 1, "axes:I ends:I starts:I", slicedByAttributes},
    {"Slice", 10, 3, 5, "", sliced},
    {"Gather", 1, 2, 2, "axis:i", gather},
    {"Trilu", 14, 1, 2, "upper:i", trilu},
    {"GatherElements", 11, 2, 2, "axis:i", gatherElements},
};

} // namespace

std::span<const OnnxHandler> shapeHandlers() { return kShape; }

} // namespace loopscope
