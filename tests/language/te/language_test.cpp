// The grammar of `.te` files, by what it builds.

#include "base/outcome.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

Workload parsed(const std::string &body) { return parseWorkload("workload t(N = 8, K = 4)\n" + body, "t.te"); }

/// Text of the value of `out` in a file with tensors x, y (float32 [N]), k (int32 [N]), h (float16 [N]) and axis i.
QString value(const std::string &expression) {
    const Workload workload = parsed("x = placeholder [N]\ny = placeholder [N]\nk = placeholder [N] int32\n"
                                     "h = placeholder [N] float16\n"
                                     "use(i < N) = x[i] + y[i] + float32(k[i]) + float32(h[i])\n"
                                     "out(i < N) = " +
                                     expression + "\n");
    return QString::fromStdString(toText(workload.ops.back()->body[0]));
}

} // namespace

class LanguageTest : public QObject {
    Q_OBJECT
  private slots:
    void expressions_data();
    void expressions();
    void theDesignExample();
    void paramsAndLets();
    void reductions();
    void tupleReduction();
    void multipleOutputs();
    void attributesAndTags();
    void handlesAndNames();
    void orderOfArguments();
    void operatorCalls();
    void aByteOrderMarkIsPassedOver();
    void everythingSurvivesPrinting();
    void constantsKeepTheirType_data();
    void constantsKeepTheirType();
};

void LanguageTest::expressions_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *source, const char *text) { QTest::newRow(source) << source << text; };
    // Constants take the type of the other side; neutral elements disappear; constants fold.
    row("x[i] * 2", "(x[i]*2f)");
    row("h[i] + 0.5", "(h[i] + 0.5h)");
    row("x[i] + 0", "x[i]");
    row("x[i * 1 + 0]", "x[i]");
    row("x[(N - 1) / 2]", "x[3]");
    row("N + 1", "9");
    row("1.5", "1.5f");
    row("float64(1.5)", "1.5");
    row("int8(7)", "(int8)7");
    row("true", "(bool)1");
    row("-x[i]", "(x[i]*-1f)");
    row("x[i] - -3", "(x[i] - -3f)");
    // Precedence and associativity.
    row("x[i] + y[i] * 2", "(x[i] + (y[i]*2f))");
    row("(x[i] + y[i]) * 2", "((x[i] + y[i])*2f)");
    row("x[i] - y[i] - 1", "((x[i] - y[i]) - 1f)");
    row("select(i > 1 && i < 3 || !(i == 2), x[i], 0)", "select((((i > 1) && (i < 3)) || !(i == 2)), x[i], 0f)");
    // Divisions and remainders.
    row("x[i // 2]", "x[floordiv(i, 2)]");
    row("x[i % 2]", "x[floormod(i, 2)]");
    row("x[floordiv(i, 2) + floormod(i, 3)]", "x[(floordiv(i, 2) + floormod(i, 3))]");
    row("k[i] / 2", "(k[i]/2)");
    row("truncmod(k[i], 2)", "(k[i] % 2)");
    row("x[i] / 3", "(x[i]/3f)");
    row("7 / 2", "3");
    row("-7 / 2", "-4");
    row("ceildiv(7, 2)", "4");
    // Functions, casts, choices.
    row("max(x[i], 0)", "max(x[i], 0f)");
    row("exp(x[i])", "tir.exp(x[i])");
    row("tir.exp(x[i])", "tir.exp(x[i])");
    row("abs(x[i])", "tir.fabs(x[i])");
    row("abs(k[i])", "max(k[i], (k[i]*-1))");
    row("pow(x[i], 2)", "tir.pow(x[i], 2f)");
    row("float32(k[i])", "float32(k[i])");
    row("float32(x[i])", "x[i]");
    row("if_then_else(i < 4, x[i], 0)", "tir.if_then_else((i < 4), x[i], 0f)");
    row("if_then_else(N > 4, x[i], 0)", "x[i]");
    row("select(N > 4, x[i], 0)", "select((bool)1, x[i], 0f)");
    row("let(v = x[i] + 1; v * v)", "(let v = (x[i] + 1f) in (v*v))");
    row("shift_left(k[i], 2)", "tir.shift_left(k[i], 2)");
    row("-inf(float32)", "-inff");
    row("lowest(int8)", "(int8)-128");
    row("x[k[i]]", "x[k[i]]");
}

