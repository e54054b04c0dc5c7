// Depthwise convolutions: every channel has its own small filter.

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

namespace loopscope {

namespace {

/// The operator library's form: weight [C, M, KH, KW] or [KH, KW, C, M], M = channel multiplier.
const Tensor *depthwise(OperatorCall &call, bool channelsLast) {
    call.requireRank("data", 4, channelsLast ? "N, H, W, C" : "N, C, H, W");
    call.requireRank("weight", 4, channelsLast ? "KH, KW, C, M" : "C, M, KH, KW");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    const size_t space = channelsLast ? 1 : 2;
    const size_t window = channelsLast ? 0 : 2;
    const int64_t channels = data.shape[channelsLast ? 3 : 1];
    const int64_t multiplier = weight.shape[channelsLast ? 3 : 1];
    call.require(weight.shape[channelsLast ? 2 : 0] == channels, "data and weight have different numbers of channels");
    const std::vector<int64_t> stride = call.perDimension("stride", 2, 1);
    const std::vector<int64_t> dilation = call.perDimension("dilation", 2, 1);
    const std::vector<int64_t> pad = call.padding("pad", 2);
    std::vector<int64_t> before(4, 0);
    std::vector<int64_t> after(4, 0);
    std::vector<Axis> spaceAxes;
    std::vector<Axis> windowAxes;
    for (size_t d = 0; d < 2; ++d) {
        before[space + d] = pad[d];
        after[space + d] = pad[2 + d];
        const int64_t kernel = weight.shape[window + d];
        spaceAxes.push_back(makeAxis(d == 0 ? "i" : "j", windowOutput(call, data.shape[space + d], pad[d], pad[2 + d],
                                                                      kernel, stride[d], dilation[d])));
        windowAxes.push_back(makeAxis(d == 0 ? "di" : "dj", kernel));
    }
    const Tensor &padded = padTensor(call, data, before, after, "PaddedInput");
    const Axis b = makeAxis("b", data.shape[0]);
    const Axis c = makeAxis("c", channels * multiplier);
    const Expr y = spaceAxes[0].var * stride[0] + windowAxes[0].var * dilation[0];
    const Expr x = spaceAxes[1].var * stride[1] + windowAxes[1].var * dilation[1];
    const Expr from = floorDiv(c.var, multiplier);
    const Expr part = floorMod(c.var, multiplier);
    const DType type = outType(call, data);
    const Expr value = channelsLast ? load(padded, {b.var, y, x, from}) : load(padded, {b.var, from, y, x});
    const Expr filter = channelsLast ? load(weight, {windowAxes[0].var, windowAxes[1].var, from, part})
                                     : load(weight, {from, part, windowAxes[0].var, windowAxes[1].var});
    const std::vector<Axis> axes = channelsLast ? std::vector<Axis>{b, spaceAxes[0], spaceAxes[1], c}
                                                : std::vector<Axis>{b, c, spaceAxes[0], spaceAxes[1]};
    return &call.addOp(sumOp(call.resultName("DepthwiseConv2d"), axes, windowAxes,
                             castTo(type, value) * castTo(type, filter), weightAttrs(call, weight),
                             channelsLast ? "depthwise_conv2d_nhwc" : "depthwise_conv2d_nchw"));
}

/// The benchmark workloads' form: weight [1, KH, KW, C].
const Tensor *benchmarkDepthwise(OperatorCall &call) {
    call.requireRank("data", 4, "N, H, W, C");
    call.requireRank("weight", 4, "1, KH, KW, C");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    call.require(weight.shape[0] == 1, "the benchmark style has no channel multiplier: the weight is [1, KH, KW, C]");
    call.require(weight.shape[3] == data.shape[3], "data and weight have different numbers of channels");
    const std::vector<int64_t> stride = call.perDimension("stride", 2, 1);
    const std::vector<int64_t> dilation = call.perDimension("dilation", 2, 1);
    const std::vector<int64_t> pad = call.padding("pad", 2);
    const auto out = [&](size_t d) {
        return windowOutput(call, data.shape[1 + d], pad[d], pad[2 + d], weight.shape[1 + d], stride[d], dilation[d]);
    };
    const Axis n = makeAxis("n", data.shape[0]);
    const Axis h = makeAxis("h", out(0));
    const Axis w = makeAxis("w", out(1));
    const Axis c = makeAxis("c", data.shape[3]);
    const Axis rh = makeAxis("rh", weight.shape[1]);
    const Axis rw = makeAxis("rw", weight.shape[2]);
    const Tensor &padded = padTensor(call, data, {0, pad[0], pad[1], 0}, {0, pad[2], pad[3], 0}, "PadInput");
    const DType type = outType(call, data);
    const Expr value = load(
        padded, {n.var, h.var * stride[0] + rh.var * dilation[0], w.var * stride[1] + rw.var * dilation[1], c.var});
    const Expr filter = load(weight, {makeInt(0), rh.var, rw.var, c.var});
    return &call.addOp(sumOp(call.resultName("depth_conv2d_nhwc"), {n, h, w, c}, {rh, rw},
                             castTo(type, value) * castTo(type, filter), weightAttrs(call, weight)));
}

const Tensor *depthwiseNhwc(OperatorCall &call) {
    return call.benchmarkStyle() ? benchmarkDepthwise(call) : depthwise(call, true);
}
const Tensor *depthwiseNchw(OperatorCall &call) { return depthwise(call, false); }

std::vector<OperatorArg> depthwiseArgs(bool styled) {
    std::vector<OperatorArg> args = {tensorArg("data"), tensorArg("weight"),    intsArg("stride", 1),
                                     intsArg("pad", 0), intsArg("dilation", 1), outDtypeArg(),
                                     layoutFreeArg()};
    if (styled) args.push_back(styleArg());
    return args;
}

} // namespace

const std::vector<OperatorSpec> &depthwiseSpecs() {
    static const std::vector<OperatorSpec> table = {
        {"depthwise_conv2d_nhwc", "data[N, H, W, C] with weight[KH, KW, C, M] (benchmark style: [1, KH, KW, C])",
         depthwiseArgs(true), depthwiseNhwc},
        {"depthwise_conv2d_nchw", "data[N, C, H, W] with weight[C, M, KH, KW]", depthwiseArgs(false), depthwiseNchw},
    };
    return table;
}

} // namespace loopscope
