// The reference interpreter against hand-computed values, its shortcut against its general way, and the bounds of
// sums against what float kernels do right and wrong.

#include "harness/sample_dags.h"
#include "language/interpret/interpreter.h"

#include "base/random.h"
#include "language/expr/half.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace {

/// One op over placeholder x (float32) of one dimension.
template <typename Body> std::vector<double> mapFloats(const std::vector<double> &x, Body &&body) {
    DagBuilder b;
    const auto n = static_cast<int64_t>(x.size());
    const Tensor &X = b.placeholder("x", {n});
    const auto i = axes({"i"}, {n});
    const Tensor &Y = b.compute("y", i, body(load(X, {i[0].var}), i[0].var));
    const DagPtr dag = b.build({&Y});
    return interpret(*dag, {TensorValue{DType::Float32, {n}, x, {}}})[0].floats;
}

template <typename Body> std::vector<int64_t> mapInts(const std::vector<int64_t> &x, DType type, Body &&body) {
    DagBuilder b;
    const auto n = static_cast<int64_t>(x.size());
    const Tensor &X = b.placeholder("x", {n}, type);
    const auto i = axes({"i"}, {n});
    const Tensor &Y = b.compute("y", i, body(load(X, {i[0].var})));
    const DagPtr dag = b.build({&Y});
    return interpret(*dag, {TensorValue{type, {n}, {}, x}})[0].integers;
}

Expr intrinsic2(Intrinsic which, Expr a, Expr b) {
    const Expr args[] = {a, b};
    return makeCall(which, a->dtype, args);
}

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

void compareClose(const std::vector<double> &a, const std::vector<double> &b, double tolerance) {
    QCOMPARE(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        QVERIFY2(std::fabs(a[i] - b[i]) <= tolerance, qPrintable(QString("%1: %2 %3").arg(i).arg(a[i]).arg(b[i])));
}

/// Sum of products over [rows, k] x [k, columns]; `disguised` keeps the interpreter from seeing its shortcut.
DagPtr productSum(int64_t rows, int64_t columns, int64_t k, bool transposed, bool disguised) {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {rows, k});
    const Tensor &B = transposed ? b.placeholder("B", {columns, k}) : b.placeholder("B", {k, columns});
    const auto s = axes({"i", "j"}, {rows, columns}), r = axes({"k"}, {k});
    const Expr right = transposed ? load(B, {s[1].var, r[0].var}) : load(B, {r[0].var, s[1].var});
    Expr product = load(A, {s[0].var, r[0].var}) * right;
    if (disguised) product = select(fold(ExprKind::Ge, r[0].var, makeInt(0)), product, makeFloat(0));
    return b.build({&b.reduce("C", s, ReduceKind::Sum, r, product)});
}

} // namespace

class InterpreterTest : public QObject {
    Q_OBJECT