void LanguageTest::expressions() {
    QFETCH(QString, source);
    QFETCH(QString, text);
    QCOMPARE(value(source.toStdString()), text);
}

void LanguageTest::theDesignExample() {
    const std::string text = R"(
# the last 3x3 layer of ResNet-50, with bias and relu
workload conv2d_layer(N = 1, H = 7, W = 7, CO = 512, CI = 512, K = 3, stride = 1, pad = 1)

let OH = (H + 2*pad - K) / stride + 1
let OW = (W + 2*pad - K) / stride + 1

data   = placeholder [N, CI, H, W] float32
kernel = placeholder [CO, CI, K, K] float32
bias   = placeholder [1, CO, 1, 1] float32

padded(n < N, c < CI, y < H + 2*pad, x < W + 2*pad) =
    if_then_else(y >= pad && y < H + pad && x >= pad && x < W + pad, data[n, c, y - pad, x - pad], 0)
conv(n < N, f < CO, y < OH, x < OW) =
    sum(rc < CI, ry < K, rx < K; padded[n, rc, y*stride + ry, x*stride + rx] * kernel[f, rc, ry, rx])
out(n < N, f < CO, y < OH, x < OW) = max(conv[n, f, y, x] + bias[0, f, 0, 0], 0)
)";
    const Workload workload = parseWorkload(text, "design.te", {{"H", 14}, {"stride", 2}});
    QCOMPARE(workload.name, std::string("conv2d_layer"));
    QCOMPARE(workload.ops.size(), size_t{6});
    QCOMPARE(workload.args.size(), size_t{4});
    const Op &conv = *workload.ops[4];
    QCOMPARE(conv.shape(), (std::vector<int64_t>{1, 512, 7, 4}));
    QCOMPARE(toText(conv.body[0]), std::string("(padded[n, rc, ((y*2) + ry), ((x*2) + rx)]*kernel[f, rc, ry, rx])"));
    QCOMPARE(reduceKind(conv.reduction->combiner), ReduceKind::Sum);
    QCOMPARE(toText(workload.ops[3]->body[0]),
             std::string("tir.if_then_else(((((y >= 1) && (y < 15)) && (x >= 1)) && (x < 8)), "
                         "data[n, c, (y - 1), (x - 1)], 0f)"));
    QCOMPARE(workload.params[1].value, int64_t{14});
    QCOMPARE(workload.params[1].fallback, int64_t{7});
}

void LanguageTest::paramsAndLets() {
    // A default may use the parameters before it, and sees their overridden values.
    const Workload workload = parseWorkload("workload t(N = 4, M = 2*N)\nlet P = max(N, M) - min(N, M)\n"
                                            "let eps = 1 / 4.0\nx = placeholder [M, P]\n"
                                            "out(i < M, j < P) = x[i, j] * eps\n",
                                            "t.te", {{"N", 10}});
    QCOMPARE(workload.ops[0]->shape(), (std::vector<int64_t>{20, 10}));
    QCOMPARE(toText(workload.ops[1]->body[0]), std::string("(x[i, j]*0.25f)"));
}

