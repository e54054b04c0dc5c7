// Max and average pooling over windows, and adaptive pooling to a given output size (1 = global).

#include "language/expr/half.h"
#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

#include <algorithm>
#include <array>
#include <limits>

namespace loopscope {

namespace {

/// Position of the height dimension in the layout argument; width follows it.
size_t spaceOf(const OperatorCall &call) {
    static constexpr std::array<std::string_view, 2> layouts = {"NCHW", "NHWC"};
    call.requireRank("data", 4, "N, C, H, W or N, H, W, C");
    return call.text("layout", layouts) == "NHWC" ? 1 : 2;
}

struct Window {
    size_t space = 2;
    std::vector<int64_t> kernel, stride, pad;
    std::vector<int64_t> outShape;
    const Tensor *padded = nullptr;
};

Window slideWindow(OperatorCall &call, Expr padValue) {
    Window window;
    window.space = spaceOf(call);
    const Tensor &data = call.tensor("data");
    window.kernel = call.perDimension("kernel", 2, 1);
    window.stride = call.perDimension("stride", 2, 1);
    window.pad = call.padding("pad", 2);
    const bool ceiling = call.integer("ceil_mode") != 0;
    window.outShape = data.shape;
    std::vector<int64_t> before(4, 0);
    std::vector<int64_t> after(4, 0);
    bool padded = false;
    for (size_t d = 0; d < 2; ++d) {
        // Rounding up: pretend more padding, so that the last, partial window counts.
        const int64_t padAfter = window.pad[2 + d] + (ceiling ? window.stride[d] - 1 : 0);
        window.outShape[window.space + d] = windowOutput(call, data.shape[window.space + d], window.pad[d], padAfter,
                                                         window.kernel[d], window.stride[d], 1);
        before[window.space + d] = window.pad[d];
        after[window.space + d] = padAfter;
        padded = padded || window.pad[d] > 0 || padAfter > 0;
    }
    window.padded = padded ? &padTensor(call, data, before, after, "pad_temp", padValue, "ax") : &data;
    return window;
}

const Tensor &reduceWindow(OperatorCall &call, const Window &window, ReduceKind kind, const std::string &name,
                           const std::string &tag) {
    const std::vector<Axis> axes = numberedAxes("ax", window.outShape);
    const std::vector<Axis> reduceAxes = numberedAxes("rv", window.kernel);
    std::vector<Expr> index = varsOf(axes);
    for (size_t d = 0; d < 2; ++d)
        index[window.space + d] = index[window.space + d] * window.stride[d] + reduceAxes[d].var;
    const DType own = window.padded->dtype;
    const DType type = kind == ReduceKind::Sum ? summedIn(own) : own;
    return call.addOp(makeCompute(name, axes, {castTo(type, load(*window.padded, index))},
                                  reductionOver(kind, reduceAxes, type), {}, tag));
}

Expr lowestValue(DType type) {
    if (type == DType::Float32) return makeFloat(std::numeric_limits<float>::lowest(), type);
    return makeCombiner(ReduceKind::Max, type).identity[0];
}

const Tensor *maxPool(OperatorCall &call) {
    const Window window = slideWindow(call, lowestValue(call.tensor("data").dtype));
    return &reduceWindow(call, window, ReduceKind::Max, call.resultName("pool_max"), "pool_max");
}

const Tensor *avgPool(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    call.require(isFloat(data.dtype), "averages need a float type");
    const Window window = slideWindow(call, zeroOf(data.dtype));
    const Tensor &sum = reduceWindow(call, window, ReduceKind::Sum, "pool_sum", "pool_sum");
    const std::vector<Axis> axes = numberedAxes("ax", window.outShape);
    Expr count;
    if (call.integer("count_include_pad") != 0) {
        count = constantOf(static_cast<double>(window.kernel[0] * window.kernel[1]), sum.dtype);
    } else {
        // How many values of the window lie inside the input.
        Expr values;
        for (size_t d = 0; d < 2; ++d) {
            const Expr start = axes[window.space + d].var * window.stride[d] - window.pad[d];
            const Expr end = minOf(start + window.kernel[d], makeInt(data.shape[window.space + d]));
            const Expr inside = end - maxOf(start, makeInt(0));
            values = values ? values * inside : inside;
        }
        count = castTo(sum.dtype, maxOf(values, makeInt(1)));
    }
    return &call.addOp(makeCompute(call.resultName("pool_avg"), axes,
                                   {castTo(data.dtype, divide(load(sum, axes), count))}, std::nullopt, {}, "elemwise"));
}

/// Windows that tile the input exactly: the output size has to divide it.
const Tensor *adaptivePool(OperatorCall &call, bool average) {
    const size_t space = spaceOf(call);
    const Tensor &data = call.tensor("data");
    const std::vector<int64_t> size = call.perDimension("output_size", 2, 1);
    std::vector<int64_t> outShape = data.shape;
    std::vector<int64_t> window;
    for (size_t d = 0; d < 2; ++d) {
        const int64_t in = data.shape[space + d];
        call.require(in % size[d] == 0, "the output size " + std::to_string(size[d]) +
                                            " does not divide the input size " + std::to_string(in));
        outShape[space + d] = size[d];
        window.push_back(in / size[d]);
    }
    // floordiv(out * in, outSize) folds away for outSize 1 only, as Ansor's text has it.
    const auto start = [&](const Axis &axis, size_t d) { return floorDiv(axis.var * data.shape[space + d], size[d]); };
    const auto end = [&](const Axis &axis, size_t d) {
        const Expr scaled = (axis.var + 1) * data.shape[space + d];
        const Expr whole = floorDiv(scaled, size[d]);
        return select(fold(ExprKind::Eq, floorMod(scaled, size[d]), makeInt(0)), whole, whole + 1);
    };
    std::vector<Axis> axes = numberedAxes("ax", outShape);
    const std::vector<Axis> reduceAxes = numberedAxes("rv", window);
    std::vector<Expr> index = varsOf(axes);
    for (size_t d = 0; d < 2; ++d) index[space + d] = start(axes[space + d], d) + reduceAxes[d].var;
    const ReduceKind kind = average ? ReduceKind::Sum : ReduceKind::Max;
    const std::string tag = average ? "adaptive_pool_sum" : "adaptive_pool_max";
    const DType type = average ? summedIn(data.dtype) : data.dtype;
    const Tensor &reduced =
        call.addOp(makeCompute(average ? tag : call.resultName(tag), axes, {castTo(type, load(data, index))},
                               reductionOver(kind, reduceAxes, type), {}, tag));
    if (!average) return &reduced;
    call.require(isFloat(data.dtype), "averages need a float type");
    axes = numberedAxes("ax", outShape);
    Expr count;
    for (size_t d = 0; d < 2; ++d) {
        const Axis &axis = axes[space + d];
        const Expr extent = castTo(type, end(axis, d) - start(axis, d));
        count = count ? count * extent : extent;
    }
    return &call.addOp(makeCompute(call.resultName("adaptive_pool_avg"), axes,
                                   {castTo(data.dtype, divide(load(reduced, axes), count))}, std::nullopt, {},
                                   "elemwise"));
}
const Tensor *adaptiveMax(OperatorCall &call) { return adaptivePool(call, false); }
const Tensor *adaptiveAvg(OperatorCall &call) { return adaptivePool(call, true); }

std::vector<OperatorArg> windowArgs(bool average) {
    std::vector<OperatorArg> args = {tensorArg("data"),
                                     {"kernel", ArgKind::Ints, {}, false},
                                     intsArg("stride", 1),
                                     intsArg("pad", 0),
                                     intArg("ceil_mode", 0)};
    if (average) args.push_back(intArg("count_include_pad", 0));
    args.push_back(textArg("layout", "NCHW"));
    return args;
}

} // namespace

const std::vector<OperatorSpec> &poolingSpecs() {
    static const std::vector<OperatorArg> adaptiveArgs = {tensorArg("data"), intsArg("output_size", 1),
                                                          textArg("layout", "NCHW")};
    static const std::vector<OperatorSpec> table = {
        {"max_pool2d", "largest value of every window", windowArgs(false), maxPool},
        {"avg_pool2d", "mean of every window", windowArgs(true), avgPool},
        {"adaptive_max_pool2d", "largest value of every part of an output_size grid; 1 is global pooling", adaptiveArgs,
         adaptiveMax},
        {"adaptive_avg_pool2d", "mean of every part of an output_size grid; 1 is global pooling", adaptiveArgs,
         adaptiveAvg},
    };
    return table;
}

} // namespace loopscope
