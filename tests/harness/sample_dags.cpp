#include "harness/sample_dags.h"

namespace loopscope {

namespace {

using Names = std::vector<std::string>;

/// Zero padding by `pad` in the dimensions from `first` to `last`, as Ansor's suites write it.
const Tensor &padded(DagBuilder &b, const std::string &name, const Tensor &data, size_t first, size_t last,
                     int64_t pad) {
    std::vector<Axis> out;
    for (size_t d = 0; d < data.shape.size(); ++d)
        out.push_back(axis("i" + std::to_string(d), data.shape[d] + (d >= first && d <= last ? 2 * pad : 0)));
    std::vector<Expr> indices;
    Expr inside;
    const auto require = [&](Expr condition) { inside = inside ? logicalAnd(inside, condition) : condition; };
    for (size_t d = 0; d < out.size(); ++d) {
        const Expr i = out[d].var;
        const bool pads = d >= first && d <= last && pad > 0;
        indices.push_back(pads ? i - pad : i);
        if (!pads) continue;
        require(fold(ExprKind::Ge, i, makeInt(pad)));
        require(fold(ExprKind::Lt, i, makeInt(data.shape[d] + pad)));
    }
    const Expr value = makeLoad(data, indices);
    return b.compute(name, out, inside ? ifThenElse(inside, value, makeFloat(0)) : value);
}

int64_t convExtent(int64_t size, int64_t k, int64_t stride, int64_t pad) { return (size + 2 * pad - k) / stride + 1; }

/// conv(nn, yy, xx, ff) over NHWC data and HWIO weights.
const Tensor &convNhwc(DagBuilder &b, const std::string &name, const Tensor &in, const Tensor &weight, int64_t stride,
                       const Names &spatial, const Names &reduce, bool groupIndex) {
    const int64_t k = weight.shape[0], ci = weight.shape[2], co = weight.shape[3];
    const auto s = axes(spatial, {in.shape[0], (in.shape[1] - k) / stride + 1, (in.shape[2] - k) / stride + 1, co});
    const auto r = axes(reduce, {k, k, ci});
    const Expr channel = groupIndex ? floorDiv(s[3].var, co) * ci + r[2].var : r[2].var;
    const Expr product = load(in, {s[0].var, s[1].var * stride + r[0].var, s[2].var * stride + r[1].var, channel}) *
                         load(weight, {r[0].var, r[1].var, r[2].var, s[3].var});
    return b.reduce(name, s, ReduceKind::Sum, r, product);
}

} // namespace

const Tensor &DagBuilder::placeholder(const std::string &name, std::vector<int64_t> shape, DType dtype) {
    m_ops.push_back(makePlaceholder(name, std::move(shape), dtype));
    m_placeholders.push_back(&m_ops.back()->output());
    return m_ops.back()->output();
}

const Tensor &DagBuilder::compute(const std::string &name, std::vector<Axis> spatial, Expr value, Attrs attrs) {
    m_ops.push_back(makeCompute(name, std::move(spatial), {value}, std::nullopt, std::move(attrs)));
    return m_ops.back()->output();
}

const Tensor &DagBuilder::reduce(const std::string &name, std::vector<Axis> spatial, ReduceKind kind,
                                 std::vector<Axis> reduceAxes, Expr source, Attrs attrs) {
    Reduction reduction{makeCombiner(kind, source->dtype), std::move(reduceAxes), {}};
    m_ops.push_back(makeCompute(name, std::move(spatial), {source}, std::move(reduction), std::move(attrs)));
    return m_ops.back()->output();
}

std::vector<const Tensor *> DagBuilder::computeTuple(const std::string &name, std::vector<Axis> spatial,
                                                     std::vector<Expr> body, std::optional<Reduction> reduction) {
    return add(makeCompute(name, std::move(spatial), std::move(body), std::move(reduction)));
}

std::vector<const Tensor *> DagBuilder::add(OpPtr op) {
    m_ops.push_back(std::move(op));
    std::vector<const Tensor *> outputs;
    for (const auto &output : m_ops.back()->outputs) outputs.push_back(output.get());
    return outputs;
}

DagPtr DagBuilder::build(const std::vector<const Tensor *> &outputs, const std::string &name) {
    std::vector<const Tensor *> args = m_placeholders;
    args.insert(args.end(), outputs.begin(), outputs.end());
    return ComputeDag::fromArgs(std::move(args), m_ops, {m_arena}, name);
}

Axis axis(const std::string &name, int64_t extent) { return {makeVar(name), extent}; }

std::vector<Axis> axes(const Names &names, const std::vector<int64_t> &extents) {
    std::vector<Axis> result;
    for (size_t i = 0; i < names.size(); ++i) result.push_back(axis(names[i], extents[i]));
    return result;
}

Expr load(const Tensor &tensor, std::initializer_list<Expr> indices) {
    return makeLoad(tensor, std::span<const Expr>(indices.begin(), indices.size()));
}

DagPtr matmulDag(int64_t n, int64_t m, int64_t k) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {n, k}), &B = b.placeholder("B", {k, m});
    const auto s = axes({"i", "j"}, {n, m}), r = axes({"k"}, {k});
    const Expr product = load(A, {s[0].var, r[0].var}) * load(B, {r[0].var, s[1].var});
    const Attrs attrs = {{"layout_free_placeholders", std::vector<std::string>{"B"}}};
    return b.build({&b.reduce("C", s, ReduceKind::Sum, r, product, attrs)}, "matmul");
}

