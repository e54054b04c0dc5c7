// A recognised problem, computed by the plain loops over its strides, gives what the interpreter gives for the DAG;
// what no library has is refused with the reason.

#include "harness/sample_dags.h"
#include "language/te/workload.h"
#include "recognised_answer.h"
#include "test_program.h"

#include <QTest>

#include <functional>

using namespace loopscope;

namespace recognise_test {

namespace {

/// One conv2d, NHWC or NCHW, with groups, dilation and any padding on the two sides.
struct ConvDag {
    int64_t n = 1, h = 7, w = 6, ci = 8, co = 12, k = 3, stride = 1, before = 1, after = 1, dilation = 1, groups = 1;
    bool channelsFirst = false;

    [[nodiscard]] DagPtr build() const {
        DagBuilder b;
        auto shape = [&](int64_t c, int64_t y, int64_t x) {
            return channelsFirst ? std::vector<int64_t>{n, c, y, x} : std::vector<int64_t>{n, y, x, c};
        };
        auto at = [&](const Tensor &t, Expr i, Expr c, Expr y, Expr x) {
            return channelsFirst ? load(t, {i, c, y, x}) : load(t, {i, y, x, c});
        };
        const int64_t perGroup = ci / groups;
        const Tensor &data = b.placeholder("data", shape(ci, h, w));
        const Tensor &kernel = b.placeholder("kernel", channelsFirst ? std::vector<int64_t>{co, perGroup, k, k}
                                                                     : std::vector<int64_t>{k, k, perGroup, co});
        const auto p = axes({"i0", "i1", "i2", "i3"}, shape(ci, h + before + after, w + before + after));
        const size_t y = channelsFirst ? 2 : 1;
        const Expr row = p[y].var - before;
        const Expr column = p[y + 1].var - before;
        const Expr inside = logicalAnd(logicalAnd(fold(ExprKind::Ge, p[y].var, makeInt(before)),
                                                  fold(ExprKind::Lt, p[y].var, makeInt(h + before))),
                                       logicalAnd(fold(ExprKind::Ge, p[y + 1].var, makeInt(before)),
                                                  fold(ExprKind::Lt, p[y + 1].var, makeInt(w + before))));
        const Tensor &in =
            b.compute("padded", p,
                      ifThenElse(inside, at(data, p[0].var, p[channelsFirst ? 1 : 3].var, row, column), makeFloat(0)));
        const int64_t reach = (k - 1) * dilation + 1;
        const auto s = axes({"nn", "a", "b", "c"}, shape(co, (h + before + after - reach) / stride + 1,
                                                         (w + before + after - reach) / stride + 1));
        const auto r = axes({"rc", "ry", "rx"}, {perGroup, k, k});
        const Expr channel = s[channelsFirst ? 1 : 3].var;
        const Expr product =
            at(in, s[0].var, groups > 1 ? floorDiv(channel, co / groups) * perGroup + r[0].var : r[0].var,
               s[y].var * stride + r[1].var * dilation, s[y + 1].var * stride + r[2].var * dilation) *
            (channelsFirst ? load(kernel, {channel, r[0].var, r[1].var, r[2].var})
                           : load(kernel, {r[1].var, r[2].var, r[0].var, channel}));
        return b.build({&b.reduce("conv", s, ReduceKind::Sum, r, product)}, "conv");
    }
};

/// Depthwise NCHW with several outputs per channel, weights [channel, multiplier, ky, kx].
DagPtr multiplierDag(int64_t c, int64_t multiplier) {
    DagBuilder b;
    const Tensor &data = b.placeholder("data", {1, c, 8, 8}), &kernel = b.placeholder("kernel", {c, multiplier, 3, 3});
    const auto s = axes({"b", "c", "i", "j"}, {1, c * multiplier, 6, 6}), r = axes({"di", "dj"}, {3, 3});
    const Expr product =
        load(data, {s[0].var, floorDiv(s[1].var, multiplier), s[2].var + r[0].var, s[3].var + r[1].var}) *
        load(kernel, {floorDiv(s[1].var, multiplier), floorMod(s[1].var, multiplier), r[0].var, r[1].var});
    return b.build({&b.reduce("depthwise", s, ReduceKind::Sum, r, product)}, "depthwise");
}

/// Transposed convolution as Ansor's suite writes it: the image padded and dilated, the kernel read from its far end.
DagPtr transposedDag(int64_t h, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad) {
    DagBuilder b;
    const Tensor &data = b.placeholder("inputs", {1, h, h, ci}), &kernel = b.placeholder("weight", {k, k, ci, co});
    const int64_t crop = k - 1 - pad;
    const int64_t border = (stride - crop % stride) % stride;
    const int64_t margin = (crop + stride - 1) / stride;
    const auto p = axes({"i0", "i1", "i2", "i3"}, {1, h + 2 * margin, h + 2 * margin, ci});
    const Expr inside = logicalAnd(
        logicalAnd(fold(ExprKind::Ge, p[1].var, makeInt(margin)), fold(ExprKind::Lt, p[1].var, makeInt(h + margin))),
        logicalAnd(fold(ExprKind::Ge, p[2].var, makeInt(margin)), fold(ExprKind::Lt, p[2].var, makeInt(h + margin))));
    const Tensor &in = b.compute(
        "PadInput", p,
        ifThenElse(inside, load(data, {p[0].var, p[1].var - margin, p[2].var - margin, p[3].var}), makeFloat(0)));
    const int64_t out = (h - 1) * stride - 2 * pad + k;
    const auto s = axes({"n", "h", "w", "co"}, {1, out, out, co}), r = axes({"rh", "rw", "rc"}, {k, k, ci});
    const Expr y = s[1].var + r[0].var + border;
    const Expr x = s[2].var + r[1].var + border;
    const Expr onGrid = logicalAnd(fold(ExprKind::Eq, floorMod(y, stride), makeInt(0)),
                                   fold(ExprKind::Eq, floorMod(x, stride), makeInt(0)));
    const Expr dilated =
        ifThenElse(onGrid, load(in, {s[0].var, floorDiv(y, stride), floorDiv(x, stride), r[2].var}), makeFloat(0));
    const Expr last = makeInt(k - 1);
    const Expr product = dilated * load(kernel, {last - r[0].var, last - r[1].var, r[2].var, s[3].var});
    return b.build({&b.reduce("conv2d_transpose", s, ReduceKind::Sum, r, product)}, "conv2d_transpose");
}

/// The same in NCHW, as the operator library writes it: spread out, padded and mirrored by stages of their own.
DagPtr transposedNchwDag(const std::string &kernel, const std::string &strideAndPad) {
    const std::string text = "workload t()\ndata = placeholder [1, 5, 4, 4] float32\nkernel = placeholder " + kernel +
                             " float32\nconv = conv2d_transpose_nchw(data, kernel, " + strideAndPad + ")\n";
    return ComputeDag::fromWorkload(parseWorkload(text, "t.te"));
}

/// A product or a convolution with what networks have behind it, as the operator library writes that.
DagPtr textDag(const char *text) { return ComputeDag::fromWorkload(parseWorkload(text, "t.te")); }

const char *const kResidualBlock = R"(workload block()
data = placeholder [1, 4, 7, 7] float32
kernel = placeholder [6, 4, 3, 3] float32
bias = placeholder [1, 6, 1, 1] float32
before = placeholder [1, 6, 7, 7] float32
conv = conv2d_nchw(data, kernel, 1, 1)
biased = add(conv, bias)
sum = add(biased, before)
out = relu(sum)
)";
const char *const kLimited = R"(workload limited()
data = placeholder [1, 4, 7, 7] float32
kernel = placeholder [6, 4, 3, 3] float32
bias = placeholder [1, 6, 1, 1] float32
conv = conv2d_nchw(data, kernel, 1, 1)
biased = add(conv, bias)
out = clip(biased, 0, 6)
)";
const char *const kGelu = R"(workload forward()
A = placeholder [5, 7] float32
B = placeholder [7, 6] float32
bias = placeholder [6] float32
C = matmul(A, B)
D = add(C, bias)
E = gelu(D)
)";
const char *const kMatmulResidual = R"(workload forward()
A = placeholder [5, 7] float32
B = placeholder [7, 6] float32
bias = placeholder [6] float32
before = placeholder [5, 6] float32
C = matmul(A, B)
D = add(C, bias)
E = add(before, D)
)";
const char *const kTwoResiduals = R"(workload forward()
A = placeholder [5, 7] float32
B = placeholder [7, 6] float32
before = placeholder [5, 6] float32
more = placeholder [5, 6] float32
C = matmul(A, B)
D = add(C, before)
E = add(D, more)
)";
const char *const kUpperLimit = R"(workload forward()
A = placeholder [5, 7] float32
B = placeholder [7, 6] float32
six = placeholder [6] float32
C = matmul(A, B)
D = add(C, six)
E(i < 5, j < 6) = min(D[i, j], 6)
)";
const char *const kTurnedResidual = R"(workload forward()
A = placeholder [5, 7] float32
B = placeholder [7, 5] float32
before = placeholder [5, 5] float32
C = matmul(A, B)
E(i < 5, j < 5) = C[i, j] + before[j, i]
)";