void LanguageTest::reductions() {
    const Workload workload = parsed("x = placeholder [N, K] float32\n"
                                     "a(i < N) = sum(k < K where k <= i; x[i, k])\n"
                                     "b() = prod(i < N; a[i])\n"
                                     "c(k < K) = min(i < N; x[i, k] + b[])\n"
                                     "d() = max(k < K; c[k])\n");
    const Op &a = *workload.ops[1];
    QCOMPARE(toText(a.reduction->condition), std::string("(k <= i)"));
    QCOMPARE(a.reduction->axes[0].extent, int64_t{4});
    QCOMPARE(workload.ops[2]->shape().size(), size_t{0});
    QCOMPARE(reduceKind(workload.ops[2]->reduction->combiner), ReduceKind::Prod);
    QCOMPARE(reduceKind(workload.ops[3]->reduction->combiner), ReduceKind::Min);
    QCOMPARE(toText(workload.ops[3]->reduction->combiner.identity[0]), std::string("inff"));
    QCOMPARE(toText(workload.ops[4]->reduction->combiner.identity[0]), std::string("-inff"));
    QCOMPARE(toText(workload.ops[3]->body[0]), std::string("(x[i, k] + b[])"));
    // min and max of two values are no reductions.
    QVERIFY(!parsed("x = placeholder [N]\nout(i < N) = max(x[i], 1)\n").ops[1]->reduction);
}

void LanguageTest::tupleReduction() {
    const Workload workload = parsed("x = placeholder [N, K] float32\n"
                                     "best(i < N) = reduce(k < K; (i1, v1), (i2, v2) -> "
                                     "(select(v1 >= v2, i1, i2), max(v1, v2)); from (-1, lowest(float32)); "
                                     "(k, x[i, k]))\n"
                                     "where(i < N) = best.v0[i] + int32(best.v1[i])\n");
    const Op &best = *workload.ops[1];
    QCOMPARE(best.outputs.size(), size_t{2});
    QCOMPARE(best.output(0).dtype, DType::Int32);
    QCOMPARE(best.output(1).dtype, DType::Float32);
    QCOMPARE(best.output(1).name, std::string("best.v1"));
    QCOMPARE(toText(best.reduction->combiner.identity[0]), std::string("-1"));
    QCOMPARE(reduceKind(best.reduction->combiner), ReduceKind::Other);
    QCOMPARE(inputTensors(*workload.ops[2]).size(), size_t{2});
    // A combiner of one value that is not one of the four.
    const Workload custom = parsed("x = placeholder [N]\nout() = reduce(k < N; a, b -> a + b * 2; from 0; x[k])\n");
    QCOMPARE(toText(custom.ops[1]->reduction->combiner.result[0]), std::string("(a + (b*2f))"));
}

void LanguageTest::multipleOutputs() {
    const Workload workload = parsed("x = placeholder [N]\nboth(i < N) = (x[i] + 1, int32(x[i]))\n");
    QCOMPARE(workload.ops[1]->outputs.size(), size_t{2});
    QCOMPARE(workload.args.size(), size_t{3});
    QVERIFY_EXCEPTION_THROWN(parsed("x = placeholder [N]\nboth(i < N) = (x[i], x[i])\nc(i < N) = both[i]\n"), Error);
    QCOMPARE(parsed("x = placeholder [N]\none(i < N) = (x[i])\n").ops[1]->outputs.size(), size_t{1});
}

void LanguageTest::attributesAndTags() {
    const Workload workload = parsed("x = placeholder [N]\nw \"weight.0\" = placeholder [N]\n"
                                     "out(i < N) = x[i] * w[i]\n"
                                     "    @FLOP(123) @const_matrix(1)\n"
                                     "    @layout_free_placeholders[w]\n"
                                     "    @auto_scheduler_always_unroll_inner[\"i\", \"i_c\"] @note(\"a \\\"b\\\"\")\n"
                                     "    @tag(\"dense\")\n");
    const Op &op = *workload.ops[2];
    QCOMPARE(op.tag, std::string("dense"));
    QCOMPARE(op.attrs.size(), size_t{5});
    QCOMPARE(std::get<int64_t>(op.attrs.at("FLOP")), int64_t{123});
    QCOMPARE(std::get<std::string>(op.attrs.at("note")), std::string("a \"b\""));
    QCOMPARE(std::get<std::vector<std::string>>(op.attrs.at("layout_free_placeholders")),
             std::vector<std::string>{"weight.0"});
    QCOMPARE(std::get<std::vector<std::string>>(op.attrs.at("auto_scheduler_always_unroll_inner")).size(), size_t{2});
}