DagPtr batchMatmulDag(int64_t batch, int64_t n, int64_t m, int64_t k) {
    DagBuilder b;
    const Tensor &X = b.placeholder("X", {batch, n, k}), &Y = b.placeholder("Y", {batch, k, m});
    const auto s = axes({"b", "i", "j"}, {batch, n, m}), r = axes({"k"}, {k});
    const Expr product = load(X, {s[0].var, s[1].var, r[0].var}) * load(Y, {s[0].var, r[0].var, s[2].var});
    return b.build({&b.reduce("Z", s, ReduceKind::Sum, r, product)}, "batch_matmul");
}

DagPtr matmulChainDag(int64_t n) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {n, n}), &B = b.placeholder("B", {n, n}), &C = b.placeholder("C", {n, n});
    const auto multiply = [&](const std::string &name, const Tensor &left, const Tensor &right) -> const Tensor & {
        const auto s = axes({"i", "j"}, {n, n}), r = axes({"k"}, {n});
        const Expr product = load(left, {s[0].var, r[0].var}) * load(right, {r[0].var, s[1].var});
        return b.reduce(name, s, ReduceKind::Sum, r, product);
    };
    const Tensor &D = multiply("D", A, B);
    return b.build({&multiply("E", D, C)}, "matmul_chain");
}

DagPtr matmulBiasReluDag(int64_t n, int64_t m, int64_t k) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {n, k}), &B = b.placeholder("B", {k, m}), &bias = b.placeholder("bias", {m});
    const auto s = axes({"i", "j"}, {n, m}), r = axes({"k"}, {k});
    const Expr product = load(A, {s[0].var, r[0].var}) * load(B, {r[0].var, s[1].var});
    const Tensor &C = b.reduce("C", s, ReduceKind::Sum, r, product);
    const auto a = axes({"i", "j"}, {n, m});
    const Tensor &D = b.compute("D", a, load(C, {a[0].var, a[1].var}) + load(bias, {a[1].var}));
    const auto e = axes({"i", "j"}, {n, m});
    return b.build({&b.compute("E", e, maxOf(load(D, {e[0].var, e[1].var}), makeFloat(0)))}, "matmul_bias_relu");
}

DagPtr conv2dBiasReluNchwDag(int64_t n, int64_t h, int64_t w, int64_t co, int64_t ci, int64_t k, int64_t stride,
                             int64_t pad) {
    DagBuilder b;
    const Tensor &data = b.placeholder("data", {n, ci, h, w}), &kernel = b.placeholder("kernel", {co, ci, k, k});
    const Tensor &bias = b.placeholder("bias", {1, co, 1, 1});
    const Tensor &in = padded(b, "pad_temp", data, 2, 3, pad);
    const std::vector<int64_t> shape{n, co, convExtent(h, k, stride, pad), convExtent(w, k, stride, pad)};
    const auto s = axes({"nn", "ff", "yy", "xx"}, shape), r = axes({"rc", "ry", "rx"}, {ci, k, k});
    const Expr product = load(in, {s[0].var, r[0].var, s[2].var * stride + r[1].var, s[3].var * stride + r[2].var}) *
                         load(kernel, {s[1].var, r[0].var, r[1].var, r[2].var});
    const Tensor &conv = b.reduce("conv2d_nchw", s, ReduceKind::Sum, r, product);
    const auto a = axes({"ax0", "ax1", "ax2", "ax3"}, shape);
    const Expr zero = makeInt(0);
    const Tensor &add =
        b.compute("T_add", a,
                  load(conv, {a[0].var, a[1].var, a[2].var, a[3].var}) + load(bias, {a[0].var, a[1].var, zero, zero}));
    const auto o = axes({"i0", "i1", "i2", "i3"}, shape);
    const Expr relu = maxOf(load(add, {o[0].var, o[1].var, o[2].var, o[3].var}), makeFloat(0));
    return b.build({&b.compute("compute", o, relu)}, "conv2d_layer");
}

