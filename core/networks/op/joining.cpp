#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace loopscope {

namespace {

Inferred inferConcat(const OperatorUse &use) {
    std::vector<size_t> all(use.inputCount());
    std::iota(all.begin(), all.end(), size_t{0});
    if (Checked wrong = wantSameType(use, all)) return *wrong;
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    Dims dims = use.dims(0);
    std::optional<Dims> elements = dims.size() == 1 ? use.elements(0) : std::nullopt;
    for (size_t input = 1; input < use.inputCount(); ++input) {
        const Dims &other = use.dims(input);
        if (other.size() != dims.size())
            return refusal(use, "{} {} and x[0] {} are of different rank", inputName(use, input), dimsText(other),
                           dimsText(use.dims(0)));
        for (size_t i = 0; i < dims.size(); ++i)
            if (i != *axis && knownEqual(dims[i], other[i]) != true)
                return refusal(use, "{} {} does not stand behind x[0] {} along axis {}: {}", inputName(use, input),
                               dimsText(other), dimsText(use.dims(0)), *axis, unequalText(dims[i], other[i]));
        dims[*axis] = dims[*axis] + other[*axis];
        const auto more = use.elements(input);
        if (elements && more)
            elements->insert(elements->end(), more->begin(), more->end());
        else
            elements.reset();
    }
    return result(use.dtype(0), std::move(dims), std::move(elements));
}

Evaluated evaluateConcat(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<size_t> axis = axisOf(use, "axis", y->dims.size());
    if (!axis) return axis.refusal();
    const Strides strides = denseStrides(y->dims);
    int64_t offset = 0;
    for (const WideTensor *x : inputs) {
        copyStrided(x->dims, *x, 0, denseStrides(x->dims), *y, offset, strides, pool);
        offset += x->dims[*axis] * strides[*axis];
    }
    return single(std::move(y).value());
}

Inferred inferSplit(const OperatorUse &use) {
    const Outcome<size_t> axis = axisOf(use, "axis", use.rank(0));
    if (!axis) return axis.refusal();
    const std::vector<int64_t> sizes = use.integers("sizes");
    const size_t parts = use.node().outputs.size();
    if (sizes.size() != parts) return refusal(use, "it has {} outputs and sizes for {}", parts, sizes.size());
    const Dim &whole = use.dims(0)[*axis];
    Dim sum = 0;
    for (const int64_t size : sizes) {
        if (size < 0) return refusal(use, "sizes has {}, each is at least 0", size);
        sum = sum + size;
    }
    if (knownEqual(sum, whole) != true)
        return refusal(use, "the sizes add up to {}, axis {} of x {} has {}", sum.text(), *axis, dimsText(use.dims(0)),
                       whole.text());
    std::vector<InferredOutput> outputs;
    const auto elements = use.elements(0);
    std::ptrdiff_t begin = 0;
    for (const int64_t size : sizes) {
        Dims dims = use.dims(0);
        dims[*axis] = size;
        outputs.push_back({{use.dtype(0), std::move(dims)}});
        if (elements) outputs.back().elements = Dims(elements->begin() + begin, elements->begin() + begin + size);
        begin += size;
    }
    return outputs;
}

Evaluated evaluateSplit(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    const Outcome<size_t> axis = axisOf(use, "axis", x.dims.size());
    if (!axis) return axis.refusal();
    const Strides strides = denseStrides(x.dims);
    std::vector<WideTensor> parts;
    int64_t offset = 0;
    for (const int64_t size : use.integers("sizes")) {
        std::vector<int64_t> dims = x.dims;
        dims[*axis] = size;
        parts.push_back(WideTensor::zeros(x.dtype, std::move(dims)));
        WideTensor &part = parts.back();
        copyStrided(part.dims, x, offset, strides, part, 0, denseStrides(part.dims), pool);
        offset += size * strides[*axis];
    }
    return parts;
}

Inferred inferTile(const OperatorUse &use) {
    const Outcome<Dims> repeats = knownElements(use, 1);
    if (!repeats) return repeats.refusal();
    if (repeats->size() != use.rank(0))
        return refusal(use, "repeats has {} numbers, x {} has {} axes", repeats->size(), dimsText(use.dims(0)),
                       use.rank(0));
    Dims dims = use.dims(0);
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        const Dim &times = (*repeats)[axis];
        if (times.isConstant() && times.value() < 0)
            return refusal(use, "repeats has {}, each is at least 0", times.text());
        dims[axis] = dims[axis] * times;
    }
    return result(use.dtype(0), std::move(dims));
}

Evaluated evaluateTile(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const Strides own = denseStrides(x.dims);
    std::vector<int64_t> dims; // each axis as the repetitions and the axis itself
    Strides strides;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        dims.insert(dims.end(), {inputs[1]->integers[axis], x.dims[axis]});
        strides.insert(strides.end(), {0, own[axis]});
    }
    copyStrided(dims, x, 0, strides, *y, 0, denseStrides(dims), pool);
    return single(std::move(y).value());
}