void LanguageTest::handlesAndNames() {
    const Workload workload = parsed("C.local = placeholder [N]\nother \"C.local\" = placeholder [N]\n"
                                     "t \"a b\"(i.c < N, \"j@k\" < 2) = C.local[i.c] + other[\"j@k\"]\n");
    QCOMPARE(workload.ops[1]->name, std::string("C.local"));
    QCOMPARE(workload.ops[2]->name, std::string("a b"));
    QCOMPARE(workload.ops[2]->axes[1].name(), std::string_view("j@k"));
    QCOMPARE(toText(workload.ops[2]->body[0]), std::string("(C.local[i.c] + C.local[j@k])"));
    const std::vector<const Tensor *> inputs = inputTensors(*workload.ops[2]);
    QCOMPARE(inputs.size(), size_t{2});
    QVERIFY(inputs[0] != inputs[1]);
}

void LanguageTest::orderOfArguments() {
    const std::string body = "x = placeholder [N]\ny = placeholder [N]\na(i < N) = x[i]\nb(i < N) = y[i]\n";
    const auto names = [](const Workload &workload) {
        std::string text;
        for (const Tensor *arg : workload.args) text += arg->name;
        return text;
    };
    QCOMPARE(names(parsed(body)), std::string("xyab"));
    QCOMPARE(names(parsed(body + "output b, a\n")), std::string("xyba"));
    QCOMPARE(names(parsed(body + "args b, y, x, a\n")), std::string("byxa"));
    QVERIFY_EXCEPTION_THROWN(parsed(body + "output b\n"), Error);
    QVERIFY_EXCEPTION_THROWN(parsed(body + "args x, a, b\n"), Error);
    // Named as an argument, a placeholder may go unread.
    QCOMPARE(names(parsed("x = placeholder [N]\nu = placeholder [N]\na(i < N) = x[i]\nargs u, x, a\n")),
             std::string("uxa"));
}

void LanguageTest::aByteOrderMarkIsPassedOver() {
    const std::string text = "workload w(N = 4)\nA = placeholder [N]\nB(i < N) = A[i] + 1\n";
    QCOMPARE(parseWorkload("\xEF\xBB\xBF" + text, "w.te", {}).name, std::string("w"));
}

void LanguageTest::operatorCalls() {
    const Workload workload =
        parsed("d = placeholder [1, 3, 8, 8]\nw = placeholder [4, 3, 3, 3]\n"
               "b = placeholder [1, 4, 1, 1]\n"
               "out \"result\" = relu(add(conv2d_nchw(d, w, pad = [1, 1], stride = 2), b)) @FLOP(7)\n");
    std::vector<std::string> names;
    for (const OpPtr &op : workload.ops) names.push_back(op->name);
    QCOMPARE(names, (std::vector<std::string>{"d", "w", "b", "pad_temp", "conv2d_nchw", "T_add", "result"}));
    QCOMPARE(workload.ops.back()->shape(), (std::vector<int64_t>{1, 4, 4, 4}));
    QCOMPARE(workload.ops.back()->attrs.size(), size_t{1});
    QCOMPARE(workload.ops[4]->tag, std::string("conv2d_nchw"));
    QCOMPARE(workload.args.back()->op, workload.ops.back().get());
}