DagPtr conv2dBiasReluNhwcDag(int64_t h, int64_t w, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad) {
    DagBuilder b;
    const Tensor &p0 = b.placeholder("p0", {1, h, w, ci}), &p1 = b.placeholder("p1", {k, k, ci, co});
    const Tensor &p2 = b.placeholder("p2", {1, 1, 1, co});
    const Tensor &in = padded(b, "pad_temp", p0, 1, 2, pad);
    const Tensor &conv =
        convNhwc(b, "conv2d_nhwc", in, p1, stride, {"nn", "yy", "xx", "ff"}, {"ry", "rx", "rc"}, false);
    const auto a = axes({"ax0", "ax1", "ax2", "ax3"}, conv.shape);
    const Expr zero = makeInt(0);
    const Tensor &add = b.compute(
        "T_add", a, load(conv, {a[0].var, a[1].var, a[2].var, a[3].var}) + load(p2, {a[0].var, zero, zero, a[3].var}));
    const auto o = axes({"ax0", "ax1", "ax2", "ax3"}, conv.shape);
    const Expr relu = maxOf(load(add, {o[0].var, o[1].var, o[2].var, o[3].var}), makeFloat(0));
    return b.build({&b.compute("T_relu", o, relu)}, "conv2d_nhwc_bias_relu");
}

DagPtr conv2dNhwcDag(int64_t n, int64_t h, int64_t w, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad) {
    DagBuilder b;
    const Tensor &inputs = b.placeholder("inputs", {n, h, w, ci}), &weight = b.placeholder("weight", {k, k, ci, co});
    const Tensor &in = padded(b, "PadInput", inputs, 1, 2, pad);
    return b.build({&convNhwc(b, "conv2d_nhwc", in, weight, stride, {"n", "h", "w", "co"}, {"rh", "rw", "rc"}, true)},
                   "conv2d_nhwc");
}

DagPtr conv1dNlcDag(int64_t n, int64_t l, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad) {
    DagBuilder b;
    const Tensor &inputs = b.placeholder("inputs", {n, l, ci}), &weight = b.placeholder("weight", {k, ci, co});
    const Tensor &in = padded(b, "PadInput", inputs, 1, 1, pad);
    const auto s = axes({"n", "l", "co"}, {n, convExtent(l, k, stride, pad), co}), r = axes({"rl", "rc"}, {k, ci});
    const Expr product = load(in, {s[0].var, s[1].var * stride + r[0].var, floorDiv(s[2].var, co) * ci + r[1].var}) *
                         load(weight, {r[0].var, r[1].var, s[2].var});
    return b.build({&b.reduce("conv1d_nlc", s, ReduceKind::Sum, r, product)}, "conv1d_nlc");
}

DagPtr depthwiseNhwcDag(int64_t n, int64_t h, int64_t w, int64_t c, int64_t k, int64_t stride, int64_t pad) {
    DagBuilder b;
    const Tensor &data = b.placeholder("placeholder", {n, h, w, c});
    const Tensor &weight = b.placeholder("placeholder", {1, k, k, c});
    const Tensor &in = padded(b, "PadInput", data, 1, 2, pad);
    const auto s = axes({"n", "h", "w", "c"}, {n, convExtent(h, k, stride, pad), convExtent(w, k, stride, pad), c});
    const auto r = axes({"rh", "rw"}, {k, k});
    const Expr product = load(in, {s[0].var, s[1].var * stride + r[0].var, s[2].var * stride + r[1].var, s[3].var}) *
                         load(weight, {makeInt(0), r[0].var, r[1].var, s[3].var});
    return b.build({&b.reduce("depth_conv2d_nhwc", s, ReduceKind::Sum, r, product)}, "depth_conv2d_nhwc");
}

