#include "onnx/handlers.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

Translated oldConcat(NodeImport &node) {
    return node.finish("concat", node.inputs(), {{"axis", node.integer("axis", 1)}});
}

Translated concat(NodeImport &node) {
    if (!node.given("axis")) return Refusal{"attribute 'axis' is missing"};
    return node.finish("concat", node.inputs(), {{"axis", node.integer("axis", 0)}});
}

Translated splitInto(NodeImport &node, std::vector<int64_t> sizes) {
    const int64_t axis = node.integer("axis", 0);
    const auto place = axisIn(axis, node.dims(0).size());
    if (!place)
        return Refusal{
            fmt::format("attribute 'axis' is {}, and {} has no such axis", axis, typeText(node.type(node.in(0))))};
    const auto parts = static_cast<int64_t>(node.outputCount());
    if (sizes.empty()) {
        const Dim whole = node.dims(0)[*place];
        if (!whole.isConstant() || whole.value() % parts != 0)
            return Refusal{fmt::format("splits axis {} of {} into {} equal parts, which there are not", axis,
                                       typeText(node.type(node.in(0))), parts)};
        sizes.assign(static_cast<size_t>(parts), whole.value() / parts);
    }
    if (sizes.size() != node.outputCount())
        return Refusal{fmt::format("has {} sizes and {} outputs", sizes.size(), parts)};
    return node.finish("split", {node.in(0)}, {{"axis", axis}, {"sizes", std::move(sizes)}}, node.outputCount());
}

Translated splitByAttribute(NodeImport &node) { return splitInto(node, node.integers("split")); }

Translated splitByInput(NodeImport &node) {
    if (!node.has(1)) return splitInto(node, {});
    auto sizes = node.integersOf(1, "the sizes of the parts");
    if (!sizes) return sizes.refusal();
    return splitInto(node, *std::move(sizes));
}

/// Version 1 has the input or the attribute.
Translated firstSplit(NodeImport &node) { return node.has(1) ? splitByInput(node) : splitByAttribute(node); }

Translated padByAttributes(NodeImport &node) {
    const std::string_view name = node.given("paddings") ? "paddings" : "pads";
    if (!node.given(name)) return Refusal{"attribute 'pads' is missing"};
    const std::string mode = node.text("mode", "constant");
    ValueId value;
    if (mode == "constant")
        if (const double number = node.number("value", 0); number != 0)
            value = node.constant("value", HostTensor::scalar(node.dtype(0), number));
    return node.finish("pad", {node.in(0), node.integerConstant("pads", node.integers(name)), value}, {{"mode", mode}});
}

Translated padByInputs(NodeImport &node) {
    const std::string mode = node.text("mode", "constant");
    // The value is of no use to other modes.
    return node.finish("pad", {node.in(0), node.in(1), mode == "constant" ? node.in(2) : ValueId()}, {{"mode", mode}});
}

Translated tile(NodeImport &node) { return node.finish("tile", {node.in(0), node.in(1)}); }

Translated oldTile(NodeImport &node) {
    const auto tiles = node.integersOf(1, "the number of tiles");
    if (!tiles) return tiles.refusal();
    const auto axis = node.integersOf(2, "the axis");
    if (!axis) return axis.refusal();
    std::vector<int64_t> repeats(node.dims(0).size(), 1);
    if (tiles->size() != 1 || axis->size() != 1 || !axisIn(axis->front(), repeats.size()))
        return Refusal{"tiles and axis are one number each, and the axis one of the input"};
    repeats[*axisIn(axis->front(), repeats.size())] = tiles->front();
    return node.finish("tile", {node.in(0), node.integerConstant("repeats", repeats)});
}

Translated depthToSpace(NodeImport &node) {
    if (!node.given("blocksize")) return Refusal{"attribute 'blocksize' is missing"};
    return node.finish("depth_to_space", {node.in(0)},
                       {{"block", node.integer("blocksize", 1)}, {"mode", node.text("mode", "DCR")}});
}

Translated spaceToDepth(NodeImport &node) {
    if (!node.given("blocksize")) return Refusal{"attribute 'blocksize' is missing"};
    return node.finish("space_to_depth", {node.in(0)}, {{"block", node.integer("blocksize", 1)}});
}

constexpr OnnxHandler kJoining[] = {
    {"Concat", 1, 1, kAnyNumber, "axis:i", oldConcat},
    {"Concat", 4, 1, kAnyNumber, "axis:i", concat},
    {"Split", 1, 1, 2, "axis:i split:I", firstSplit},
    {"Split", 2, 1, 1, "axis:i split:I", splitByAttribute},
    {"Split", 13, 1, 2, "axis:i", splitByInput},
    {"Pad", 1, 1, 1, "mode:s=constant|reflect|edge paddings:I value:f", padByAttributes},
    {"Pad", 2, 1, 1, "mode:s=constant|reflect|edge pads:I value:f", padByAttributes},
    {"Pad", 11, 2, 3, "mode:s=constant|reflect|edge", padByInputs},
    {"Tile", 1, 3, 3, "", oldTile},
    {"Tile", 6, 2, 2, "", tile},
    {"DepthToSpace", 1, 1, 1, "blocksize:i", depthToSpace},
    {"DepthToSpace", 11, 1, 1, "blocksize:i mode:s=DCR|CRD", depthToSpace},
    {"SpaceToDepth", 1, 1, 1, "blocksize:i", spaceToDepth},
};

} // namespace

std::span<const OnnxHandler> joiningHandlers() { return kJoining; }

} // namespace loopscope