/// Attention's first product: both operands [batch, sequence, head, depth], transposed by stages of their own.
DagPtr attentionDag(int64_t batch, int64_t sequence, int64_t heads, int64_t depth) {
    DagBuilder b;
    const Tensor &query = b.placeholder("query", {batch, sequence, heads, depth});
    const Tensor &value = b.placeholder("value", {batch, sequence, heads, depth});
    const auto q = axes({"b", "h", "l", "d"}, {batch, heads, sequence, depth});
    const Tensor &queryT = b.compute("query_T", q, load(query, {q[0].var, q[2].var, q[1].var, q[3].var}));
    const auto v = axes({"b", "h", "d", "l"}, {batch, heads, depth, sequence});
    const Tensor &valueT = b.compute("value_T", v, load(value, {v[0].var, v[3].var, v[1].var, v[2].var}));
    const auto s = axes({"b", "h", "i", "j"}, {batch, heads, sequence, sequence}), r = axes({"k"}, {depth});
    const Expr product =
        load(queryT, {s[0].var, s[1].var, s[2].var, r[0].var}) * load(valueT, {s[0].var, s[1].var, r[0].var, s[3].var});
    return b.build({&b.reduce("C", s, ReduceKind::Sum, r, product)}, "attention");
}

/// C = A * B^T with the weights named first in the product.
DagPtr denseDag(int64_t m, int64_t n, int64_t k) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {m, k}), &W = b.placeholder("W", {n, k});
    const auto s = axes({"i", "j"}, {m, n}), r = axes({"k"}, {k});
    const Expr product = load(W, {s[1].var, r[0].var}) * load(A, {s[0].var, r[0].var});
    return b.build({&b.reduce("T_dense", s, ReduceKind::Sum, r, product,
                              {{"layout_free_placeholders", std::vector<std::string>{"W"}}})},
                   "dense");
}

