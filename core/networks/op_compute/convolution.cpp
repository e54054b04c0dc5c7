// Convolutions, plain, grouped, depthwise and transposed, the first of them of data with channels first or last. A bias
// is an addition behind, as in TVM.

#include "language/expr/half.h"
#include "networks/op/data_layout.h"
#include "networks/op_compute/emission.h"

#include <fmt/format.h>

#include <array>

namespace loopscope {

namespace {

std::vector<const Tensor *> withBias(Emission &e, const Tensor &result) {
    return {e.plusBias(&result, 2, channelAxis(layoutOf(e.use().node()), result.shape.size()))};
}

std::vector<const Tensor *> convolution(Emission &e) {
    const Tensor &x = e.input(0);
    const Tensor &w = e.input(1);
    const size_t space = x.shape.size() - 2;
    if (x.shape.size() < 3 || space > 3)
        e.refuse(fmt::format("convolutions are computed over one to three dimensions, not over {}",
                             static_cast<int64_t>(x.shape.size()) - 2));
    const int64_t group = e.use().integer("group");
    NamedArgs args = e.productArgs({{"stride", e.perDimension("strides", space, 1)},
                                    {"pad", e.perDimension("pads", 2 * space, 0)},
                                    {"dilation", e.perDimension("dilations", space, 1)}});
    if (layoutOf(e.use().node()) == DataLayout::ChannelsLast) {
        args.emplace_back("groups", group);
        static constexpr std::array<std::string_view, 3> last = {"conv1d_nlc", "conv2d_nhwc", "conv3d_ndhwc"};
        return withBias(e, e.call(last[space - 1], {&x, &w}, args));
    }
    if (space == 2 && group > 1 && group == x.shape[1] && group == w.shape[0])
        return withBias(e, e.call("depthwise_conv2d_nchw", {&x, &w}, args));
    args.emplace_back("groups", group);
    static constexpr std::array<std::string_view, 3> names = {"conv1d_ncl", "conv2d_nchw", "conv3d_ncdhw"};
    return withBias(e, e.call(names[space - 1], {&x, &w}, args));
}

/// Of any dimension, with groups and dilations: for each place of the result, the inputs that reach it.
const Tensor &transposedDirectly(Emission &e, size_t space) {
    const Tensor &x = e.input(0);
    const Tensor &w = e.input(1);
    const int64_t group = e.use().integer("group");
    const std::vector<int64_t> strides = e.perDimension("strides", space, 1);
    const std::vector<int64_t> pads = e.perDimension("pads", 2 * space, 0);
    const std::vector<int64_t> dilations = e.perDimension("dilations", space, 1);
    const int64_t inEach = x.shape[1] / group;
    const int64_t outEach = w.shape[1];
    std::vector<Axis> axes = {makeAxis("b", x.shape[0]), makeAxis("c", outEach * group)};
    std::vector<Axis> reduceAxes = {makeAxis("dc", inEach)};
    const std::vector<int64_t> outDims = e.outDims();
    const Expr channel = floorDiv(axes[1].var, outEach) * inEach + reduceAxes[0].var;
    std::vector<Expr> index = {axes[0].var, channel};
    std::vector<Expr> weightIndex = {channel, floorMod(axes[1].var, outEach)};
    Expr reaches;
    for (size_t d = 0; d < space; ++d) {
        axes.push_back(makeAxis("o" + std::to_string(d), outDims[2 + d]));
        reduceAxes.push_back(makeAxis("k" + std::to_string(d), w.shape[2 + d]));
        weightIndex.push_back(reduceAxes.back().var);
        const Expr from = axes.back().var + pads[d] - reduceAxes.back().var * dilations[d];
        const Expr place = floorDiv(from, strides[d]);
        index.push_back(place);
        Expr here = logicalAnd(makeBinary(ExprKind::Ge, place, makeInt(0)),
                               makeBinary(ExprKind::Lt, place, makeInt(x.shape[2 + d])));
        if (strides[d] > 1) here = logicalAnd(here, makeBinary(ExprKind::Eq, floorMod(from, strides[d]), makeInt(0)));
        reaches = reaches ? logicalAnd(reaches, here) : here;
    }
    const Expr value = ifThenElse(reaches, load(x, index), zeroOf(x.dtype));
    const DType type = summedIn(x.dtype);
    return e.add(sumOp("conv_transpose", axes, reduceAxes, castTo(type, value) * castTo(type, load(w, weightIndex))));
}

std::vector<const Tensor *> transposed(Emission &e) {
    const Tensor &x = e.input(0);
    const Tensor &w = e.input(1);
    const size_t space = x.shape.size() - 2;
    const std::vector<int64_t> strides = e.perDimension("strides", space, 1);
    const std::vector<int64_t> pads = e.perDimension("pads", 2 * space, 0);
    const std::vector<int64_t> dilations = e.perDimension("dilations", space, 1);
    const std::vector<int64_t> more = e.perDimension("output_padding", space, 0);
    bool library = space == 2 && e.use().integer("group") == 1;
    for (size_t d = 0; d < space; ++d) {
        const int64_t reach = w.shape[2 + d] - 1;
        library = library && dilations[d] == 1 && more[d] < strides[d] && pads[d] <= reach && pads[space + d] <= reach;
    }
    if (library) {
        const NamedArgs args = e.productArgs({{"stride", strides}, {"pad", pads}, {"output_padding", more}});
        const Tensor &result = e.call("conv2d_transpose_nchw", {&x, &w}, args);
        if (result.shape == e.outDims()) return withBias(e, result);
    }
    return withBias(e, transposedDirectly(e, space));
}

} // namespace

EmitTable convolutionEmissions() { return {{"conv", convolution}, {"conv_transpose", transposed}}; }

} // namespace loopscope
