// Direct convolutions in one, two and three dimensions, channels first and last, with groups and dilation; the capsule
// convolution; and the fused conv + bias/batch-norm + relu subgraphs everybody measures.

#include "language/te/operators/convolution.h"
#include "language/te/operators/families.h"

#include <algorithm>
#include <cctype>

namespace loopscope {

const Tensor &buildConvolution(OperatorCall &call, size_t space, bool channelsLast, const ConvNames &names) {
    const std::string letters = space == 1 ? "L" : space == 2 ? "H, W" : "D, H, W";
    call.requireRank("data", space + 2, channelsLast ? "N, " + letters + ", CI" : "N, CI, " + letters);
    call.requireRank("weight", space + 2, channelsLast ? "K..., CI/groups, CO" : "CO, CI/groups, K...");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    const size_t firstSpace = channelsLast ? 1 : 2;
    const size_t firstWindow = channelsLast ? 0 : 2;
    const int64_t channels = data.shape[channelsLast ? space + 1 : 1];
    const int64_t perGroup = weight.shape[channelsLast ? space : 1];
    const int64_t outChannels = weight.shape[channelsLast ? space + 1 : 0];
    const int64_t groups = call.positive("groups");
    const std::vector<int64_t> stride = call.perDimension("stride", space, 1);
    const std::vector<int64_t> dilation = call.perDimension("dilation", space, 1);
    const std::vector<int64_t> pad = call.padding("pad", space);
    call.require(channels % groups == 0 && outChannels % groups == 0,
                 "groups = " + std::to_string(groups) + " does not divide the channels " + std::to_string(channels) +
                     " and " + std::to_string(outChannels));
    call.require(perGroup == channels / groups, "the weight has " + std::to_string(perGroup) +
                                                    " input channels, the data has " + std::to_string(channels) +
                                                    " in " + std::to_string(groups) + " groups");

    std::vector<int64_t> before(space + 2, 0);
    std::vector<int64_t> after(space + 2, 0);
    std::vector<Axis> spaceAxes;
    std::vector<Axis> windowAxes;
    for (size_t d = 0; d < space; ++d) {
        before[firstSpace + d] = pad[d];
        after[firstSpace + d] = pad[space + d];
        const int64_t kernel = weight.shape[firstWindow + d];
        const int64_t out =
            windowOutput(call, data.shape[firstSpace + d], pad[d], pad[space + d], kernel, stride[d], dilation[d]);
        spaceAxes.push_back(makeAxis(names.space[d], out));
        windowAxes.push_back(makeAxis(names.window[d], kernel));
    }
    const Tensor &padded = padTensor(call, data, before, after, names.pad);

    const Axis batch = makeAxis(names.batch, data.shape[0]);
    const Axis channel = makeAxis(names.channel, outChannels);
    const Axis rc = makeAxis("rc", perGroup);
    Expr inChannel = rc.var;
    if (groups > 1 || names.channelByGroup) inChannel = floorDiv(channel.var, outChannels / groups) * perGroup + rc.var;

    std::vector<Axis> axes = {batch};
    std::vector<Axis> reduceAxes;
    std::vector<Expr> dataIndex = {batch.var};
    std::vector<Expr> weightIndex;
    if (!channelsLast) {
        axes.push_back(channel);
        reduceAxes.push_back(rc);
        dataIndex.push_back(inChannel);
        weightIndex = {channel.var, rc.var};
    }
    for (size_t d = 0; d < space; ++d) {
        axes.push_back(spaceAxes[d]);
        reduceAxes.push_back(windowAxes[d]);
        dataIndex.push_back(spaceAxes[d].var * stride[d] + windowAxes[d].var * dilation[d]);
        weightIndex.push_back(windowAxes[d].var);
    }
    if (channelsLast) {
        axes.push_back(channel);
        reduceAxes.push_back(rc);
        dataIndex.push_back(inChannel);
        weightIndex.push_back(rc.var);
        weightIndex.push_back(channel.var);
    }
    const DType type = outType(call, data);
    const Expr product = castTo(type, load(padded, dataIndex)) * castTo(type, load(weight, weightIndex));
    return call.addOp(sumOp(names.conv, axes, reduceAxes, product, weightAttrs(call, weight), names.tag));
}

namespace {

std::vector<OperatorArg> convArgs() {
    return {tensorArg("data"),   tensorArg("weight"), intsArg("stride", 1), intsArg("pad", 0), intsArg("dilation", 1),
            intArg("groups", 1), outDtypeArg(),       layoutFreeArg(),      styleArg()};
}

/// Layouts by TVM's letters (conv1d_nwc) and by those of the benchmark workloads (conv1d_nlc).
ConvNames namesFor(const OperatorCall &call, size_t space, bool channelsLast) {
    static const std::vector<std::string> libraryLetters[] = {{"w"}, {"h", "w"}, {"d", "h", "w"}};
    static const std::vector<std::string> benchmarkLetters[] = {{"l"}, {"h", "w"}, {"d", "h", "w"}};
    const bool benchmark = call.benchmarkStyle();
    const std::vector<std::string> &letters = (benchmark ? benchmarkLetters : libraryLetters)[space - 1];
    std::string layout = channelsLast ? "n" : "nc";
    for (const std::string &letter : letters) layout += letter;
    if (channelsLast) layout += "c";
    const std::string op = "conv" + std::to_string(space) + "d_" + layout;

    ConvNames names;
    if (benchmark) {
        names = {"PadInput", call.resultName(op), "", "n", "co", letters, {}, true};
        for (const std::string &letter : letters) names.window.push_back("r" + letter);
        return names;
    }
    const std::string grouped = call.positive("groups") > 1 ? "group_" + op : op;
    names = {"pad_temp", call.resultName(grouped), grouped, "nn", "ff", {"yy", "xx", "zz"}, {"ry", "rx", "rz"}, false};
    names.space.resize(space);
    names.window.resize(space);
    return names;
}

template <size_t Space, bool ChannelsLast> const Tensor *convolution(OperatorCall &call) {
    return &buildConvolution(call, Space, ChannelsLast, namesFor(call, Space, ChannelsLast));
}

const Tensor *capsule(OperatorCall &call) {
    call.requireRank("data", 6, "N, H, W, capsule, capsule, CI");
    call.requireRank("weight", 6, "K, K, capsule, capsule, CI, CO");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    const std::vector<int64_t> stride = call.perDimension("stride", 2, 1);
    const std::vector<int64_t> pad = call.padding("pad", 2);
    call.require(data.shape[4] == weight.shape[2], "the capsules of data and weight cannot be multiplied");
    call.require(data.shape[5] == weight.shape[4], "data and weight have different numbers of input channels");
    const Tensor &padded =
        padTensor(call, data, {0, pad[0], pad[1], 0, 0, 0}, {0, pad[2], pad[3], 0, 0, 0}, "PadInput");
    const auto out = [&](size_t d) {
        return windowOutput(call, data.shape[1 + d], pad[d], pad[2 + d], weight.shape[d], stride[d], 1);
    };
    const Axis n = makeAxis("n", data.shape[0]);
    const Axis h = makeAxis("h", out(0));
    const Axis w = makeAxis("w", out(1));
    const Axis capI = makeAxis("cap_i", data.shape[3]);
    const Axis capJ = makeAxis("cap_j", weight.shape[3]);
    const Axis co = makeAxis("co", weight.shape[5]);
    const Axis rh = makeAxis("rh", weight.shape[0]);
    const Axis rw = makeAxis("rw", weight.shape[1]);
    const Axis capK = makeAxis("cap_k", data.shape[4]);
    const Axis rc = makeAxis("rc", data.shape[5]);
    const DType type = outType(call, data);
    const Expr product = castTo(type, load(padded, {n.var, h.var * stride[0] + rh.var, w.var * stride[1] + rw.var,
                                                    capI.var, capK.var, rc.var})) *
                         castTo(type, load(weight, {rh.var, rw.var, capK.var, capJ.var, rc.var, co.var}));
    return &call.addOp(sumOp(call.resultName("conv2d_capsule_nhwijc"), {n, h, w, capI, capJ, co}, {rh, rw, capK, rc},
                             product, weightAttrs(call, weight)));
}

/// conv + bias + relu, all three under the operator library's names.
const Tensor *convBiasRelu(OperatorCall &call, bool channelsLast) {
    const std::string layout = channelsLast ? "conv2d_nhwc" : "conv2d_nchw";
    const bool grouped = call.positive("groups") > 1;
    const ConvNames names = {
        "pad_temp", (grouped ? "group_" : "") + layout, layout, "nn", "ff", {"yy", "xx"}, {"ry", "rx"}, false};
    const Tensor &conv = buildConvolution(call, 2, channelsLast, names);
    const Tensor &bias = call.tensor("bias");
    call.requireRank("bias", 4, channelsLast ? "1, 1, 1, CO" : "1, CO, 1, 1");
    for (size_t d = 0; d < 4; ++d)
        call.require(bias.shape[d] == conv.shape[d] || bias.shape[d] == 1, "the bias does not fit the convolution");
    std::vector<Axis> axes = numberedAxes("ax", conv.shape);
    std::vector<Expr> biasIndex;
    for (size_t d = 0; d < 4; ++d) biasIndex.push_back(bias.shape[d] == conv.shape[d] ? axes[d].var : makeInt(0));
    const Tensor &sum = call.addOp(makeCompute(
        "T_add", axes, {load(conv, axes) + castTo(conv.dtype, load(bias, biasIndex))}, std::nullopt, {}, "broadcast"));
    axes = numberedAxes("ax", conv.shape);
    return &call.addOp(makeCompute(call.resultName("T_relu"), axes, {maxOf(load(sum, axes), zeroOf(conv.dtype))},
                                   std::nullopt, {}, "elemwise"));
}
const Tensor *convBiasReluNchw(OperatorCall &call) { return convBiasRelu(call, false); }
const Tensor *convBiasReluNhwc(OperatorCall &call) { return convBiasRelu(call, true); }

/// The "ConvLayer" subgraph: conv, bias, batch norm as scale and offset per channel, relu.
const Tensor *convBnReluNhwc(OperatorCall &call) {
    const ConvNames names = {"PaddedInput", "Conv2dOutput", "conv2d_nhwc", "nn",
                             "ff",          {"yy", "xx"},   {"ry", "rx"},  false};
    const Tensor *at = &buildConvolution(call, 2, true, names);
    struct PerChannel {
        std::string_view argument, name;
        ExprKind kind;
    };
    for (const PerChannel &step :
         {PerChannel{"bias", "bias_add", ExprKind::Add}, PerChannel{"bn_scale", "bn_mul", ExprKind::Mul},
          PerChannel{"bn_offset", "bn_add", ExprKind::Add}}) {
        const Tensor &vector = call.tensor(step.argument);
        call.requireRank(step.argument, 1, "CO");
        call.require(vector.shape[0] == at->shape[3], "`" + std::string(step.argument) + "` has " +
                                                          std::to_string(vector.shape[0]) + " values for " +
                                                          std::to_string(at->shape[3]) + " channels");
        const std::vector<Axis> axes = {makeAxis("i", at->shape[0]), makeAxis("j", at->shape[1]),
                                        makeAxis("k", at->shape[2]), makeAxis("l", at->shape[3])};
        const Expr value = castTo(at->dtype, load(vector, {axes[3].var}));
        at = &call.addOp(makeCompute(std::string(step.name), axes, {fold(step.kind, load(*at, axes), value)}));
    }
    const std::vector<Axis> axes = numberedAxes("i", at->shape);
    return &call.addOp(makeCompute(call.resultName("compute"), axes, {maxOf(load(*at, axes), zeroOf(at->dtype))},
                                   std::nullopt, {}, "elemwise"));
}

std::vector<OperatorArg> withTensors(std::vector<OperatorArg> args, std::initializer_list<std::string> names) {
    args.pop_back(); // style: these subgraphs have one set of names each
    args.insert(args.begin() + 2, names.size(), OperatorArg{});
    std::transform(names.begin(), names.end(), args.begin() + 2, tensorArg);
    return args;
}

} // namespace

const std::vector<OperatorSpec> &convolutionSpecs() {
    static const std::vector<OperatorSpec> table = {
        {"conv1d_nlc", "convolution of data[N, L, CI] with weight[K, CI/groups, CO]", convArgs(), convolution<1, true>},
        {"conv1d_ncl", "convolution of data[N, CI, L] with weight[CO, CI/groups, K]", convArgs(),
         convolution<1, false>},
        {"conv2d_nhwc", "convolution of data[N, H, W, CI] with weight[KH, KW, CI/groups, CO]", convArgs(),
         convolution<2, true>},
        {"conv2d_nchw", "convolution of data[N, CI, H, W] with weight[CO, CI/groups, KH, KW]", convArgs(),
         convolution<2, false>},
        {"conv3d_ndhwc", "convolution of data[N, D, H, W, CI] with weight[KD, KH, KW, CI/groups, CO]", convArgs(),
         convolution<3, true>},
        {"conv3d_ncdhw", "convolution of data[N, CI, D, H, W] with weight[CO, CI/groups, KD, KH, KW]", convArgs(),
         convolution<3, false>},
        {"conv2d_capsule_nhwijc",
         "matrix-capsule convolution of data[N, H, W, P, P, CI] with weight[K, K, P, P, CI, CO]",
         {tensorArg("data"), tensorArg("weight"), intsArg("stride", 1), intsArg("pad", 0), outDtypeArg(),
          layoutFreeArg()},
         capsule},
        {"conv2d_bias_relu_nchw", "conv2d_nchw + bias[1, CO, 1, 1], relu", withTensors(convArgs(), {"bias"}),
         convBiasReluNchw},
        {"conv2d_bias_relu_nhwc", "conv2d_nhwc + bias[1, 1, 1, CO], relu", withTensors(convArgs(), {"bias"}),
         convBiasReluNhwc},
        {"conv2d_bn_relu_nhwc", "conv2d_nhwc + bias[CO], times bn_scale[CO], + bn_offset[CO], relu",
         withTensors(convArgs(), {"bias", "bn_scale", "bn_offset"}), convBnReluNhwc},
    };
    return table;
}

} // namespace loopscope
