// The interpreter against a plain element-by-element evaluation of the same expressions: equal bits, on random DAGs and
// on single ops with random expressions that guard, gather, divide, convert and reduce.

#include "harness/plain_interpreter.h"
#include "harness/random_dag.h"
#include "harness/random_op.h"
#include "harness/sample_dags.h"
#include "language/expr/affine.h"
#include "language/expr/simplify.h"
#include "language/expr/walk.h"
#include "language/interpret/interpreter.h"

#include "base/outcome.h"
#include "test_program.h"

#include <QTest>

#include <array>
#include <cmath>
#include <cstring>

using namespace loopscope;

namespace {

/// Empty when both hold the same bits (any NaN is as good as another).
QString differenceOf(const std::vector<TensorValue> &got, const std::vector<TensorValue> &expected) {
    for (size_t k = 0; k < expected.size(); ++k) {
        if (got[k].shape != expected[k].shape) return "shapes differ";
        for (size_t i = 0; i < expected[k].floats.size(); ++i) {
            const double a = got[k].floats[i], b = expected[k].floats[i];
            if (std::memcmp(&a, &b, sizeof a) != 0 && !(std::isnan(a) && std::isnan(b)))
                return QString("output %1, element %2: %3 instead of %4").arg(k).arg(i).arg(a).arg(b);
        }
        for (size_t i = 0; i < expected[k].integers.size(); ++i)
            if (got[k].integers[i] != expected[k].integers[i])
                return QString("output %1, element %2: %3 instead of %4")
                    .arg(k)
                    .arg(i)
                    .arg(got[k].integers[i])
                    .arg(expected[k].integers[i]);
    }
    return {};
}

QString difference(const ComputeDag &dag, const std::vector<TensorValue> &inputs, int threads) {
    return differenceOf(interpret(dag, inputs, threads), interpretPlainly(dag, inputs));
}

/// Folded constants are rounded where the interpreter keeps doubles.
bool usesFloats(const ComputeDag &dag) {
    bool found = false;
    const auto look = [&](Expr e) { postOrder(e, [&](Expr node) { found = found || isFloat(node->dtype); }); };
    for (const OpPtr &op : dag.ops()) {
        for (const Expr body : op->body) look(body);
        if (op->reduction && op->reduction->condition) look(op->reduction->condition);
    }
    return found;
}

enum class Way : uint8_t { Full, AsAnsor, Linear };

/// What lowering or the analyses make of an expression over the axes of the op.
Expr simplifiedIn(const Op &op, Expr e, Way way) {
    std::vector<Axis> axes = op.axes;
    if (op.reduction) axes.insert(axes.end(), op.reduction->axes.begin(), op.reduction->axes.end());
    std::vector<VarRange> ranges;
    Simplifier simplifier(way == Way::AsAnsor ? Divisions::AsAnsor : Divisions::Full);
    for (const Axis &axis : axes) {
        ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
        simplifier.bindRange(axis.var, ranges.back().range);
    }
    // For features a load in a selection may lose its guard, as no code is made.
    bool chosen = false;
    postOrder(e, [&](Expr node) { chosen = chosen || (node->kind == ExprKind::Select && containsLoad(node)); });
    if (chosen && way == Way::AsAnsor) return e;
    return way == Way::Linear ? simplify(e, ranges) : simplifier(e);
}

} // namespace

class InterpreterPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void randomDags() {
        for (uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed, 1);
            const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = seed % 3 == 1});
            const QString problem = difference(*dag, randomInputs(*dag, seed), 1 + static_cast<int>(seed % 3));
            QVERIFY2(problem.isEmpty(), qPrintable(QString("seed %1: %2\n").arg(seed).arg(problem) +
                                                   QString::fromStdString(dag->text(DagTextMode::Normal))));
        }
    }

    void randomExpressions() {
        int refused = 0;
        for (uint64_t seed = 0; seed < 1500; ++seed) {
            Random random(seed, 2);
            DagPtr dag;
            try {
                dag = randomOp(random);
            } catch (const Error &) {
                ++refused; // what certainly divides by zero or reads outside is no DAG
                continue;
            }
            const QString problem = difference(*dag, randomInputs(*dag, seed), 1 + static_cast<int>(seed % 2));
            QVERIFY2(problem.isEmpty(), qPrintable(QString("seed %1: %2\n").arg(seed).arg(problem) +
                                                   QString::fromStdString(dag->text(DagTextMode::Normal))));
        }
        QVERIFY2(refused < 300, qPrintable(QString::number(refused)));
    }

    /// Integers of all types and floats that are not finite; simplified expressions have the same values.
    void valuesThatWrap() {
        const uint64_t rounds = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 20000 : 1500;
        const uint64_t first = qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong();
        int ran = 0;
        int simplified = 0;
        for (uint64_t seed = first; seed < first + rounds; ++seed) {
            Random random(seed, 4);
            DagPtr dag;
            std::vector<TensorValue> inputs;
            QString problem;
            try {
                dag = randomOp(random, {.wraps = true});
                inputs = extremeInputs(*dag, seed);
                problem = difference(*dag, inputs, 1 + static_cast<int>(seed % 2));
            } catch (const Error &) {
                continue; // it divides by zero
            }
            ++ran;
            if (problem.isEmpty() && !usesFloats(*dag)) {
                ++simplified;
                const auto expected = interpretPlainly(*dag, inputs);
                for (const Way way : {Way::Full, Way::AsAnsor, Way::Linear})
                    if (problem.isEmpty())
                        problem = differenceOf(
                            interpretPlainly(*dag, inputs,
                                             [&](const Op &op, Expr e) { return simplifiedIn(op, e, way); }),
                            expected);
                if (!problem.isEmpty()) problem = "simplified: " + problem;
            }
            QVERIFY2(problem.isEmpty(), qPrintable(QString("seed %1: %2\n").arg(seed).arg(problem) +
                                                   QString::fromStdString(dag->text(DagTextMode::Normal))));
        }
        qInfo("%d programs, %d of them simplified", ran, simplified);
        QVERIFY(ran > static_cast<int>(rounds) / 2);
    }

    /// Panels with a rest in every direction, and more points than one panel holds.
    void productsOfIntegers_data() {
        QTest::addColumn<int>("operand");
        QTest::addColumn<int>("sum");
        const auto type = [](DType t) { return static_cast<int>(t); };
        QTest::newRow("int8, int32 sums") << type(DType::Int8) << type(DType::Int32);
        QTest::newRow("uint8, int32 sums") << type(DType::UInt8) << type(DType::Int32);
        QTest::newRow("int8, wrapping") << type(DType::Int8) << type(DType::Int8);
        QTest::newRow("int32, wrapping") << type(DType::Int32) << type(DType::Int32);
        QTest::newRow("float16") << type(DType::Float16) << type(DType::Float32);
        QTest::newRow("float64") << type(DType::Float64) << type(DType::Float64);
    }
    void productsOfIntegers() {
        QFETCH(int, operand);
        QFETCH(int, sum);
        const auto from = static_cast<DType>(operand), to = static_cast<DType>(sum);
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {3, 37, 141}, from), &B = b.placeholder("B", {3, 141, 131}, from);
        const auto s = axes({"b", "i", "j"}, {3, 37, 131}), r = axes({"k"}, {141});
        const Expr x = load(A, {s[0].var, s[1].var, r[0].var}), y = load(B, {s[0].var, r[0].var, s[2].var});
        const Expr product = from == to ? x * y : castTo(to, x) * castTo(to, y);
        const DagPtr dag = b.build({&b.reduce("C", s, ReduceKind::Sum, r, product)});
        auto inputs = randomInputs(*dag, 5);
        for (TensorValue &input : inputs) // large values, so that sums wrap
            for (int64_t &element : input.integers)
                element = from == DType::Int32  ? element * 987654321 % 2147483647
                          : from == DType::Int8 ? element * 16
                                                : element * 17;
        const QString problem = difference(*dag, inputs, 2);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void fewOutputsReduceInLanes() {
        for (const ReduceKind kind : {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Min, ReduceKind::Max}) {
            DagBuilder b;
            const Tensor &A = b.placeholder("A", {3, 1000, 7});
            const auto s = axes({"i"}, {3}), r = axes({"k", "l"}, {1000, 7});
            const Expr x = load(A, {s[0].var, r[0].var, r[1].var});
            const DagPtr dag = b.build({&b.reduce("C", s, kind, r, x + makeFloat(1))});
            const QString problem = difference(*dag, randomInputs(*dag, 1), 2);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    /// Over lanes, what no lane needs is evaluated as little as element by element.
    void divisionsByZeroAreFoundWhereTheyAre() {
        DagBuilder b;
        const Tensor &X = b.placeholder("x", {300}, DType::Int32);
        const auto i = axes({"i"}, {300}), j = axes({"j"}, {300});
        const Expr x = load(X, {i[0].var});
        const Expr guarded = ifThenElse(fold(ExprKind::Ne, x, makeInt(0)), divide(makeInt(12), x), makeInt(-1));
        const DagPtr divides = b.build({&b.compute("y", i, guarded)});
        TensorValue value{DType::Int32, {300}, {}, std::vector<int64_t>(300, 3)};
        value.integers[290] = 0;
        const auto y = interpret(*divides, {value})[0].integers;
        QCOMPARE(y[289], int64_t{4});
        QCOMPARE(y[290], int64_t{-1});

        const DagPtr unguarded = b.build({&b.compute("z", i, divide(makeInt(12), x))});
        try {
            interpret(*unguarded, {value});
            QFAIL("a division by zero went unnoticed");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()),
                     std::string("'z' divides an integer by 0 where i = 290; choose another value there with select or "
                                 "if_then_else, or another divisor"));
        }
    }

    /// A gather whose index is legal in some lanes of a block only.
    void gathersReadWhereGuarded() {
        DagBuilder b;
        const Tensor &T = b.placeholder("t", {40}), &X = b.placeholder("x", {300}, DType::Int32);
        const auto i = axes({"i"}, {300});
        const Expr at = load(X, {i[0].var}) * makeInt(7);
        const Expr inside =
            fold(ExprKind::And, fold(ExprKind::Ge, at, makeInt(0)), fold(ExprKind::Lt, at, makeInt(40)));
        const DagPtr dag = b.build({&b.compute("y", i, ifThenElse(inside, load(T, {at}), makeFloat(-9)))});
        auto inputs = randomInputs(*dag, 3);
        const auto y = interpret(*dag, inputs)[0].floats;
        int read = 0;
        for (size_t n = 0; n < 300; ++n) {
            const int64_t index = inputs[1].integers[n] * 7;
            const bool legal = index >= 0 && index < 40;
            read += legal ? 1 : 0;
            QCOMPARE(y[n], legal ? inputs[0].floats[static_cast<size_t>(index)] : -9);
        }
        QVERIFY(read > 20 && read < 250);
    }
};

LOOPSCOPE_TEST(InterpreterPropertyTest)
#include "interpreter_property_test.moc"
