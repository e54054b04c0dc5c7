// Moving values without computing: other dims, other orders, parts put together and taken apart, padding, repetition.

#include "networks/op_compute/emission.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopscope {

namespace {

using Index = std::vector<Expr>;

std::vector<const Tensor *> moved(Emission &e, const std::string &name,
                                  const std::function<Index(const Index &)> &from) {
    const Tensor &x = e.input();
    return {&e.compute(name, e.outDims(), [&](const Index &index) { return load(x, from(index)); })};
}

std::vector<const Tensor *> reshape(Emission &e) {
    return {&e.call("reshape", {&e.input()}, {{"shape", e.outDims()}})};
}

std::vector<const Tensor *> transpose(Emission &e) {
    NamedArgs args;
    if (const std::vector<int64_t> &order = e.use().integers("permutation"); !order.empty())
        args.emplace_back("axes", order);
    return {&e.call("transpose", {&e.input()}, args)};
}

/// Dimensions of the longer shape that the shorter one lacks.
std::vector<bool> extraAxes(Emission &e, size_t rank, const std::vector<int64_t> &shape) {
    std::vector<bool> extra(rank, false);
    const std::vector<int64_t> &axes = e.use().integers("axes");
    for (const int64_t given : axes)
        if (const auto axis = axisIn(given, rank)) extra[*axis] = true;
    if (axes.empty())
        for (size_t d = 0; d < rank; ++d) extra[d] = shape[d] == 1;
    return extra;
}

std::vector<const Tensor *> unsqueeze(Emission &e) {
    const std::vector<int64_t> shape = e.outDims();
    const std::vector<bool> extra = extraAxes(e, shape.size(), shape);
    return moved(e, "T_expand_dims", [&](const Index &index) {
        Index from;
        for (size_t d = 0; d < index.size(); ++d)
            if (!extra[d]) from.push_back(index[d]);
        return from;
    });
}

std::vector<const Tensor *> squeeze(Emission &e) {
    const std::vector<int64_t> &shape = e.input().shape;
    const std::vector<bool> extra = extraAxes(e, shape.size(), shape);
    return moved(e, "T_squeeze", [&](const Index &index) {
        Index from;
        size_t next = 0;
        for (const bool dropped : extra) from.push_back(dropped ? makeInt(0) : index[next++]);
        return from;
    });
}

std::vector<const Tensor *> expand(Emission &e) {
    const std::vector<int64_t> shape = e.outDims();
    return {&e.compute(
        "T_broadcast_to", shape, [&](const Index &index) { return loadBroadcast(e.input(), shape, index); }, "ax",
        "broadcast")};
}

std::vector<const Tensor *> concat(Emission &e) {
    return {&e.call("concat", {e.inputs()}, {{"axis", e.use().integer("axis")}})};
}

std::vector<const Tensor *> split(Emission &e) {
    const Tensor &x = e.input();
    const auto axis = axisIn(e.use().integer("axis"), x.shape.size());
    if (!axis) e.refuse(fmt::format("its axis {} is outside of the data", e.use().integer("axis")));
    std::vector<const Tensor *> parts;
    int64_t begin = 0;
    for (size_t k = 0; k < e.outputCount(); ++k) {
        const std::vector<int64_t> shape = e.outDims(k);
        parts.push_back(&e.compute("T_split", shape, [&](const Index &index) {
            Index from = index;
            from[*axis] = from[*axis] + begin;
            return load(x, from);
        }));
        begin += shape[*axis];
    }
    return parts;
}

std::vector<const Tensor *> slice(Emission &e) {
    const Tensor &x = e.input();
    const std::vector<int64_t> starts = e.constantIntegers(1);
    std::vector<int64_t> axes;
    std::vector<int64_t> steps(starts.size(), 1);
    if (e.use().has(3)) axes = e.constantIntegers(3);
    if (e.use().has(4)) steps = e.constantIntegers(4);
    if (axes.empty())
        for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    if (axes.size() != starts.size() || steps.size() != starts.size())
        e.refuse("its starts, axes and steps are not as many");
    std::vector<int64_t> begin(x.shape.size(), 0);
    std::vector<int64_t> step(x.shape.size(), 1);
    for (size_t i = 0; i < starts.size(); ++i) {
        const auto axis = axisIn(axes[i], x.shape.size());
        if (!axis) e.refuse(fmt::format("its axis {} is outside of the data", axes[i]));
        const int64_t extent = x.shape[*axis];
        const int64_t counted = starts[i] < 0 ? std::max(starts[i], -extent - 1) + extent : starts[i];
        begin[*axis] = std::clamp(counted, int64_t{0}, steps[i] < 0 ? extent - 1 : extent);
        step[*axis] = steps[i];
    }
    return moved(e, "T_strided_slice", [&](const Index &index) {
        Index from;
        for (size_t d = 0; d < index.size(); ++d)
            from.push_back(step[d] < 0 ? makeInt(begin[d]) - index[d] * -step[d] : index[d] * step[d] + begin[d]);
        return from;
    });
}

std::vector<const Tensor *> tile(Emission &e) {
    const std::vector<int64_t> &shape = e.input().shape;
    return moved(e, "T_tile", [&](const Index &index) {
        Index from;
        for (size_t d = 0; d < shape.size(); ++d)
            from.push_back(shape[d] == 1 ? makeInt(0) : floorMod(index[d], shape[d]));
        return from;
    });
}

std::vector<const Tensor *> depthToSpace(Emission &e) {
    const int64_t block = e.use().integer("block");
    const int64_t channels = e.outDims()[1];
    const bool depthFirst = e.use().text("mode") == "DCR";
    return moved(e, "depth_to_space", [&](const Index &index) {
        const Expr inBlock = floorMod(index[2], block) * block + floorMod(index[3], block);
        const Expr channel = depthFirst ? inBlock * channels + index[1] : index[1] * (block * block) + inBlock;
        return Index{index[0], channel, floorDiv(index[2], block), floorDiv(index[3], block)};
    });
}

std::vector<const Tensor *> spaceToDepth(Emission &e) {
    const int64_t block = e.use().integer("block");
    const int64_t channels = e.input().shape[1];
    const bool depthFirst = e.use().text("mode") == "DCR";
    return moved(e, "space_to_depth", [&](const Index &index) {
        const Expr inBlock = depthFirst ? floorDiv(index[1], channels) : floorMod(index[1], block * block);
        const Expr channel = depthFirst ? floorMod(index[1], channels) : floorDiv(index[1], block * block);
        return Index{index[0], channel, index[2] * block + floorDiv(inBlock, block),
                     index[3] * block + floorMod(inBlock, block)};
    });
}

/// Where an element behind the edge is taken from.
Expr mirrored(Expr at, int64_t extent) {
    const Expr zero = makeInt(0);
    const Expr fromStart = maxOf(at, zero - at); // |at|
    const Expr last = makeInt(extent - 1);
    return maxOf(minOf(fromStart, last * 2 - fromStart), zero);
}

std::vector<const Tensor *> pad(Emission &e) {
    const Tensor &x = e.input();
    const size_t rank = x.shape.size();
    const std::vector<int64_t> pads = e.constantIntegers(1);
    if (pads.size() != 2 * rank) e.refuse(fmt::format("its pads are {} numbers for {} dimensions", pads.size(), rank));
    const std::string &mode = e.use().text("mode");
    const std::vector<int64_t> shape = e.outDims();
    return {&e.compute(
        "T_pad", shape,
        [&](const Index &index) {
            Index from;
            Expr inside;
            for (size_t d = 0; d < rank; ++d) {
                Expr at = index[d] - pads[d];
                const bool before = pads[d] > 0;
                const bool after = pads[rank + d] > 0;
                if (mode == "edge" && (before || after))
                    at = minOf(maxOf(at, makeInt(0)), makeInt(x.shape[d] - 1));
                else if (mode == "reflect" && (before || after))
                    at = minOf(mirrored(at, x.shape[d]), makeInt(x.shape[d] - 1));
                else {
                    const auto require = [&](Expr condition) {
                        inside = inside ? logicalAnd(inside, condition) : condition;
                    };
                    if (before) require(makeBinary(ExprKind::Ge, index[d], makeInt(pads[d])));
                    if (after) require(makeBinary(ExprKind::Lt, index[d], makeInt(x.shape[d] + pads[d])));
                }
                from.push_back(at);
            }
            if (!inside) return load(x, from);
            Expr outside = zeroOf(x.dtype);
            if (e.has(2)) outside = load(e.input(2), Index(e.input(2).shape.size(), makeInt(0)));
            return ifThenElse(inside, load(x, from), outside);
        },
        "ax", "injective,pad")};
}

} // namespace

EmitTable movingEmissions() {
    return {{"reshape", reshape},
            {"flatten", reshape},
            {"transpose", transpose},
            {"unsqueeze", unsqueeze},
            {"squeeze", squeeze},
            {"expand", expand},
            {"concat", concat},
            {"split", split},
            {"slice", slice},
            {"tile", tile},
            {"pad", pad},
            {"depth_to_space", depthToSpace},
            {"space_to_depth", spaceToDepth}};
}

} // namespace loopscope
