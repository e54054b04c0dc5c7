// Elementwise and broadcasting operators: their tensor expressions against their reference.

#include "one_node.h"

#include "base/random.h"
#include "test_program.h"

#include <QTest>

#include <limits>
#include <utility>

using namespace loopscope;

class ElementwiseTest : public QObject {
    Q_OBJECT

  private slots:
    void unary_data() {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        const auto row = [](const char *op, double low, double high) { QTest::newRow(op) << low << high; };
        row("relu", -2, 2);
        row("leaky_relu", -2, 2);
        row("elu", -2, 2);
        row("sigmoid", -5, 5);
        row("tanh", -5, 5);
        row("exp", -3, 3);
        row("log", 0.1, 9);
        row("sqrt", 0, 9);
        row("neg", -2, 2);
        row("abs", -2, 2);
        row("reciprocal", 0.5, 3);
        row("erf", -2, 2);
        row("floor", -9, 9);
        row("ceil", -9, 9);
        row("round", -9, 9);
        row("sign", -2, 2);
        row("sin", -9, 9);
        row("cos", -9, 9);
        row("identity", -2, 2);
        row("softplus", -120, 120);
        row("hard_sigmoid", -4, 4);
        row("hard_swish", -5, 5);
        row("gelu", -3, 3);
        row("clip", -3, 3);
    }
    void unary() {
        QFETCH(double, low);
        QFETCH(double, high);
        const std::string op = QTest::currentDataTag();
        uint64_t seed = 0;
        for (const std::vector<int64_t> &dims : {std::vector<int64_t>{7}, {3, 5}, {1, 2, 13, 1}, {}})
            COMPARE_NODE(op, {floats(dims, low, high)}, {}, 1, ++seed);
        COMPARE_NODE(op, {ofType(DType::Float64, {11}, low, high)});
        if (op != "softplus") COMPARE_NODE(op, {ofType(DType::Float16, {11}, low, high)});
    }

