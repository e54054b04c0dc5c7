// Operators compute what they are named after: their values, from the reference interpreter, against plain loops.

#include "language/interpret/interpreter.h"
#include "language/te/operators/operator_library.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>
#include <cmath>

using namespace loopscope;

namespace {

struct Run {
    std::vector<TensorValue> inputs;
    TensorValue output;
};

Run run(const std::string &source) {
    const DagPtr dag = ComputeDag::fromWorkload(parseWorkload("workload t()\n" + source, "t.te"));
    Run result;
    result.inputs = randomInputs(*dag, 42);
    result.output = interpret(*dag, result.inputs).front();
    return result;
}

/// Element at the indices, 0 outside.
double at(const TensorValue &value, const std::vector<int64_t> &index) {
    int64_t flat = 0;
    for (size_t d = 0; d < index.size(); ++d) {
        if (index[d] < 0 || index[d] >= value.shape[d]) return 0;
        flat = flat * value.shape[d] + index[d];
    }
    return isFloat(value.dtype) ? value.floats[static_cast<size_t>(flat)]
                                : static_cast<double>(value.integers[static_cast<size_t>(flat)]);
}

/// Calls visit for every index of the shape.
template <typename Visit> void forEach(const std::vector<int64_t> &shape, Visit &&visit) {
    std::vector<int64_t> index(shape.size(), 0);
    while (true) {
        visit(index);
        size_t d = shape.size();
        while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
        if (d == 0) return;
    }
}

/// Compares every element with `expected(index)`.
#define COMPARE_EACH(value, tolerance, expected)                                                                       \
    forEach((value).shape, [&](const std::vector<int64_t> &i) {                                                        \
        const double want = expected;                                                                                  \
        const double got = at(value, i);                                                                               \
        if (!(std::abs(got - want) <= (tolerance) * (1 + std::abs(want)))) ++wrong;                                    \
    });                                                                                                                \
    QCOMPARE(wrong, 0)

} // namespace

class OperatorsTest : public QObject {
    Q_OBJECT
    int wrong = 0;
  private slots:
    void init() { wrong = 0; }
    void groupedDilatedConvolution();
    void winogradIsConvolution_data();
    void winogradIsConvolution();
    void transposedConvolution_data();
    void transposedConvolution();
    void depthwiseMultiplier();
    void pooling();
    void softmaxAndLayerNorm();
    void argmaxTakesTheFirst();
    void movesValues();
    void everyOperatorIsDocumented();
    void calledFromCode();
};

void OperatorsTest::groupedDilatedConvolution() {
    const Run nhwc = run("d = placeholder [2, 9, 8, 4]\nw = placeholder [3, 2, 2, 6]\n"
                         "o = conv2d_nhwc(d, w, stride = [2, 1], pad = [1, 0, 2, 1], dilation = [1, 2], groups = 2)\n");
    QCOMPARE(nhwc.output.shape, (std::vector<int64_t>{2, 5, 7, 6}));
    COMPARE_EACH(nhwc.output, 1e-5, ([&] {
                     double sum = 0;
                     for (int64_t y = 0; y < 3; ++y)
                         for (int64_t x = 0; x < 2; ++x)
                             for (int64_t c = 0; c < 2; ++c)
                                 sum += at(nhwc.inputs[0], {i[0], i[1] * 2 + y - 1, i[2] + x * 2, i[3] / 3 * 2 + c}) *
                                        at(nhwc.inputs[1], {y, x, c, i[3]});
                     return sum;
                 })());
    const Run ncdhw = run("d = placeholder [1, 2, 4, 5, 3]\nw = placeholder [3, 2, 2, 3, 3]\n"
                          "o = conv3d_ncdhw(d, w, pad = 1, stride = 2)\n");
    COMPARE_EACH(ncdhw.output, 1e-5, ([&] {
                     double sum = 0;
                     forEach({2, 2, 3, 3}, [&](const std::vector<int64_t> &r) {
                         sum += at(ncdhw.inputs[0],
                                   {0, r[0], i[2] * 2 + r[1] - 1, i[3] * 2 + r[2] - 1, i[4] * 2 + r[3] - 1}) *
                                at(ncdhw.inputs[1], {i[1], r[0], r[1], r[2], r[3]});
                     });
                     return sum;
                 })());
}