struct Case {
    const char *name;
    std::function<DagPtr()> dag;
    const char *description; // of the problem expected
};

std::vector<Case> recognisedCases() {
    return {
        {"matmul", [] { return matmulDag(5, 6, 7); }, "matmul 5x6x7"},
        {"matmul one row", [] { return matmulDag(1, 6, 7); }, "matmul 1x6x7"},
        {"matmul one column", [] { return matmulDag(5, 1, 7); }, "matmul 5x1x7"},
        {"matmul bias relu", [] { return matmulBiasReluDag(5, 6, 7); }, "matmul 5x6x7 + bias, relu"},
        {"batch matmul", [] { return batchMatmulDag(3, 5, 6, 7); }, "matmul 5x6x7 batch 3"},
        {"dense", [] { return denseDag(5, 6, 7); }, "matmul 5x6x7"},
        {"attention", [] { return attentionDag(1, 6, 4, 5); }, "matmul 6x6x5 batch 4"},
        {"conv nhwc", [] { return conv2dNhwcDag(2, 9, 8, 5, 6, 3, 2, 1); }, "conv 2x9x8x5 -> 6, 3x3/2x2"},
        {"conv 1x1 nhwc", [] { return conv2dNhwcDag(1, 5, 5, 8, 6, 1, 1, 0); }, "conv 1x5x5x8 -> 6, 1x1/1x1"},
        {"conv to one pixel", [] { return conv2dNhwcDag(1, 3, 3, 8, 6, 3, 1, 0); }, "conv 1x3x3x8 -> 6, 3x3/1x1"},
        {"conv one input channel", [] { return conv2dNhwcDag(1, 6, 6, 1, 6, 3, 1, 1); }, "conv 1x6x6x1 -> 6, 3x3/1x1"},
        {"conv nhwc bias relu", [] { return conv2dBiasReluNhwcDag(8, 8, 4, 6, 3, 2, 1); },
         "conv 1x8x8x4 -> 6, 3x3/2x2 + bias, relu"},
        {"conv nchw bias relu", [] { return conv2dBiasReluNchwDag(1, 7, 7, 6, 4, 3, 1, 1); },
         "conv 1x7x7x4 -> 6, 3x3/1x1 + bias, relu"},
        {"conv normalised", [] { return convBnReluNhwcDag(1, 9, 9, 3, 4, 3, 2, 1); },
         "conv 1x9x9x3 -> 4, 3x3/2x2 + bias * scale + offset, relu"},
        {"conv residual relu", [] { return textDag(kResidualBlock); },
         "conv 1x7x7x4 -> 6, 3x3/1x1 + bias + residual, relu"},
        {"conv relu6", [] { return textDag(kLimited); }, "conv 1x7x7x4 -> 6, 3x3/1x1 + bias, relu up to 6"},
        {"matmul gelu", [] { return textDag(kGelu); }, "matmul 5x6x7 + bias, gelu"},
        {"matmul residual", [] { return textDag(kMatmulResidual); }, "matmul 5x6x7 + bias + residual"},
        {"conv1d", [] { return conv1dNlcDag(1, 16, 4, 6, 3, 2, 1); }, "conv 1x16x4 -> 6, 3/2"},
        {"conv dilated", [] { return ConvDag{.before = 2, .after = 2, .dilation = 2}.build(); },
         "conv 1x7x6x8 -> 12, 3x3/1x1, dilation 2"},
        {"conv padded on one side", [] { return ConvDag{.stride = 2, .before = 0, .after = 1}.build(); },
         "conv 1x7x6x8 -> 12, 3x3/2x2"},
        {"conv grouped nhwc", [] { return ConvDag{.groups = 4}.build(); }, "conv 1x7x6x8 -> 12, 3x3/1x1, 4 groups"},
        {"conv grouped nchw", [] { return ConvDag{.n = 2, .groups = 4, .channelsFirst = true}.build(); },
         "conv 2x7x6x8 -> 12, 3x3/1x1, 4 groups"},
        {"depthwise", [] { return depthwiseNhwcDag(1, 9, 9, 6, 3, 2, 1); }, "conv 1x9x9x6 -> 6, 3x3/2x2, 6 groups"},
        {"depthwise multiplier", [] { return multiplierDag(4, 3); }, "conv 1x8x8x4 -> 12, 3x3/1x1, 4 groups"},
        {"transposed", [] { return transposedDag(4, 5, 6, 4, 2, 1); }, "transposed conv 1x4x4x5 -> 6, 4x4/2x2"},
        {"transposed nchw", [] { return transposedNchwDag("[5, 6, 4, 4]", "2, 1"); },
         "transposed conv 1x4x4x5 -> 6, 4x4/2x2"},
        {"transposed nchw by three", [] { return transposedNchwDag("[5, 6, 5, 5]", "3, 1"); },
         "transposed conv 1x4x4x5 -> 6, 5x5/3x3"},
        {"transposed 3x3", [] { return transposedDag(4, 5, 6, 3, 2, 0); }, "transposed conv 1x4x4x5 -> 6, 3x3/2x2"},
    };
}

