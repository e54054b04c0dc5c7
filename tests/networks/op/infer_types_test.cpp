// Inference over whole functions: shapes that are computed with, all problems of a function at once, long chains.

#include "net_lines.h"
#include "test_program.h"

#include <QTest>
#include <ctime>

using namespace loopscope;

namespace {

/// Known elements of the value named y.
QString elements(const std::string &parameters, const std::string &lines) {
    const FunctionPtr function = netFunction(parameters, lines, "y");
    const FunctionFacts facts = inferFacts(*function);
    if (!facts.problems.empty()) return QString::fromStdString(facts.problems.front().sentence);
    const auto &known = facts.elements[function->results()[0].index()];
    return known ? QString::fromStdString(dimsText(*known)) : QString("unknown");
}

FunctionPtr chain(size_t length) {
    FunctionBuilder builder("main");
    ValueId value = builder.addParameter("x", {DType::Float32, {Dim::symbol("n"), 8}});
    for (size_t i = 0; i < length; ++i) value = builder.add("relu", "r" + std::to_string(i), {value});
    builder.addResult(value);
    return std::move(builder).finish();
}

} // namespace

class InferTypesTest : public QObject {
    Q_OBJECT
  private slots:
    void elements_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *lines, const char *expected) {
            QTest::newRow(name) << lines << expected;
        };
        row("shape", "y = shape(x)", "[n, 12, 64]");
        row("shape in part", "y = shape(x, start = 1, end = -1)", "[12]");
        row("gather", "s = shape(x)\ny = gather(s, [-1, 0])", "[64, n]");
        row("gather of a scalar", "s = shape(x)\ni = constant int64[] 0\ny = gather(s, i)", "[n]");
        row("arithmetic", "s = shape(x)\na = mul(s, [2])\nb = add(a, [1, 2, 3])\nc = sub(b, s)\ny = div(c, [1, 1, 2])",
            "[n + 1, 14, 33]");
        row("quotient of a symbol", "s = shape(x)\ny = div(s, [4])", "[floordiv(n, 4), 3, 16]");
        row("quotient by 0", "s = shape(x)\ny = div(s, [0])", "unknown");
        row("maximum", "s = shape(x, start = 1)\ny = maximum(s, [20])", "[20, 64]");
        row("slice", "s = shape(x)\ny = slice(s, [-1], [-10], [0], [-2])", "[64, n]");
        row("cast", "s = shape(x)\ny = cast(s, to = \"int32\")", "[n, 12, 64]");
        row("cast to bytes", "s = shape(x)\ny = cast(s, to = \"uint8\")", "unknown");
        row("cast of a number", "y = cast([300], to = \"uint8\")", "[44]");
        row("concat", "s = shape(x, end = 1)\ny = concat(s, [-1], axis = 0)", "[n, -1]");
        row("split", "s = shape(x)\na, y = split(s, sizes = [1, 2])", "[12, 64]");
        row("unsqueeze and squeeze", "s = shape(x, end = 1)\na = squeeze(s)\ny = unsqueeze(a, axes = [0])", "[n]");
        row("constant_of_shape", "y = constant_of_shape([3], value = tensor int64[1] -1)", "[-1, -1, -1]");
        row("range", "a = constant int64[] 1\nb = constant int64[] 6\nc = constant int64[] 2\ny = range(a, b, c)",
            "[1, 3, 5]");
        row("product", "s = shape(x)\ny = reduce_prod(s)", "[768*n]");
        row("sum", "s = shape(x)\ny = reduce_sum(s, keep_dims = 0)", "[n + 76]");
        row("equal and where",
            "a = equal([4, -1], [-1])\nb = constant_of_shape([2], value = tensor int64[1] 1)\n"
            "y = where(a, b, [4, -1])",
            "[4, 1]");
        row("equal that is not known", "s = shape(x)\nt = constant int64[1] [8]\ny = equal(s, t)", "unknown");
        row("expand", "s = shape(x, end = 1)\ny = expand(s, [3])", "[n, n, n]");
        row("reshape", "s = shape(x, end = 1)\ny = reshape(s, [1])", "[n]");
    }
    void elements() {
        QFETCH(QString, lines);
        QFETCH(QString, expected);
        QCOMPARE(::elements("x: float32[n, 12, 64]", lines.toStdString()), expected);
    }

    /// As PyTorch writes x.view(x.size(0), -1, 8): shape, gather, unsqueeze, concat, reshape.
    void aChainThatComputesAShape() {
        QCOMPARE(inferredType("x: float32[n, 12, 64]", "s = shape(x)\n"
                                                       "i = constant int64[] 0\n"
                                                       "g = gather(s, i)\n"
                                                       "u = unsqueeze(g, axes = [0])\n"
                                                       "t = concat(u, [-1, 8], axis = 0)\n"
                                                       "y = reshape(x, t)"),
                 std::string("float32[n, 96, 8]"));
        QCOMPARE(inferredType("x: float32[n, 12, 64], z: float32[n, 1, 1]", "s = shape(x)\n"
                                                                            "c = cast(s, to = \"int32\")\n"
                                                                            "d = cast(c, to = \"int64\")\n"
                                                                            "y = expand(z, d)"),
                 std::string("float32[n, 12, 64]"));
        QCOMPARE(inferredType("x: int64[n, m]", "s = shape(x, start = 1)\n"
                                                "e = squeeze(s, axes = [0])\n"
                                                "a = constant int64[] 0\n"
                                                "b = constant int64[] 1\n"
                                                "y = range(a, e, b)"),
                 std::string("int64[m]"));
    }

    void allProblemsAreFound() {
        const FunctionPtr function = netFunction("x: float32[2, 3], z: float32[4]",
                                                 "a = add(x, z)\n"
                                                 "b = relu(a)\n" // says nothing: a has no type
                                                 "c = rleu(x)\n"
                                                 "d = softmax(x, axis = 5)\n"
                                                 "e: float32[2, 3] = exp(c, c)\n"
                                                 "y = reshape(e, [7])",
                                                 "y, b, d");
        const FunctionFacts facts = inferFacts(*function);
        QStringList sentences;
        for (const OpProblem &problem : facts.problems)
            sentences += QString("%1 %2").arg(problem.node.value).arg(QString::fromStdString(problem.sentence));
        QCOMPARE(sentences.join("\n"),
                 QString("0 add 'a': a [2, 3] and b [4] do not broadcast: 3 and 4 differ\n"
                         "2 rleu 'c': there is no operator 'rleu' (did you mean `relu`?)\n"
                         "3 softmax 'd': axis 5 is outside of rank 2\n"
                         "4 exp 'e' has 2 inputs, it takes 1 input\n"
                         "5 reshape 'y': x [2, 3] does not fit into [7]: 6 elements and 7, 6 and 7 differ"));
        QCOMPARE(inferTypes(*function).why(), facts.problems.front().sentence);
    }

    void aFunctionWithTypesStaysItself() {
        const FunctionPtr bare = netFunction("x: float32[n, 3]", "y = relu(x)", "y");
        const FunctionPtr typed = *inferTypes(bare);
        QVERIFY(typed != bare);
        QCOMPARE(*inferTypes(typed), typed);
    }

    void parametersMayNotBeNegativeOrTooLarge() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {-1, 2}});
        builder.addParameter("z", {DType::Float32, {int64_t{1} << 40, int64_t{1} << 40}});
        builder.addResult(builder.add("relu", "y", {x}));
        const FunctionFacts facts = inferFacts(*std::move(builder).finish());
        QCOMPARE(facts.problems.size(), size_t{2});
        QCOMPARE(facts.problems[0].sentence, std::string("parameter 'x': [-1, 2] has a negative extent"));
        QCOMPARE(facts.problems[1].sentence,
                 std::string("parameter 'z': [1099511627776, 1099511627776] has more elements than can be counted"));
    }

    void typesOfANodeThatIsAdded() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {2, 3}});
        const NodeId good = builder.addNode({"y", "transpose", {x}, {}, {}, {}}, {"y"});
        QVERIFY(inferInto(builder, good).ok());
        QCOMPARE(typeText(builder.soFar().type(builder.soFar().node(good).outputs[0])), std::string("float32[3, 2]"));
        const NodeId bad =
            builder.addNode({"z", "transpose", {x}, {}, {{"permutation", std::vector<int64_t>{1}}}, {}}, {"z"});
        QCOMPARE(inferInto(builder, bad).why(),
                 std::string("transpose 'z': permutation has to name each of the 2 axes of x once"));
    }

    void aMillionNodes() {
        const FunctionPtr function = chain(1000000);
        const std::clock_t begin = std::clock(); // of this process: others may be busy
        const auto typed = inferTypes(*function);
        const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY(typed.ok());
        QCOMPARE(typeText((*typed)->type((*typed)->results()[0])), std::string("float32[n, 8]"));
        qInfo("%.2f s", took);
        QVERIFY2(took < 20, "two seconds, with room for sanitizers");
    }
};

LOOPSCOPE_TEST(InferTypesTest)
#include "infer_types_test.moc"