DagPtr convBnReluNhwcDag(int64_t n, int64_t h, int64_t w, int64_t ci, int64_t co, int64_t k, int64_t stride,
                         int64_t pad) {
    DagBuilder b;
    const Tensor &data = b.placeholder("data", {n, h, w, ci}), &kernel = b.placeholder("kernel", {k, k, ci, co});
    const Tensor &bias = b.placeholder("bias", {co}), &scale = b.placeholder("bn_scale", {co});
    const Tensor &offset = b.placeholder("bn_offset", {co});
    const Tensor &in = padded(b, "PaddedInput", data, 1, 2, pad);
    const Tensor *last =
        &convNhwc(b, "Conv2dOutput", in, kernel, stride, {"nn", "yy", "xx", "ff"}, {"ry", "rx", "rc"}, false);
    const auto perChannel = [&](const std::string &name, ExprKind kind, const Tensor &channel) {
        const auto a = axes({"i", "j", "k", "l"}, last->shape);
        last = &b.compute(name, a,
                          fold(kind, load(*last, {a[0].var, a[1].var, a[2].var, a[3].var}), load(channel, {a[3].var})));
    };
    perChannel("bias_add", ExprKind::Add, bias);
    perChannel("bn_mul", ExprKind::Mul, scale);
    perChannel("bn_add", ExprKind::Add, offset);
    const auto o = axes({"i0", "i1", "i2", "i3"}, last->shape);
    const Expr relu = maxOf(load(*last, {o[0].var, o[1].var, o[2].var, o[3].var}), makeFloat(0));
    return b.build({&b.compute("compute", o, relu)}, "conv2d_bn_relu");
}

DagPtr softmaxDag(int64_t rows, int64_t columns) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {rows, columns});
    const auto m = axes({"i0"}, {rows}), k = axes({"k"}, {columns});
    const Tensor &maxelem = b.reduce("T_softmax_maxelem", m, ReduceKind::Max, k, load(A, {m[0].var, k[0].var}));
    const auto e = axes({"i0", "i1"}, {rows, columns});
    const Tensor &exponent = b.compute(
        "T_softmax_exp", e, callMath(Intrinsic::Exp, load(A, {e[0].var, e[1].var}) - load(maxelem, {e[0].var})));
    const auto s = axes({"i0"}, {rows}), k2 = axes({"k"}, {columns});
    const Tensor &expsum = b.reduce("T_softmax_expsum", s, ReduceKind::Sum, k2, load(exponent, {s[0].var, k2[0].var}));
    const auto o = axes({"i0", "i1"}, {rows, columns});
    const Expr quotient = divide(load(exponent, {o[0].var, o[1].var}), load(expsum, {o[0].var}));
    return b.build({&b.compute("T_softmax_norm", o, quotient)}, "softmax");
}

DagPtr argmaxDag(int64_t rows, int64_t columns) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {rows, columns});
    const auto s = axes({"i"}, {rows}), r = axes({"k"}, {columns});
    // The larger value wins; among equal values the lower index.
    const Expr leftIndex = makeVar("lhs_0"), leftValue = makeVar("lhs_1", DType::Float32);
    const Expr rightIndex = makeVar("rhs_0"), rightValue = makeVar("rhs_1", DType::Float32);
    const Expr keepLeft =
        logicalOr(fold(ExprKind::Gt, leftValue, rightValue),
                  logicalAnd(fold(ExprKind::Eq, leftValue, rightValue), fold(ExprKind::Lt, leftIndex, rightIndex)));
    Reduction reduction;
    reduction.combiner.left = {leftIndex, leftValue};
    reduction.combiner.right = {rightIndex, rightValue};
    reduction.combiner.result = {select(keepLeft, leftIndex, rightIndex), select(keepLeft, leftValue, rightValue)};
    // The identity loses against every value, also by its index.
    reduction.combiner.identity = {makeInt(INT32_MAX), makeFloat(-3.4028234663852886e38)};
    reduction.axes = r;
    const std::vector<Expr> body{r[0].var, load(A, {s[0].var, r[0].var})};
    return b.build(b.computeTuple("argmax", s, body, reduction), "argmax");
}

DagPtr rowMinDag(int64_t rows, int64_t columns) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {rows, columns});
    const auto s = axes({"i"}, {rows}), r = axes({"k"}, {columns});
    return b.build({&b.reduce("B", s, ReduceKind::Min, r, load(A, {s[0].var, r[0].var}))}, "row_min");
}

DagPtr elementwiseDag(int64_t n, int64_t m) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {n, m});
    const auto i = axes({"i", "j"}, {n, m}), j = axes({"i", "j"}, {n, m}), k = axes({"i", "j"}, {n, m});
    const Tensor &B = b.compute("B", i, load(A, {i[0].var, i[1].var}) + makeFloat(1));
    const Tensor &C = b.compute("C", j, load(B, {j[0].var, j[1].var}) * makeFloat(2));
    return b.build({&b.compute("D", k, callMath(Intrinsic::Exp, load(C, {k[0].var, k[1].var})))}, "elementwise");
}

} // namespace loopscope
