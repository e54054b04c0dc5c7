// Transposed convolutions (the gradient of a convolution with respect to its data): the input is spread out by the
// stride and convolved with the mirrored kernel.

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

namespace loopscope {

namespace {

struct Geometry {
    int64_t out = 0;
    int64_t before = 0; // padding of the spread-out input
    int64_t after = 0;
};

/// `more`: of the outputs that a convolution of that stride would make the same input of, how many beyond the least.
Geometry geometry(const OperatorCall &call, int64_t in, int64_t kernel, int64_t stride, int64_t padBefore,
                  int64_t padAfter, int64_t more) {
    call.require(more < stride,
                 "the output padding " + std::to_string(more) + " is not below the stride " + std::to_string(stride));
    Geometry result;
    result.out = (in - 1) * stride - padBefore - padAfter + kernel + more;
    result.before = kernel - 1 - padBefore;
    result.after = kernel - 1 - padAfter + more;
    call.require(result.before >= 0 && kernel - 1 - padAfter >= 0, "the padding is larger than the kernel - 1");
    call.require(result.out >= 1, "the padding leaves no output");
    return result;
}

/// Channels last, weight [KH, KW, CI, CO]. The zeros between the input values are a condition inside the sum and never
/// stored, so that unrolled loops can drop the multiplications with zero: hence the attribute.
const Tensor *transposedNhwc(OperatorCall &call) {
    call.requireRank("data", 4, "N, H, W, CI");
    call.requireRank("weight", 4, "KH, KW, CI, CO");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    call.require(data.shape[3] == weight.shape[2], "data and weight have different numbers of input channels");
    const std::vector<int64_t> stride = call.perDimension("stride", 2, 1);
    const std::vector<int64_t> pad = call.padding("pad", 2);
    const std::vector<int64_t> more = call.perDimension("output_padding", 2, 0);
    std::vector<int64_t> before(4, 0);
    std::vector<int64_t> after(4, 0);
    int64_t border[2] = {0, 0}; // the stored padding is a multiple of the stride: skip what is too much of it
    int64_t out[2] = {0, 0};
    for (size_t d = 0; d < 2; ++d) {
        const Geometry g = geometry(call, data.shape[1 + d], weight.shape[d], stride[d], pad[d], pad[2 + d], more[d]);
        before[1 + d] = (g.before + stride[d] - 1) / stride[d];
        after[1 + d] = (g.after + stride[d] - 1) / stride[d];
        border[d] = (stride[d] - g.before % stride[d]) % stride[d];
        out[d] = g.out;
    }
    const Tensor &padded = padTensor(call, data, before, after, "PadInput");
    const Axis n = makeAxis("n", data.shape[0]);
    const Axis h = makeAxis("h", out[0]);
    const Axis w = makeAxis("w", out[1]);
    const Axis co = makeAxis("co", weight.shape[3]);
    const Axis rh = makeAxis("rh", weight.shape[0]);
    const Axis rw = makeAxis("rw", weight.shape[1]);
    const Axis rc = makeAxis("rc", data.shape[3]);

    const Expr spread[2] = {h.var + rh.var + border[0], w.var + rw.var + border[1]};
    std::vector<Expr> index = {n.var};
    Expr onValue;
    for (size_t d = 0; d < 2; ++d) {
        if (stride[d] == 1) {
            index.push_back(spread[d]);
            continue;
        }
        index.push_back(floorDiv(spread[d], stride[d]));
        const Expr condition = makeBinary(ExprKind::Eq, floorMod(spread[d], stride[d]), makeInt(0));
        onValue = onValue ? logicalAnd(onValue, condition) : condition;
    }
    index.push_back(rc.var);
    Expr value = load(padded, index);
    if (onValue) value = ifThenElse(onValue, value, zeroOf(data.dtype));
    const DType type = outType(call, data);
    const Expr mirrored =
        load(weight, {makeInt(weight.shape[0] - 1) - rh.var, makeInt(weight.shape[1] - 1) - rw.var, rc.var, co.var});
    Attrs attrs = weightAttrs(call, weight);
    attrs["auto_scheduler_always_unroll_inner"] = std::vector<std::string>{"h", "w", "rh", "rw", "h_c", "w_c"};
    return &call.addOp(sumOp(call.resultName("conv2d_transpose_nhwc"), {n, h, w, co}, {rh, rw, rc},
                             castTo(type, value) * castTo(type, mirrored), std::move(attrs)));
}

/// Channels first, weight [CI, CO, KH, KW]: spread out, pad, mirror the kernel, convolve, each an op of its own.
const Tensor *transposedNchw(OperatorCall &call) {
    call.requireRank("data", 4, "N, CI, H, W");
    call.requireRank("weight", 4, "CI, CO, KH, KW");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    call.require(data.shape[1] == weight.shape[0], "data and weight have different numbers of input channels");
    const std::vector<int64_t> stride = call.perDimension("stride", 2, 1);
    const std::vector<int64_t> pad = call.padding("pad", 2);
    const std::vector<int64_t> more = call.perDimension("output_padding", 2, 0);
    std::vector<int64_t> before(4, 0);
    std::vector<int64_t> after(4, 0);
    int64_t out[2] = {0, 0};
    std::vector<int64_t> spreadShape = data.shape;
    for (size_t d = 0; d < 2; ++d) {
        const Geometry g =
            geometry(call, data.shape[2 + d], weight.shape[2 + d], stride[d], pad[d], pad[2 + d], more[d]);
        before[2 + d] = g.before;
        after[2 + d] = g.after;
        out[d] = g.out;
        spreadShape[2 + d] = (data.shape[2 + d] - 1) * stride[d] + 1;
    }
    std::vector<Axis> axes = numberedAxes("i", spreadShape);
    std::vector<Expr> index;
    Expr onValue;
    for (size_t d = 0; d < 4; ++d) {
        const int64_t step = d < 2 ? 1 : stride[d - 2];
        index.push_back(floorDiv(axes[d].var, step));
        if (step == 1) continue;
        const Expr condition = makeBinary(ExprKind::Eq, floorMod(axes[d].var, step), makeInt(0));
        onValue = onValue ? logicalAnd(onValue, condition) : condition;
    }
    Expr value = load(data, index);
    if (onValue) value = ifThenElse(onValue, value, zeroOf(data.dtype));
    const Tensor &spread = call.addOp(makeCompute("data_dilate", axes, {value}, std::nullopt, {}, "injective,dilate"));
    const Tensor &padded = padTensor(call, spread, before, after, "data_pad");

    const std::vector<int64_t> &k = weight.shape;
    axes = {makeAxis("o", k[1]), makeAxis("i", k[0]), makeAxis("h", k[2]), makeAxis("w", k[3])};
    const Expr mirrored =
        load(weight, {axes[1].var, axes[0].var, makeInt(k[2] - 1) - axes[2].var, makeInt(k[3] - 1) - axes[3].var});
    const Tensor &kernel =
        call.addOp(makeCompute("kernel_transform", axes, {mirrored}, std::nullopt, weightAttrs(call, weight)));

    axes = {makeAxis("b", data.shape[0]), makeAxis("c", k[1]), makeAxis("h", out[0]), makeAxis("w", out[1])};
    const Axis dc = makeAxis("dc", k[0]);
    const Axis dh = makeAxis("dh", k[2]);
    const Axis dw = makeAxis("dw", k[3]);
    const DType type = outType(call, data);
    const Expr left = load(padded, {axes[0].var, dc.var, axes[2].var + dh.var, axes[3].var + dw.var});
    const Expr right = load(kernel, {axes[1].var, dc.var, dh.var, dw.var});
    return &call.addOp(sumOp(call.resultName("compute"), axes, {dc, dh, dw}, castTo(type, left) * castTo(type, right),
                             {}, "conv2d_transpose_nchw"));
}

} // namespace

const std::vector<OperatorSpec> &transposedSpecs() {
    static const std::vector<OperatorSpec> table = {
        {"conv2d_transpose_nhwc",
         "transposed convolution of data[N, H, W, CI] with weight[KH, KW, CI, CO]",
         {tensorArg("data"), tensorArg("weight"), intsArg("stride", 1), intsArg("pad", 0), outDtypeArg(),
          layoutFreeArg(), intsArg("output_padding", 0)},
         transposedNhwc},
        {"conv2d_transpose_nchw",
         "transposed convolution of data[N, CI, H, W] with weight[CI, CO, KH, KW]",
         {tensorArg("data"), tensorArg("weight"), intsArg("stride", 1), intsArg("pad", 0), outDtypeArg(),
          layoutFreeArg(), intsArg("output_padding", 0)},
         transposedNchw},
    };
    return table;
}

} // namespace loopscope
