// The interpreter against a plain element-by-element evaluation of the same expressions: equal bits, on random DAGs and
// on single ops with random expressions that guard, gather, divide, convert and reduce.

#include "harness/plain_interpreter.h"
#include "harness/random_dag.h"
#include "harness/sample_dags.h"
#include "interpret/interpreter.h"

#include "outcome.h"

#include <QTest>

#include <array>
#include <cmath>
#include <cstring>

using namespace loopscope;

namespace {

/// Empty when both hold the same bits (any NaN is as good as another).
QString difference(const ComputeDag &dag, const std::vector<TensorValue> &inputs, int threads) {
    const auto got = interpret(dag, inputs, threads);
    const auto expected = interpretPlainly(dag, inputs);
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

/// One op with random expressions over some inputs.
class OpDrawer {
  public:
    explicit OpDrawer(Random &random) : m_random(random) {}

    DagPtr run() {
        constexpr std::array<int64_t, 9> extents = {1, 2, 3, 7, 16, 19, 40, 64, 300};
        int64_t work = 1;
        const auto draw = [&](const char *name, int count) {
            std::vector<Axis> result;
            for (int i = 0; i < count; ++i) {
                int64_t extent = extents[m_random.index(extents.size())];
                if (work * extent > 6000) extent = 2;
                work *= extent;
                result.push_back(axis(name + std::to_string(i), extent));
            }
            return result;
        };
        const std::vector<Axis> spatial = draw("i", below(4));
        const std::vector<Axis> reduce = draw("k", below(3));
        m_axes = spatial;
        m_axes.insert(m_axes.end(), reduce.begin(), reduce.end());
        constexpr std::array<DType, 5> bodies = {DType::Float32, DType::Float64, DType::Int32, DType::Int8,
                                                 DType::UInt8};
        const DType type = bodies[m_random.index(5)];
        const Expr body = value(type, 4);
        if (reduce.empty()) return m_builder.build({&m_builder.compute("y", spatial, body)});
        Reduction reduction{{}, reduce, {}};
        if (chance(0.4)) reduction.condition = condition(2);
        std::vector<Expr> bodiesOf = {body};
        if (chance(0.25)) {
            bodiesOf = {m_axes.back().var, body};
            reduction.combiner = largest(type);
        } else {
            constexpr std::array<ReduceKind, 4> kinds = {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Min,
                                                         ReduceKind::Max};
            reduction.combiner = makeCombiner(kinds[m_random.index(4)], type);
        }
        return m_builder.build(m_builder.computeTuple("y", spatial, bodiesOf, reduction));
    }

  private:
    int below(int n) { return static_cast<int>(m_random.below(static_cast<uint64_t>(n))); }
    bool chance(double p) { return m_random.uniform() < p; }

    /// A new one or one of those there are.
    const Tensor &input() {
        if (!m_inputs.empty() && (m_inputs.size() == 4 || chance(0.4)))
            return *m_inputs[m_random.index(m_inputs.size())];
        constexpr std::array<DType, 7> types = {DType::Float32, DType::Float64, DType::Float16, DType::Int32,
                                                DType::Int8,    DType::UInt8,   DType::Bool};
        std::vector<int64_t> shape;
        for (int d = below(3); d >= 0; --d) shape.push_back(1 + below(9));
        m_inputs.push_back(
            &m_builder.placeholder("x" + std::to_string(m_inputs.size()), shape, types[m_random.index(types.size())]));
        return *m_inputs.back();
    }

    static Combiner largest(DType type) {
        Combiner combiner;
        combiner.left = {makeVar("li"), makeVar("lv", type)};
        combiner.right = {makeVar("ri"), makeVar("rv", type)};
        const Expr left = fold(ExprKind::Ge, combiner.left[1], combiner.right[1]);
        combiner.result = {select(left, combiner.left[0], combiner.right[0]),
                           select(left, combiner.left[1], combiner.right[1])};
        combiner.identity = {makeInt(-1), makeCombiner(ReduceKind::Max, type).identity[0]};
        return combiner;
    }

    Expr constant(DType type) {
        if (type == DType::Bool) return makeBool(chance(0.5));
        if (isFloat(type)) return makeFloat(below(9) * 0.5 - 2, type);
        return makeInt(type == DType::UInt8 ? below(9) : below(9) - 4, type);
    }

    /// int32: affine or not, of any range.
    Expr index(int depth) {
        if (depth == 0 || chance(0.3))
            return m_axes.empty() || chance(0.2) ? constant(DType::Int32) : m_axes[m_random.index(m_axes.size())].var;
        const Expr a = index(depth - 1);
        switch (below(6)) {
        case 0:
            return makeBinary(ExprKind::Add, a, index(depth - 1));
        case 1:
            return makeBinary(ExprKind::Sub, a, index(depth - 1));
        case 2:
            return makeBinary(ExprKind::Mul, a, makeInt(1 + below(3)));
        case 3:
            return makeBinary(ExprKind::FloorDiv, a, makeInt(1 + below(4)));
        case 4:
            return makeBinary(ExprKind::FloorMod, a, makeInt(1 + below(7)));
        default:
            return value(DType::Int32, depth - 1);
        }
    }

    Expr loadOf(const Tensor &tensor, int depth) {
        std::vector<Expr> indices;
        Expr inside = makeBool(true);
        const bool guarded = chance(0.6);
        for (const int64_t extent : tensor.shape) {
            Expr i = index(std::min(depth, 2));
            if (guarded) {
                const Expr low = makeBinary(ExprKind::Ge, i, makeInt(0));
                const Expr high = makeBinary(ExprKind::Lt, i, makeInt(extent));
                inside = makeBinary(ExprKind::And, inside, makeBinary(ExprKind::And, low, high));
            } else if (chance(0.5)) {
                i = makeBinary(ExprKind::FloorMod, i, makeInt(extent));
            } else {
                i = makeBinary(ExprKind::Max, makeBinary(ExprKind::Min, i, makeInt(extent - 1)), makeInt(0));
            }
            indices.push_back(i);
        }
        const Expr read = makeLoad(tensor, indices);
        if (!guarded) return read;
        const Expr otherwise = constant(tensor.dtype);
        if (chance(0.3)) { // the other way round
            return lazyChoice(makeUnary(ExprKind::Not, inside), otherwise, read);
        }
        return lazyChoice(inside, read, otherwise);
    }

    static Expr lazyChoice(Expr condition, Expr yes, Expr no) {
        const Expr args[] = {condition, yes, no};
        return makeCall(Intrinsic::IfThenElse, yes->dtype, args);
    }
    Expr choice(Expr condition, Expr yes, Expr no) {
        return chance(0.5) ? makeSelectNode(condition, yes, no) : lazyChoice(condition, yes, no);
    }

    Expr condition(int depth) {
        if (depth == 0 || chance(0.4)) {
            constexpr std::array<ExprKind, 6> kinds = {ExprKind::Eq, ExprKind::Ne, ExprKind::Lt,
                                                       ExprKind::Le, ExprKind::Gt, ExprKind::Ge};
            const DType type = chance(0.6) ? DType::Int32 : DType::Float32;
            const Expr a = type == DType::Int32 ? index(1) : value(type, depth);
            return makeBinary(kinds[m_random.index(6)], a, type == DType::Int32 ? index(1) : constant(type));
        }
        switch (below(4)) {
        case 0:
            return makeUnary(ExprKind::Not, condition(depth - 1));
        case 1:
            return makeBinary(ExprKind::And, condition(depth - 1), condition(depth - 1));
        case 2:
            return makeBinary(ExprKind::Or, condition(depth - 1), condition(depth - 1));
        default: { // the left side guards a division by zero
            const Expr a = index(1), b = index(1);
            const Expr zero = makeBinary(ExprKind::Eq, b, makeInt(0));
            const Expr odd = makeBinary(ExprKind::Ne, makeBinary(ExprKind::Mod, a, b), makeBinary(ExprKind::Div, a, b));
            return chance(0.5) ? makeBinary(ExprKind::Or, zero, odd)
                               : makeBinary(ExprKind::And, makeUnary(ExprKind::Not, zero), odd);
        }
        }
    }

    Expr value(DType type, int depth) {
        if (depth == 0) return constant(type);
        switch (below(8)) {
        case 0:
        case 1:
        case 2: {
            const Expr read = loadOf(input(), depth - 1);
            return read->dtype == type ? read : makeCastNode(type, read);
        }
        case 3:
            return choice(condition(depth - 1), value(type, depth - 1), value(type, depth - 1));
        case 4: {
            const Expr bound = makeVar("v", type);
            return makeLet(bound, value(type, depth - 1),
                           makeBinary(ExprKind::Add, bound, makeBinary(ExprKind::Mul, bound, value(type, depth - 1))));
        }
        case 5:
            if (type == DType::Int32 || isFloat(type)) return makeCastNode(type, index(depth - 1));
            return makeCastNode(type, value(DType::Float32, depth - 1));
        case 6: {
            const Expr x = value(type, depth - 1);
            if (isFloat(type))
                return makeCall(chance(0.5) ? Intrinsic::Tanh : Intrinsic::Floor, type, std::span(&x, 1));
            const Expr args[] = {x, value(type, depth - 1)};
            return makeCall(chance(0.5) ? Intrinsic::BitwiseXor : Intrinsic::ShiftRight, type, args);
        }
        default: {
            constexpr std::array<ExprKind, 5> kinds = {ExprKind::Add, ExprKind::Sub, ExprKind::Mul, ExprKind::Min,
                                                       ExprKind::Max};
            return makeBinary(kinds[m_random.index(5)], value(type, depth - 1), value(type, depth - 1));
        }
        }
    }

    Random &m_random;
    DagBuilder m_builder;
    std::vector<Axis> m_axes;
    std::vector<const Tensor *> m_inputs;
};

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
                dag = OpDrawer(random).run();
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
            QCOMPARE(std::string(error.what()), std::string("'z' divides by zero for these inputs"));
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

QTEST_GUILESS_MAIN(InterpreterPropertyTest)
#include "interpreter_property_test.moc"