    /// NumPy's answers, which the reference has: see op_evaluate_test.
    void edgesOfTheNumbers_data() { unary_data(); }
    void edgesOfTheNumbers() {
        const std::string op = QTest::currentDataTag();
        const bool bends = op == "sin" || op == "cos"; // of the largest numbers no two libraries agree
        for (const DType type : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16}) {
            if (bends || (op == "softplus" && type == DType::Float16)) continue;
            COMPARE_NODE(op, {edges({211}, type)});
        }
        if (op == "clip") {
            COMPARE_NODE(op, {edges({97})}, {{"min", -1.0}, {"max", 1.5}});
            COMPARE_NODE(op, {edges({97})}, {{"min", 2.0}, {"max", -1.0}});
            COMPARE_NODE(op, {edges({97})}, {{"max", std::numeric_limits<double>::quiet_NaN()}});
        }
    }
    void edgesOfTwoNumbers() {
        for (const char *op : {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "equal", "less", "greater",
                               "less_equal", "greater_equal", "prelu"})
            for (const DType type : {DType::Float32, DType::Float64})
                COMPARE_NODE(op, {edges({499}, type), edges({499}, type)});
        COMPARE_NODE("mod", {edges({499}), edges({499})}, {{"fmod", int64_t{1}}});
        COMPARE_NODE("where", {ofType(DType::Bool, {97}), edges({97}), edges({97})});
    }
    void limitsOfIntegersAreExact() {
        const int64_t large = (int64_t{1} << 53) + 1;
        const auto x = [&] { return integers({large + 2, -large - 2, large, -large, 0}); };
        for (const auto &[min, max] :
             {std::pair{-large, large}, std::pair{large, -large}, std::pair{int64_t{5}, large}})
            COMPARE_NODE("clip", {x()}, {{"min", min}, {"max", max}});
        COMPARE_NODE("clip", {ofType(DType::Int8, {31}, -99, 99)}, {{"min", int64_t{-200}}, {"max", int64_t{200}}});
        COMPARE_NODE("clip", {ofType(DType::UInt8, {31}, 0, 99)}, {{"min", int64_t{7}}, {"max", 300.5}});
    }

    void attributes() {
        COMPARE_NODE("leaky_relu", {floats({31}, -3, 3)}, {{"alpha", 0.3}});
        COMPARE_NODE("elu", {floats({31}, -3, 3)}, {{"alpha", 0.7}});
        COMPARE_NODE("hard_sigmoid", {floats({31}, -3, 3)}, {{"alpha", 0.3}, {"beta", 0.4}});
        COMPARE_NODE("clip", {floats({31}, -9, 9)}, {{"min", 0.0}, {"max", 6.0}});
        COMPARE_NODE("clip", {floats({31}, -9, 9)}, {{"min", -1.5}});
        COMPARE_NODE("clip", {ofType(DType::Int32, {31}, -9, 9)}, {{"min", -2.0}, {"max", 6.0}});
    }

    void halvesAreRoundedToTheEvenOne() {
        FunctionBuilder builder("main");
        const std::vector<float> values = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f, 1e7f};
        const ValueId x = builder.addConstant("x", floatTensor({8}, values));
        builder.addResult(builder.add("round", "y", {x}));
        const auto typed = inferTypes(std::move(builder).finish());
        QVERIFY2(typed.ok(), typed.ok() ? "" : typed.why().c_str());
        QCOMPARE(referenceDifference(*typed, 1), std::string());
    }

    void casts() {
        for (const char *to : {"float16", "float32", "float64", "int32", "int64", "int8", "uint8", "bool"}) {
            COMPARE_NODE("cast", {floats({3, 7}, 0, 9)}, {{"to", std::string(to)}});
            COMPARE_NODE("cast", {ofType(DType::Int64, {3, 7}, -3, 3)}, {{"to", std::string(to)}});
            COMPARE_NODE("cast", {ofType(DType::Bool, {3, 7})}, {{"to", std::string(to)}});
        }
    }

    void integersAndBools() {
        for (const char *op : {"relu", "neg", "abs", "sign", "identity"})
            COMPARE_NODE(op, {ofType(DType::Int32, {17}, -9, 9)});
        COMPARE_NODE("abs", {ofType(DType::UInt8, {17}, 0, 9)});
        COMPARE_NODE("sign", {ofType(DType::UInt8, {17}, 0, 9)});
        COMPARE_NODE("not", {ofType(DType::Bool, {17})});
        COMPARE_NODE("dropout", {floats({5, 3})});
        COMPARE_NODE("dropout", {floats({5, 3})}, {}, 2);
    }

    void binary_data() {
        QTest::addColumn<int>("unused");
        for (const char *op : {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "equal", "less", "greater",
                               "less_equal", "greater_equal", "prelu"})
            QTest::newRow(op) << 0;
    }
    void binary() {
        const std::string op = QTest::currentDataTag();
        const double low = op == "pow" || op == "div" ? 0.5 : -2;
        using Dims = std::vector<int64_t>;
        std::vector<std::pair<Dims, Dims>> shapes = {
            {{7}, {7}}, {{2, 3, 5}, {5}}, {{2, 3, 5}, {3, 1}}, {{1, 4, 3, 3}, {4, 1, 1}}, {{2, 5}, {}}};
        if (op != "prelu") {
            shapes.push_back({{5}, {2, 3, 1}});
            shapes.push_back({{}, {3}});
        }
        uint64_t seed = 0;
        for (const auto &[a, b] : shapes) COMPARE_NODE(op, {floats(a, low, 2), floats(b, low, 2)}, {}, 1, ++seed);
        COMPARE_NODE(op, {floats({2, 5}, low, 2), scalar(1.5)});
        if (op != "pow" && op != "prelu" && op != "div")
            COMPARE_NODE(op, {ofType(DType::Int32, {4, 3}, -5, 5), ofType(DType::Int32, {3}, -5, 5)});
    }

    void remaindersAndQuotientsOfIntegers() {
        for (const DType type : {DType::Int32, DType::Int64}) {
            for (const auto &[low, high] : {std::pair{1.0, 5.0}, std::pair{-5.0, -1.0}}) {
                COMPARE_NODE("mod", {ofType(type, {29}, -20, 20), ofType(type, {29}, low, high)});
                COMPARE_NODE("mod", {ofType(type, {29}, -20, 20), ofType(type, {29}, low, high)},
                             {{"fmod", int64_t{1}}});
                COMPARE_NODE("div", {ofType(type, {29}, -20, 20), ofType(type, {29}, low, high)});
            }
        }
        COMPARE_NODE("mod", {floats({29}, -20, 20), floats({29}, 1, 5)}, {{"fmod", int64_t{1}}});
        COMPARE_NODE("mod", {floats({29}, -20, 20), floats({29}, 1, 5)});
        COMPARE_NODE("mod", {floats({29}, -20, 20), floats({29}, -5, -1)});
    }

    void logic() {
        for (const char *op : {"and", "or", "xor"})
            COMPARE_NODE(op, {ofType(DType::Bool, {5, 7}), ofType(DType::Bool, {7})});
        COMPARE_NODE("where", {ofType(DType::Bool, {5, 1}), floats({7}), floats({5, 7})});
        COMPARE_NODE("where", {ofType(DType::Bool, {7}), scalar(1), floats({2, 5, 7})});
    }

    void sums() {
        COMPARE_NODE("add_n", {floats({3, 5})});
        COMPARE_NODE("add_n", {floats({3, 5}), floats({5}), floats({3, 1}), floats({3, 5})});
        COMPARE_NODE("bias_add", {floats({2, 5, 3, 3}), floats({5})});
        COMPARE_NODE("bias_add", {floats({2, 5, 3}), floats({3})}, {{"axis", int64_t{-1}}});
        COMPARE_NODE("bias_add", {floats({2, 5, 3}), floats({2})}, {{"axis", int64_t{0}}});
    }
};

LOOPSCOPE_TEST(ElementwiseTest)
#include "elementwise_test.moc"