/// A convolution over capsules: 4x4 matrices instead of numbers, so five axes of the data are not a conv's.
DagPtr capsuleDag() {
    DagBuilder b;
    const Tensor &data = b.placeholder("inputs", {1, 6, 6, 4, 4, 3}), &kernel = b.placeholder("w", {3, 3, 4, 4, 3, 5});
    const auto s = axes({"n", "h", "w", "i", "j", "co"}, {1, 4, 4, 4, 4, 5});
    const auto r = axes({"rh", "rw", "k", "rc"}, {3, 3, 4, 3});
    const Expr product =
        load(data, {s[0].var, s[1].var + r[0].var, s[2].var + r[1].var, s[3].var, r[2].var, r[3].var}) *
        load(kernel, {r[0].var, r[1].var, r[2].var, s[4].var, r[3].var, s[5].var});
    return b.build({&b.reduce("capsule", s, ReduceKind::Sum, r, product)}, "capsule");
}

/// relu in front of the bias.
DagPtr wrongOrderDag() {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {4, 5}), &B = b.placeholder("B", {5, 6}), &bias = b.placeholder("bias", {6});
    const auto s = axes({"i", "j"}, {4, 6}), r = axes({"k"}, {5});
    const Expr product = load(A, {s[0].var, r[0].var}) * load(B, {r[0].var, s[1].var});
    const Tensor &C = b.reduce("C", s, ReduceKind::Sum, r, product);
    const auto a = axes({"i", "j"}, {4, 6});
    return b.build({&b.compute("D", a, maxOf(load(C, {a[0].var, a[1].var}), makeFloat(0)) + load(bias, {a[1].var}))});
}