void OperatorsTest::winogradIsConvolution_data() {
    QTest::addColumn<int>("tile");
    QTest::addColumn<int>("pad");
    QTest::addColumn<bool>("last");
    for (const int tile : {2, 4, 6})
        for (const int pad : {0, 1})
            for (const bool last : {true, false})
                QTest::addRow("tile %d pad %d %s", tile, pad, last ? "nhwc" : "nchw") << tile << pad << last;
}

void OperatorsTest::winogradIsConvolution() {
    QFETCH(int, tile);
    QFETCH(int, pad);
    QFETCH(bool, last);
    // 9 x 7: no tile divides both sides.
    const std::string args = std::to_string(pad) + ", " + std::to_string(tile) + ", transformed_weight = 0)\n";
    const Run r = run(
        last ? "d = placeholder [2, 9, 7, 3]\nw = placeholder [3, 3, 3, 2]\no = conv2d_winograd_nhwc(d, w, " + args
             : "d = placeholder [2, 3, 9, 7]\nw = placeholder [2, 3, 3, 3]\no = conv2d_winograd_nchw(d, w, " + args);
    COMPARE_EACH(r.output, 2e-4, ([&] {
                     double sum = 0;
                     forEach({3, 3, 3}, [&](const std::vector<int64_t> &k) {
                         sum += last ? at(r.inputs[0], {i[0], i[1] + k[0] - pad, i[2] + k[1] - pad, k[2]}) *
                                           at(r.inputs[1], {k[0], k[1], k[2], i[3]})
                                     : at(r.inputs[0], {i[0], k[2], i[2] + k[0] - pad, i[3] + k[1] - pad}) *
                                           at(r.inputs[1], {i[1], k[2], k[0], k[1]});
                     });
                     return sum;
                 })());
}

void OperatorsTest::transposedConvolution_data() {
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("pad");
    QTest::addColumn<int>("more");
    for (const int stride : {1, 2, 3})
        for (const int pad : {0, 1, 2})
            for (int more = 0; more < stride; ++more)
                QTest::addRow("stride %d pad %d more %d", stride, pad, more) << stride << pad << more;
}

void OperatorsTest::transposedConvolution() {
    QFETCH(int, stride);
    QFETCH(int, pad);
    QFETCH(int, more);
    const std::string args = "(d, w, " + std::to_string(stride) + ", " + std::to_string(pad) +
                             ", output_padding = " + std::to_string(more) + ")\n";
    const Run r = run("d = placeholder [1, 3, 4, 2]\nw = placeholder [4, 3, 2, 2]\no = conv2d_transpose_nhwc" + args);
    QCOMPARE(r.output.shape,
             (std::vector<int64_t>{1, 2 * stride + 4 - 2 * pad + more, 3 * stride + 3 - 2 * pad + more, 2}));
    // Every input value adds its kernel into the output at stride * position - pad.
    COMPARE_EACH(r.output, 1e-5, ([&] {
                     double sum = 0;
                     forEach({3, 4, 2}, [&](const std::vector<int64_t> &in) {
                         const int64_t ky = i[1] + pad - in[0] * stride;
                         const int64_t kx = i[2] + pad - in[1] * stride;
                         sum += at(r.inputs[0], {0, in[0], in[1], in[2]}) * at(r.inputs[1], {ky, kx, in[2], i[3]});
                     });
                     return sum;
                 })());
    const Run c = run("d = placeholder [1, 2, 3, 4]\nw = placeholder [2, 2, 4, 3]\no = conv2d_transpose_nchw" + args);
    COMPARE_EACH(c.output, 1e-5, ([&] {
                     double sum = 0;
                     forEach({2, 3, 4}, [&](const std::vector<int64_t> &in) {
                         sum +=
                             at(c.inputs[0], {0, in[0], in[1], in[2]}) *
                             at(c.inputs[1], {in[0], i[1], i[2] + pad - in[1] * stride, i[3] + pad - in[2] * stride});
                     });
                     return sum;
                 })());
}

