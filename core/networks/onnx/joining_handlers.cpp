#include "networks/onnx/handlers.h"

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
            return Refusal{fmt::format("axis {} of {} does not divide into {} equal parts", axis,
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

/// From version 18 on the number of parts may be said, of which the last is then smaller where they cannot be equal.
Translated splitByNumber(NodeImport &node) {
    if (!node.given("num_outputs")) return splitByInput(node);
    const int64_t parts = node.integer("num_outputs", 0);
    if (node.has(1)) return Refusal{"has both the sizes of the parts and their number; one of them is given"};
    if (parts != static_cast<int64_t>(node.outputCount()))
        return Refusal{
            fmt::format("attribute 'num_outputs' is {}, and there are {} outputs", parts, node.outputCount())};
    const auto place = axisIn(node.integer("axis", 0), node.dims(0).size());
    if (!place || !node.dims(0)[*place].isConstant() || node.dims(0)[*place].value() % parts == 0)
        return splitInto(node, {});
    const int64_t whole = node.dims(0)[*place].value();
    const int64_t each = (whole + parts - 1) / parts;
    if (each * (parts - 1) > whole)
        return Refusal{
            fmt::format("{} elements do not split into {} parts of {} and a smaller one", whole, parts - 1, each)};
    std::vector<int64_t> sizes(static_cast<size_t>(parts), each);
    sizes.back() = whole - each * (parts - 1);
    return splitInto(node, std::move(sizes));
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

/// From version 18 on the axes may be said to which the pads belong.
Translated padSomeAxes(NodeImport &node) {
    if (!node.has(3)) return padByInputs(node);
    const auto axes = node.integersOf(3, "axes");
    if (!axes) return axes.refusal();
    const auto given = node.integersOf(1, "pads");
    if (!given) return given.refusal();
    if (given->size() != 2 * axes->size())
        return Refusal{fmt::format("has {} pads for {} axes; there are two for each", given->size(), axes->size())};
    const size_t rank = node.dims(0).size();
    std::vector<int64_t> pads(2 * rank, 0);
    for (size_t i = 0; i < axes->size(); ++i) {
        const auto place = axisIn((*axes)[i], rank);
        if (!place)
            return Refusal{
                fmt::format("has the axis {}, and {} has no such axis", (*axes)[i], typeText(node.type(node.in(0))))};
        pads[*place] = (*given)[i];
        pads[rank + *place] = (*given)[axes->size() + i];
    }
    const std::string mode = node.text("mode", "constant");
    return node.finish("pad",
                       {node.in(0), node.integerConstant("pads", pads), mode == "constant" ? node.in(2) : ValueId()},
                       {{"mode", mode}});
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
    return node.finish("space_to_depth", {node.in(0)},
                       {{"block", node.integer("blocksize", 1)}, {"mode", node.text("mode", "DCR")}});
}

constexpr OnnxHandler kJoining[] = {
    {"Concat", 1, 1, kAnyNumber, "axis:i", oldConcat},
    {"Concat", 4, 1, kAnyNumber, "axis:i", concat},
    {"Split", 1, 1, 2, "axis:i split:I", firstSplit},
    {"Split", 2, 1, 1, "axis:i split:I", splitByAttribute},
    {"Split", 13, 1, 2, "axis:i", splitByInput},
    {"Split", 18, 1, 2, "axis:i num_outputs:i", splitByNumber},
    {"Pad", 1, 1, 1, "mode:s=constant|reflect|edge paddings:I value:f", padByAttributes},
    {"Pad", 2, 1, 1, "mode:s=constant|reflect|edge pads:I value:f", padByAttributes},
    {"Pad", 11, 2, 3, "mode:s=constant|reflect|edge", padByInputs},
    {"Pad", 18, 2, 4, "mode:s=constant|reflect|edge", padSomeAxes},
    {"Tile", 1, 3, 3, "", oldTile},
    {"Tile", 6, 2, 2, "", tile},
    {"DepthToSpace", 1, 1, 1, "blocksize:i", depthToSpace},
    {"DepthToSpace", 11, 1, 1, "blocksize:i mode:s=DCR|CRD", depthToSpace},
    {"SpaceToDepth", 1, 1, 1, "blocksize:i", spaceToDepth},
    {"SpaceToDepth", 28, 1, 1, "blocksize:i mode:s=DCR|CRD", spaceToDepth},
};

} // namespace

std::span<const OnnxHandler> joiningHandlers() { return kJoining; }

} // namespace loopscope