/// The bias follows the rows of the product, not its columns.
DagPtr rowBiasDag() {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {4, 5}), &B = b.placeholder("B", {5, 6}), &bias = b.placeholder("bias", {4});
    const auto s = axes({"i", "j"}, {4, 6}), r = axes({"k"}, {5});
    const Expr product = load(A, {s[0].var, r[0].var}) * load(B, {r[0].var, s[1].var});
    const Tensor &C = b.reduce("C", s, ReduceKind::Sum, r, product);
    const auto a = axes({"i", "j"}, {4, 6});
    return b.build({&b.compute("D", a, load(C, {a[0].var, a[1].var}) + load(bias, {a[0].var}))});
}

std::vector<Case> refusedCases() {
    return {
        {"chain of products", [] { return matmulChainDag(4); }, "more than one reduction"},
        {"row minimum", [] { return rowMinDag(4, 5); }, "not a sum of products"},
        {"argmax", [] { return argmaxDag(4, 5); }, "several outputs"},
        {"element-wise", [] { return elementwiseDag(4, 5); }, "no library fuses"},
        {"capsule", capsuleDag, "not a convolution a library has"},
        {"relu before bias", wrongOrderDag, "in this order"},
        {"bias along the rows", rowBiasDag, "does not follow the output channel"},
        {"two residuals", [] { return textDag(kTwoResiduals); }, "in this order"},
        {"a residual that lies otherwise", [] { return textDag(kTurnedResidual); },
         "+ before[j, i]) (in E) behind a product"},
        {"an upper limit alone", [] { return textDag(kUpperLimit); }, "an upper limit without the lower one"},
        {"attention with a batch", [] { return attentionDag(2, 6, 4, 5); }, "do not lie one after the other"},
    };
}

} // namespace

class RecogniseTest : public QObject {
    Q_OBJECT

  private slots:
    void recognised_data() { rows(recognisedCases()); }
    void recognised() {
        QFETCH(int, index);
        const Case one = recognisedCases()[size_t(index)];
        const DagPtr dag = one.dag();
        const auto found = recognise(*dag);
        QVERIFY2(found.ok(), found ? "" : found.why().c_str());
        QCOMPARE(QString::fromStdString(describe(found->problem)), QString(one.description));

        QCOMPARE(differenceFromInterpreter(*dag, *found), std::string());
    }

    void weightsAreKnownByTheAttribute() {
        QVERIFY(std::get<MatmulProblem>(recognise(*denseDag(5, 6, 7)).value().problem).constantB);
        QVERIFY(!std::get<MatmulProblem>(recognise(*batchMatmulDag(3, 5, 6, 7)).value().problem).constantB);
    }

    void refused_data() { rows(refusedCases()); }
    void refused() {
        QFETCH(int, index);
        const Case one = refusedCases()[size_t(index)];
        const auto found = recognise(*one.dag());
        QVERIFY(!found);
        QVERIFY2(found.why().find(one.description) != std::string::npos, found.why().c_str());
    }

  private:
    static void rows(const std::vector<Case> &cases) {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < cases.size(); ++i) QTest::newRow(cases[i].name) << int(i);
    }
};

LOOPSCOPE_TEST(RecogniseTest)

} // namespace recognise_test
#include "recognise_test.moc"