  private slots:
    void shortcutAgreesWithTheGeneralWay_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("k");
        QTest::addColumn<bool>("transposed");
        QTest::newRow("wide") << 3 << 300 << 17 << false;
        QTest::newRow("tall") << 300 << 3 << 17 << false;
        QTest::newRow("transposed") << 33 << 29 << 40 << true;
        QTest::newRow("dot") << 1 << 1 << 70001 << true;
        QTest::newRow("beyond the table") << 2 << 3 << 70001 << false;
    }
    void shortcutAgreesWithTheGeneralWay() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(int, k);
        QFETCH(bool, transposed);
        const DagPtr fast = productSum(rows, columns, k, transposed, false);
        const DagPtr slow = productSum(rows, columns, k, transposed, true);
        const auto inputs = randomInputs(*fast, 7);
        compareClose(interpret(*fast, inputs)[0].floats, interpret(*slow, inputs)[0].floats, 3e-5);
    }

    void convolutionByHand() {
        const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 4, 3, 2, 3, 2, 1);
        const auto inputs = randomInputs(*dag, 3);
        const auto output = interpret(*dag, inputs)[0];
        QCOMPARE(output.shape, (std::vector<int64_t>{1, 3, 3, 2}));
        size_t at = 0;
        for (int f = 0; f < 3; ++f)
            for (int y = 0; y < 3; ++y)
                for (int x = 0; x < 2; ++x) {
                    double sum = 0;
                    for (int c = 0; c < 2; ++c)
                        for (int ry = 0; ry < 3; ++ry)
                            for (int rx = 0; rx < 3; ++rx) {
                                const int iy = 2 * y + ry - 1, ix = 2 * x + rx - 1;
                                if (iy < 0 || iy >= 5 || ix < 0 || ix >= 4) continue;
                                sum += inputs[0].floats[static_cast<size_t>((c * 5 + iy) * 4 + ix)] *
                                       inputs[1].floats[static_cast<size_t>(((f * 2 + c) * 3 + ry) * 3 + rx)];
                            }
                    const double expected = std::max(0.0, sum + inputs[2].floats[static_cast<size_t>(f)]);
                    QVERIFY(std::fabs(output.floats[at++] - expected) < 1e-6);
                }
    }

    void threadsDoNotChangeTheResult() {
        const DagPtr dag = conv2dBiasReluNhwcDag(9, 7, 5, 6, 3, 2, 1);
        const auto inputs = randomInputs(*dag, 1);
        QCOMPARE(interpret(*dag, inputs, 1)[0].floats, interpret(*dag, inputs, 3)[0].floats);
    }

    void softmaxRowsSumToOne() {
        const DagPtr dag = softmaxDag(5, 33);
        const auto output = interpret(*dag, randomInputs(*dag, 2))[0];
        for (size_t row = 0; row < 5; ++row) {
            double sum = 0;
            for (size_t i = 0; i < 33; ++i) sum += output.floats[row * 33 + i];
            QVERIFY(std::fabs(sum - 1) < 1e-5);
        }
    }

    void argmaxTuples() {
        const DagPtr dag = argmaxDag(2, 4);
        const TensorValue A{DType::Float32, {2, 4}, {1, 5, 5, -1, -3, -2, -9, -2}, {}};
        const auto output = interpret(*dag, {A});
        QCOMPARE(output.size(), size_t{2});
        QCOMPARE(output[0].integers, (Ints{1, 1})); // the lower index of equals
        QCOMPARE(output[1].floats, (Floats{5, -2}));
    }

    void minOverRows() {
        const DagPtr dag = rowMinDag(2, 3);
        QCOMPARE(interpret(*dag, {TensorValue{DType::Float32, {2, 3}, {3, 1, 2, -1, 4, 0}, {}}})[0].floats,
                 (Floats{1, -1}));
    }

    void integersWrap() {
        const auto plus100 = [](Expr x) { return x + makeInt(100, x->dtype); };
        QCOMPARE(mapInts({100, -128}, DType::Int8, plus100), (Ints{-56, -28}));
        QCOMPARE(mapInts({200}, DType::UInt8, plus100), (Ints{44}));
        QCOMPARE(mapInts({2147483647}, DType::Int32, plus100), (Ints{-2147483549}));
        const auto square = [](Expr x) { return x * x; };
        QCOMPARE(mapInts({65536}, DType::Int32, square), (Ints{0}));
    }

    void divisions() {
        const auto by3 = [](ExprKind kind) { return [kind](Expr x) { return fold(kind, x, makeInt(3, x->dtype)); }; };
        const Ints x{7, -7, 6, -6};
        QCOMPARE(mapInts(x, DType::Int32, by3(ExprKind::Div)), (Ints{2, -2, 2, -2}));
        QCOMPARE(mapInts(x, DType::Int32, by3(ExprKind::Mod)), (Ints{1, -1, 0, 0}));
        QCOMPARE(mapInts(x, DType::Int32, by3(ExprKind::FloorDiv)), (Ints{2, -3, 2, -2}));
        QCOMPARE(mapInts(x, DType::Int32, by3(ExprKind::FloorMod)), (Ints{1, 2, 0, 0}));
    }

    void bitOperations() {
        const auto with = [](Intrinsic which, int64_t y) {
            return [=](Expr x) { return intrinsic2(which, x, makeInt(y, x->dtype)); };
        };
        QCOMPARE(mapInts({5, -8}, DType::Int32, with(Intrinsic::ShiftRight, 1)), (Ints{2, -4}));
        QCOMPARE(mapInts({5, 1 << 30}, DType::Int32, with(Intrinsic::ShiftLeft, 2)), (Ints{20, 0}));
        QCOMPARE(mapInts({12}, DType::Int32, with(Intrinsic::BitwiseAnd, 10)), (Ints{8}));
        QCOMPARE(mapInts({12}, DType::Int32, with(Intrinsic::BitwiseOr, 10)), (Ints{14}));
        QCOMPARE(mapInts({12}, DType::Int32, with(Intrinsic::BitwiseXor, 10)), (Ints{6}));
        QCOMPARE(mapInts({-1, 7}, DType::Int32,
                         [](Expr x) {
                             const Expr args[] = {x};
                             return makeCall(Intrinsic::Popcount, DType::Int32, args);
                         }),
                 (Ints{32, 3}));
    }

    void storageRounds() {
        const auto half = mapFloats({1.0 + 1.0 / 4096}, [](Expr x, Expr) { return castTo(DType::Float16, x); });
        QCOMPARE(half, (Floats{1.0}));
        const auto bfloat = mapFloats({1.01}, [](Expr x, Expr) { return castTo(DType::BFloat16, x); });
        QCOMPARE(bfloat, (Floats{1.0078125}));
        // sums of float16 tensors keep more digits than float16 until they are stored
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {3}, DType::Float16);
        const auto s = axes({"i"}, {1}), r = axes({"k"}, {3});
        const DagPtr dag = b.build({&b.reduce("S", s, ReduceKind::Sum, r, load(A, {r[0].var}))});
        QCOMPARE(interpret(*dag, {TensorValue{DType::Float16, {3}, {2048, 1, 1}, {}}})[0].floats, (Floats{2050}));
    }

    void castsTruncate() {
        const auto toInt = [](Expr x, Expr) { return castTo(DType::Float32, castTo(DType::Int8, x)); };
        QCOMPARE(mapFloats({1.9, -1.9, 300, -300}, toInt), (Floats{1, -1, 127, -128}));
    }

    void branchesAreLazy() {
        // The guard keeps the load inside; without laziness this would read past the end.
        DagBuilder b;
        const Tensor &X = b.placeholder("x", {4});
        const auto i = axes({"i"}, {6});
        const Expr inside =
            logicalAnd(fold(ExprKind::Ge, i[0].var, makeInt(1)), fold(ExprKind::Lt, i[0].var, makeInt(5)));
        const Tensor &Y = b.compute("y", i, ifThenElse(inside, load(X, {i[0].var - 1}), makeFloat(-1)));
        const DagPtr dag = b.build({&Y});
        QCOMPARE(interpret(*dag, {TensorValue{DType::Float32, {4}, {1, 2, 3, 4}, {}}})[0].floats,
                 (Floats{-1, 1, 2, 3, 4, -1}));
    }

    void conditionOfAReduction() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {6});
        const auto s = axes({"i"}, {1}), r = axes({"k"}, {6});
        Reduction reduction{makeCombiner(ReduceKind::Sum, DType::Float32), r,
                            fold(ExprKind::Eq, floorMod(r[0].var, 2), makeInt(0))};
        const DagPtr dag = b.build(b.computeTuple("B", s, {load(A, {r[0].var})}, reduction));
        QCOMPARE(interpret(*dag, {TensorValue{DType::Float32, {6}, {1, 10, 2, 20, 3, 30}, {}}})[0].floats, (Floats{6}));
    }

    void intrinsics_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<double>("x");
        QTest::addColumn<double>("expected");
        const auto row = [](Intrinsic which, double x, double expected) {
            QTest::addRow("%s(%g)", std::string(intrinsicName(which)).c_str(), x)
                << static_cast<int>(which) << x << expected;
        };
        row(Intrinsic::Exp, 1, 2.718281828);
        row(Intrinsic::Exp2, 3, 8);
        row(Intrinsic::Exp10, 2, 100);
        row(Intrinsic::Log, 2.718281828, 1);
        row(Intrinsic::Log2, 8, 3);
        row(Intrinsic::Log10, 1000, 3);
        row(Intrinsic::Sqrt, 9, 3);
        row(Intrinsic::Rsqrt, 4, 0.5);
        row(Intrinsic::Tanh, 0.5, 0.46211716);
        row(Intrinsic::Sigmoid, 1, 0.73105858);
        row(Intrinsic::Erf, 0.5, 0.52049988);
        row(Intrinsic::Sin, 1, 0.84147098);
        row(Intrinsic::Cos, 1, 0.54030231);
        row(Intrinsic::Tan, 1, 1.55740772);
        row(Intrinsic::Atan, 1, 0.78539816);
        row(Intrinsic::Fabs, -2, 2);
        row(Intrinsic::Floor, -1.5, -2);
        row(Intrinsic::Ceil, -1.5, -1);
        row(Intrinsic::Round, 2.5, 3);
        row(Intrinsic::Trunc, -1.5, -1);
    }
    void intrinsics() {
        QFETCH(int, which);
        QFETCH(double, x);
        QFETCH(double, expected);
        const auto y = mapFloats({x}, [&](Expr e, Expr) { return callMath(static_cast<Intrinsic>(which), e); });
        QVERIFY2(std::fabs(y[0] - expected) < 1e-6, qPrintable(QString::number(y[0])));
    }

    void binaryIntrinsics() {
        const auto pow3 = [](Expr x, Expr) { return intrinsic2(Intrinsic::Pow, x, makeFloat(3)); };
        QCOMPARE(mapFloats({2}, pow3), (Floats{8}));
        const auto fmod = [](Expr x, Expr) { return intrinsic2(Intrinsic::Fmod, x, makeFloat(2)); };
        QCOMPARE(mapFloats({-5.5}, fmod), (Floats{-1.5}));
    }

    void gatherReadsThroughAnotherTensor() {
        DagBuilder b;
        const Tensor &I = b.placeholder("I", {3}, DType::Int32), &T = b.placeholder("T", {4});
        const auto i = axes({"i"}, {3});
        const Expr row = maxOf(minOf(load(I, {i[0].var}), makeInt(3)), makeInt(0));
        const DagPtr dag = b.build({&b.compute("G", i, load(T, {row}))});
        const TensorValue indices{DType::Int32, {3}, {}, {2, 7, -1}}, table{DType::Float32, {4}, {10, 11, 12, 13}, {}};
        QCOMPARE(interpret(*dag, {indices, table})[0].floats, (Floats{12, 13, 10}));
    }

    void letBindsOnce() {
        const auto y = mapFloats({3}, [](Expr x, Expr) {
            const Expr v = makeVar("v", DType::Float32);
            return makeLet(v, x + makeFloat(1), v * v);
        });
        QCOMPARE(y, (Floats{16}));
    }

    void inputsAreSeeded() {
        const DagPtr dag = matmulDag(8, 8, 8);
        QCOMPARE(randomInputs(*dag, 5)[0].floats, randomInputs(*dag, 5)[0].floats);
        QVERIFY(randomInputs(*dag, 5)[0].floats != randomInputs(*dag, 6)[0].floats);
        QVERIFY(randomInputs(*dag, 5)[0].floats != randomInputs(*dag, 5)[1].floats);
        const auto inputs = randomInputs(*dag, 5);
        for (const double x : inputs[0].floats) {
            QVERIFY(x >= -1 && x <= 1);
            QCOMPARE(x, static_cast<double>(static_cast<float>(x)));
        }
    }

    void boundsAcceptEveryOrderAndCatchAMissingTerm_data() {
        QTest::addColumn<int>("k");
        QTest::newRow("16") << 16;
        QTest::newRow("512") << 512;
        QTest::newRow("4608") << 4608;
        QTest::newRow("65536") << 65536;
    }
    void boundsAcceptEveryOrderAndCatchAMissingTerm() {
        QFETCH(int, k);
        const DagPtr dag = productSum(8, 8, k, true, false);
        const auto inputs = randomInputs(*dag, 11);
        const auto reference = interpret(*dag, inputs)[0].floats;
        const auto bounds = interpret(*dag, inputs)[0].bounds;
        int missed = 0;
        for (size_t at = 0; at < 64; ++at) {
            const double *a = &inputs[0].floats[at / 8 * static_cast<size_t>(k)];
            const double *b = &inputs[1].floats[at % 8 * static_cast<size_t>(k)];
            float forward = 0, backward = 0, fused = 0, lanes[16] = {}, missing = 0;
            const size_t skipped = at * 97 % static_cast<size_t>(k);
            for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
                const size_t j = static_cast<size_t>(k) - 1 - i;
                const float x = static_cast<float>(a[i]), y = static_cast<float>(b[i]);
                forward += x * y;
                backward += static_cast<float>(a[j]) * static_cast<float>(b[j]);
                fused = std::fma(x, y, fused);
                lanes[i % 16] += x * y;
                if (i != skipped) missing += x * y;
            }
            float vector = 0;
            for (const float lane : lanes) vector += lane;
            const double allowed = bounds[at];
            for (const float sum : {forward, backward, fused, vector})
                QVERIFY(std::fabs(static_cast<double>(sum) - reference[at]) <= allowed);
            if (std::fabs(static_cast<double>(missing) - reference[at]) <= allowed) ++missed;
        }
        QVERIFY2(missed <= 8, qPrintable(QString("%1 of 64 outputs without one term pass").arg(missed)));
    }

    void boundsAcceptNarrowAccumulators_data() {
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("type");
        for (const int k : {4, 16, 100, 400}) QTest::addRow("float16 %d", k) << k << static_cast<int>(DType::Float16);
        for (const int k : {4, 16, 60}) QTest::addRow("bfloat16 %d", k) << k << static_cast<int>(DType::BFloat16);
    }
    void boundsAcceptNarrowAccumulators() {
        QFETCH(int, k);
        QFETCH(int, type);
        const auto dtype = static_cast<DType>(type);
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {16, k}, dtype), &B = b.placeholder("B", {k, 16}, dtype);
        const auto s = axes({"i", "j"}, {16, 16}), r = axes({"k"}, {k});
        const DagPtr dag = b.build(
            {&b.reduce("C", s, ReduceKind::Sum, r, load(A, {s[0].var, r[0].var}) * load(B, {r[0].var, s[1].var}))});
        const auto inputs = randomInputs(*dag, 5);
        const TensorValue right = interpret(*dag, inputs)[0];
        const auto rounded = [&](double x) { return roundToType(x, dtype); };
        for (size_t at = 0; at < 256; ++at) {
            QVERIFY(std::isfinite(right.bounds[at]));
            double forward = 0, backward = 0, lanes[8] = {};
            for (int i = 0; i < k; ++i) {
                const auto term = [&](int n) {
                    return rounded(inputs[0].floats[at / 16 * static_cast<size_t>(k) + static_cast<size_t>(n)] *
                                   inputs[1].floats[static_cast<size_t>(n) * 16 + at % 16]);
                };
                forward = rounded(forward + term(i));
                backward = rounded(backward + term(k - 1 - i));
                lanes[i % 8] = rounded(lanes[i % 8] + term(i));
            }
            double vector = 0;
            for (const double lane : lanes) vector = rounded(vector + lane);
            for (const double sum : {forward, backward, vector})
                QVERIFY(std::fabs(sum - right.floats[at]) <= double(right.bounds[at]));
        }
    }

    void whatTermsOfAnySignAddUpTo() {
        // Exact in steps of 1/1024, yet what a kernel adds up first is 500 times the result.
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {1});
        const auto s = axes({"i"}, {1}), r = axes({"k"}, {1000});
        const Expr sign = castTo(DType::Float32, r[0].var) - makeFloat(499.5);
        const DagPtr dag =
            b.build({&b.reduce("S", s, ReduceKind::Sum, r, sign * callMath(Intrinsic::Exp, load(A, {s[0].var})))});
        const float bound = interpret(*dag, randomInputs(*dag, 1))[0].bounds[0];
        QVERIFY2(bound > 500 * 250 * 0x1p-24F * 10 && bound < 10, qPrintable(QString::number(bound)));
    }

    void aMaskCountsOnlyWhereItReaches() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {8});
        const auto i = axes({"i"}, {8}), s = axes({"x"}, {1}), r = axes({"k"}, {8}), o = axes({"j"}, {8});
        // -1e9 and what is added to it: off by 60 there, and by nothing elsewhere.
        const Tensor &M = b.compute(
            "M", i,
            load(A, {i[0].var}) + select(fold(ExprKind::Lt, i[0].var, makeInt(4)), makeFloat(0), makeFloat(-1e9)));
        const Tensor &T = b.reduce("T", s, ReduceKind::Max, r, load(M, {r[0].var}));
        const DagPtr dag =
            b.build({&b.compute("E", o, callMath(Intrinsic::Exp, load(M, {o[0].var}) - load(T, {makeInt(0)})))});
        const TensorValue e = interpret(*dag, randomInputs(*dag, 1))[0];
        for (size_t at = 0; at < 8; ++at)
            QVERIFY2(e.bounds[at] < 1e-5F, qPrintable(QString("%1: %2").arg(at).arg(e.bounds[at])));
        QCOMPARE(e.floats[7], 0.0);
    }

    void anEdgeIsUndecidedOnlyOnTheEdge() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4});
        const auto i = axes({"i"}, {4});
        const Expr scaled = load(A, {i[0].var}) * makeFloat(3) + makeFloat(0.5);
        const DagPtr dag = b.build({&b.compute("F", i, castTo(DType::Int32, callMath(Intrinsic::Floor, scaled)))});
        const TensorValue f = interpret(*dag, {TensorValue{DType::Float32, {4}, {0.1, 0.5, 1.5, 1.4}, {}}})[0];
        QCOMPARE(f.integers, (Ints{0, 2, 5, 4}));
        QCOMPARE(f.bounds[0], 0.0F);
        QVERIFY(f.bounds[1] >= 1 && f.bounds[2] >= 1); // 2 and 5, from either side
        QCOMPARE(f.bounds[3], 0.0F);
    }

    void exactResultsHaveNoBounds() {
        QVERIFY(interpret(*argmaxDag(), randomInputs(*argmaxDag(), 1))[0].bounds.empty());
        QVERIFY(interpret(*rowMinDag(), randomInputs(*rowMinDag(), 1))[0].bounds.empty());
    }

    void convolutionLayerIsFastEnough() {
        // 115 million multiply-adds; a generous bound that a walk over expressions would miss by far.
        const DagPtr dag = conv2dBiasReluNchwDag();
        const auto inputs = randomInputs(*dag, 1);
        QElapsedTimer timer;
        timer.start();
        const auto output = interpret(*dag, inputs);
        qInfo("conv2d 1x512x7x7 3x3: %lld ms", static_cast<long long>(timer.elapsed()));
        QCOMPARE(output[0].size(), size_t{512 * 49});
        const float largest = *std::max_element(output[0].bounds.begin(), output[0].bounds.end());
        QVERIFY2(largest < 2e-3F, qPrintable(QString::number(largest)));
    }
};

LOOPSCOPE_TEST(InterpreterTest)
#include "interpreter_test.moc"