void OperatorsTest::depthwiseMultiplier() {
    const Run r = run("d = placeholder [1, 6, 6, 3]\nw = placeholder [3, 3, 3, 2]\n"
                      "o = depthwise_conv2d_nhwc(d, w, stride = 2, pad = 1)\n");
    COMPARE_EACH(r.output, 1e-5, ([&] {
                     double sum = 0;
                     forEach({3, 3}, [&](const std::vector<int64_t> &k) {
                         sum += at(r.inputs[0], {0, i[1] * 2 + k[0] - 1, i[2] * 2 + k[1] - 1, i[3] / 2}) *
                                at(r.inputs[1], {k[0], k[1], i[3] / 2, i[3] % 2});
                     });
                     return sum;
                 })());
}

void OperatorsTest::pooling() {
    const Run average = run("d = placeholder [1, 2, 5, 6]\no = avg_pool2d(d, 3, 2, 1)\n");
    COMPARE_EACH(average.output, 1e-5, ([&] {
                     double sum = 0;
                     int count = 0;
                     forEach({3, 3}, [&](const std::vector<int64_t> &k) {
                         const int64_t y = i[2] * 2 + k[0] - 1;
                         const int64_t x = i[3] * 2 + k[1] - 1;
                         if (y < 0 || y >= 5 || x < 0 || x >= 6) return;
                         sum += at(average.inputs[0], {0, i[1], y, x});
                         ++count;
                     });
                     return sum / count;
                 })());
    const Run largest =
        run("d = placeholder [1, 5, 5, 2]\no = max_pool2d(d, 2, 2, 0, ceil_mode = 1, layout = \"NHWC\")\n");
    QCOMPARE(largest.output.shape, (std::vector<int64_t>{1, 3, 3, 2}));
    COMPARE_EACH(largest.output, 0.0, ([&] {
                     double best = -1e30;
                     forEach({2, 2}, [&](const std::vector<int64_t> &k) {
                         if (i[1] * 2 + k[0] < 5 && i[2] * 2 + k[1] < 5)
                             best = std::max(best, at(largest.inputs[0], {0, i[1] * 2 + k[0], i[2] * 2 + k[1], i[3]}));
                     });
                     return best;
                 })());
    const Run adaptive = run("d = placeholder [1, 2, 6, 4]\no = adaptive_avg_pool2d(d, [3, 2])\n");
    COMPARE_EACH(adaptive.output, 1e-6, ([&] {
                     double sum = 0;
                     forEach({2, 2}, [&](const std::vector<int64_t> &k) {
                         sum += at(adaptive.inputs[0], {0, i[1], i[2] * 2 + k[0], i[3] * 2 + k[1]});
                     });
                     return sum / 4;
                 })());
}

void OperatorsTest::softmaxAndLayerNorm() {
    const Run soft = run("d = placeholder [3, 5, 2]\no = softmax(d, axis = 1)\n");
    COMPARE_EACH(soft.output, 1e-5, ([&] {
                     double sum = 0;
                     for (int64_t k = 0; k < 5; ++k) sum += std::exp(at(soft.inputs[0], {i[0], k, i[2]}));
                     return std::exp(at(soft.inputs[0], i)) / sum;
                 })());
    for (const char *passes : {"0", "1"}) {
        const Run norm = run(std::string("d = placeholder [3, 16]\ng = placeholder [16]\nb = placeholder [16]\n"
                                         "o = layer_norm(d, g, b, two_pass = ") +
                             passes + ")\n");
        COMPARE_EACH(norm.output, 1e-4, ([&] {
                         double mean = 0;
                         double variance = 0;
                         for (int64_t k = 0; k < 16; ++k) mean += at(norm.inputs[0], {i[0], k}) / 16;
                         for (int64_t k = 0; k < 16; ++k)
                             variance += std::pow(at(norm.inputs[0], {i[0], k}) - mean, 2) / 16;
                         return (at(norm.inputs[0], i) - mean) / std::sqrt(variance + 1e-5) *
                                    at(norm.inputs[1], {i[1]}) +
                                at(norm.inputs[2], {i[1]});
                     })());
    }
}