Outcome<int64_t> blockOf(const OperatorUse &use) {
    constexpr int64_t kGreatestBlock = 65536;
    if (Checked wrong = wantRank(use, 0, 4, 4)) return *wrong;
    const int64_t block = use.integer("block");
    if (block < 1 || block > kGreatestBlock)
        return refusal(use, "block is {}, it is from 1 to {}", block, kGreatestBlock);
    const std::string &mode = use.text("mode");
    if (mode != "DCR" && mode != "CRD") return refusal(use, "mode is '{}', it is DCR or CRD", mode);
    return block;
}

std::optional<Dim> dividedBy(const Dim &whole, int64_t parts) {
    if (whole.isConstant()) {
        if (whole.value() % parts != 0) return std::nullopt;
        return Dim(whole.value() / parts);
    }
    return Dim::exactQuotient(whole, parts);
}

Inferred inferDepthToSpace(const OperatorUse &use) {
    const Outcome<int64_t> block = blockOf(use);
    if (!block) return block.refusal();
    const Dims &x = use.dims(0);
    const auto channels = dividedBy(x[1], *block * *block);
    if (!channels)
        return refusal(use, "{} channels of x {} do not fall into blocks of {} by {}", x[1].text(), dimsText(x), *block,
                       *block);
    return result(use.dtype(0), {x[0], *channels, x[2] * *block, x[3] * *block});
}

Inferred inferSpaceToDepth(const OperatorUse &use) {
    const Outcome<int64_t> block = blockOf(use);
    if (!block) return block.refusal();
    const Dims &x = use.dims(0);
    const auto height = dividedBy(x[2], *block);
    const auto width = dividedBy(x[3], *block);
    if (!height || !width)
        return refusal(use, "the plane of x {} does not fall into blocks of {} by {}", dimsText(x), *block, *block);
    return result(use.dtype(0), {x[0], x[1] * (*block * *block), *height, *width});
}

Evaluated evaluateDepthToSpace(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const int64_t block = use.integer("block");
    const int64_t height = x.dims[2];
    const int64_t width = x.dims[3];
    const int64_t plane = height * width;
    const int64_t channels = y->dims[1];
    const bool blockOutside = use.text("mode") == "DCR";
    // The result as image, channel, row, row in the block, column, column in the block.
    const std::vector<int64_t> dims = {x.dims[0], channels, height, block, width, block};
    const int64_t channel = blockOutside ? plane : block * block * plane;
    const int64_t column = blockOutside ? channels * plane : plane;
    copyStrided(dims, x, 0, {x.dims[1] * plane, channel, width, block * column, 1, column}, *y, 0, denseStrides(dims),
                pool);
    return single(std::move(y).value());
}

Evaluated evaluateSpaceToDepth(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const int64_t block = use.integer("block");
    const int64_t width = x.dims[3];
    const int64_t plane = x.dims[2] * width;
    // The result as image, row in the block, column in the block, channel, row, column; or the channel before the
    // block.
    std::vector<int64_t> dims = {x.dims[0], block, block, x.dims[1], y->dims[2], y->dims[3]};
    Strides strides = {x.dims[1] * plane, width, 1, plane, block * width, block};
    if (use.text("mode") == "CRD") {
        std::rotate(dims.begin() + 1, dims.begin() + 3, dims.begin() + 4);
        std::rotate(strides.begin() + 1, strides.begin() + 3, strides.begin() + 4);
    }
    copyStrided(dims, x, 0, strides, *y, 0, denseStrides(dims), pool);
    return single(std::move(y).value());
}

} // namespace

OperatorTable joiningOperators() {
    return {
        {.name = "concat",
         .doc = "Tensors one behind another along an axis.",
         .inputs = {variadic("x")},
         .attributes = {given(integer("axis", 0, "along which they stand"))},
         .pattern = PatternKind::Injective,
         .infer = inferConcat,
         .evaluate = evaluateConcat},
        {.name = "split",
         .doc = "A tensor cut along an axis, a part for each output.",
         .inputs = {needed("x")},
         .attributes = {integer("axis", 0, "that is cut"), given(integers("sizes", "of the parts"))},
         .maxOutputs = SIZE_MAX,
         .pattern = PatternKind::Injective,
         .infer = inferSplit,
         .evaluate = evaluateSplit},
        {.name = "tile",
         .doc = "Repeated along every axis.",
         .inputs = {needed("x"), needed("repeats")},
         .attributes = {},
         .pattern = PatternKind::Broadcast,
         .infer = inferTile,
         .evaluate = evaluateTile},
        {.name = "depth_to_space",
         .doc = "Channels of x[N, C, H, W] laid out as blocks of the plane.",
         .inputs = {needed("x")},
         .attributes = {given(integer("block", 0, "side of a block")),
                        text("mode", "DCR", "DCR: the block's place is the outer part of the channel, CRD: the inner")},
         .pattern = PatternKind::Injective,
         .infer = inferDepthToSpace,
         .evaluate = evaluateDepthToSpace},
        {.name = "space_to_depth",
         .doc = "Blocks of the plane of x[N, C, H, W] laid out as channels.",
         .inputs = {needed("x")},
         .attributes = {given(integer("block", 0, "side of a block")),
                        text("mode", "DCR", "DCR: the block's place is the outer part of the channel, CRD: the inner")},
         .pattern = PatternKind::Injective,
         .infer = inferSpaceToDepth,
         .evaluate = evaluateSpaceToDepth}};
}

} // namespace loopscope