void LanguageTest::everythingSurvivesPrinting() {
    const Workload first = parsed(
        "p \"let\" = placeholder [N, K] float16\nq \"let\" = placeholder [N, K] float16\ns \"a \\\"b\\\" \xc3\xa4\" = "
        "placeholder []\n"
        "u = placeholder [N] int8\n"
        "m \"max\"(i < N, \"odd name\" < K) = select(i % 2 == 1 && true, p[i, \"odd name\"], q[i, 0] * -0.1)\n"
        "r.v0(i < N) = sum(k < K where !(k > i); float64(m[i, k]) * 0.1 + float64(1) / 3)\n"
        "pair \"r\"(i < N) = reduce(k < K; (a, x), (b, y) -> (a + b, min(x, y)); from (0, inf(float64)); (r.v0[k], "
        "r.v0[i]))\n"
        "  @\"strange name\"[\"x\", \"y z\"] @n(-5) @empty[] @tag(\"t\\\\u\")\n"
        "z(i < N) = let(v = int64(u[i]); v * v + int64(9000000000) - abs(v)) + int64(truncmod(u[i], 3) / int8(2))\n"
        "w(i < N) = exp(float32(z[i]) + s[] + 1e-7 + float32(16777217)) / sigmoid(1.0e30)\n"
        "args u, w, q, s, pair.v1, p, pair.v0\n");
    const std::string printed = printWorkload(first.name, first.ops, first.args);
    const Workload second = parseWorkload(printed, "printed.te");
    QCOMPARE(printWorkload(second.name, second.ops, second.args), printed);
    QCOMPARE(second.ops.size(), first.ops.size());
    for (size_t i = 0; i < first.ops.size(); ++i) {
        const Op &a = *first.ops[i];
        const Op &b = *second.ops[i];
        QCOMPARE(b.name, a.name);
        QCOMPARE(b.tag, a.tag);
        QVERIFY(b.attrs == a.attrs);
        for (size_t k = 0; k < a.outputs.size(); ++k) {
            QCOMPARE(b.output(k).dtype, a.output(k).dtype);
            QCOMPARE(b.output(k).shape, a.output(k).shape);
        }
        for (size_t k = 0; k < a.body.size(); ++k) QCOMPARE(toText(b.body[k]), toText(a.body[k]));
    }
    // Digits that the DAG text rounds away are kept.
    QVERIFY2(printed.find("0.3333333333333333") != std::string::npos, printed.c_str());
    std::vector<std::string> args;
    for (const Tensor *arg : second.args) args.push_back(arg->name);
    QCOMPARE(args, (std::vector<std::string>{"u", "w", "let", "a \"b\" \xc3\xa4", "r.v1", "let", "r.v0"}));
}

void LanguageTest::constantsKeepTheirType_data() {
    QTest::addColumn<QString>("body");
    for (const char *type : {"float16", "bfloat16", "float32", "float64", "int8", "uint8", "int64"})
        for (const char *body :
             {"TYPE(3)", "select(i == 0, TYPE(1), TYPE(0))", "sum(k < K; TYPE(2))", "let(v = TYPE(1); v + v)",
              "(TYPE(1), TYPE(2))", "max(TYPE(1), TYPE(i))", "lowest(TYPE)"})
            QTest::addRow("%s of %s", body, type) << QString(body).replace("TYPE", type);
}

/// Ops that read nothing have no operand to take a type from.
void LanguageTest::constantsKeepTheirType() {
    QFETCH(QString, body);
    const Workload first = parsed(("c(i < N) = " + body + "\n").toUtf8().constData());
    const Workload second = parseWorkload(printWorkload(first.name, first.ops, first.args), "printed.te");
    const Op &a = *first.ops.at(0), &b = *second.ops.at(0);
    QVERIFY(body.contains(dtypeName(a.output().dtype).data()));
    for (size_t k = 0; k < a.outputs.size(); ++k) QCOMPARE(b.output(k).dtype, a.output(k).dtype);
    for (size_t k = 0; k < a.body.size(); ++k) QCOMPARE(toText(b.body[k]), toText(a.body[k]));
}

LOOPSCOPE_TEST(LanguageTest)
#include "language_test.moc"