void OperatorsTest::argmaxTakesTheFirst() {
    // k // 2 repeats every value: two positions tie.
    const Run r = run("d = placeholder [4, 4]\ntwice(i < 4, j < 8) = d[i, j // 2]\no = argmax(twice, axis = 1)\n");
    COMPARE_EACH(r.output, 0.0, ([&] {
                     int64_t best = 0;
                     for (int64_t k = 1; k < 4; ++k)
                         if (at(r.inputs[0], {i[0], k}) > at(r.inputs[0], {i[0], best})) best = k;
                     return static_cast<double>(best * 2);
                 })());
}

void OperatorsTest::movesValues() {
    const Run moved = run("a = placeholder [2, 3]\nb = placeholder [2, 2]\no = transpose(concat([a, b], 1))\n");
    COMPARE_EACH(moved.output, 0.0,
                 i[0] < 3 ? at(moved.inputs[0], {i[1], i[0]}) : at(moved.inputs[1], {i[1], i[0] - 3}));
    const Run shaped = run("a = placeholder [4, 6]\no = reshape(a, [3, 2, 4])\n");
    QCOMPARE(shaped.output.floats, shaped.inputs[0].floats);
    const Run scaled = run("a = placeholder [2, 3]\no = mean(a, axis = 0, keepdims = 1)\n");
    QCOMPARE(scaled.output.shape, (std::vector<int64_t>{1, 3}));
    COMPARE_EACH(scaled.output, 1e-6, (at(scaled.inputs[0], {0, i[1]}) + at(scaled.inputs[0], {1, i[1]})) / 2);
}

void OperatorsTest::everyOperatorIsDocumented() {
    QVERIFY(operatorTable().size() >= 50);
    const OperatorSpec *previous = nullptr;
    for (const OperatorSpec *spec : operatorTable()) {
        QVERIFY2(!spec->doc.empty() && !spec->args.empty() && spec->build != nullptr, spec->name.c_str());
        QVERIFY2(previous == nullptr || previous->name < spec->name, spec->name.c_str());
        previous = spec;
    }
    QCOMPARE(signatureText(*findOperatorSpec("softmax")), std::string("softmax(data, axis = -1)"));
}

void OperatorsTest::calledFromCode() {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    std::vector<OpPtr> ops = {makePlaceholder("a", {4, 8}), makePlaceholder("b", {8, 2})};
    const Tensor *a = &ops[0]->output();
    const Tensor *b = &ops[1]->output();
    const Tensor &c = callOperator(ops, "matmul", {a, b}, {{"style", std::string("benchmark")}}, "product");
    QCOMPARE(c.name, std::string("product"));
    QCOMPARE(c.shape, (std::vector<int64_t>{4, 2}));
    QCOMPARE(ops.size(), size_t{3});
    QVERIFY_EXCEPTION_THROWN(callOperator(ops, "matmul", {a}), std::runtime_error);
    QVERIFY_EXCEPTION_THROWN(callOperator(ops, "matmul", {a, a}), std::runtime_error);
    QVERIFY_EXCEPTION_THROWN(callOperator(ops, "matmull", {a, b}), std::runtime_error);
}

LOOPSCOPE_TEST(OperatorsTest)
#include "operators_test.moc"
