// Interval analysis, linear forms, assumptions and simplification, each compared with every value it stands for.

#include "base/random.h"
#include "harness/integer_evaluator.h"
#include "language/expr/affine.h"
#include "language/expr/assumptions.h"
#include "language/expr/walk.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>

using namespace loopscope;

namespace {

constexpr int64_t kExtent[] = {5, 4, 7};

struct Fixture {
    ArenaPtr arena = std::make_shared<ExprArena>();
    ArenaScope scope{arena};
    Expr x = makeVar("x"), y = makeVar("y"), z = makeVar("z");
    std::vector<VarRange> ranges{{x.node(), Interval::upTo(kExtent[0])},
                                 {y.node(), Interval::upTo(kExtent[1])},
                                 {z.node(), Interval::upTo(kExtent[2])}};

    template <typename Visit> void forAll(Visit &&visit) const {
        IntegerEvaluator at;
        for (int64_t i = 0; i < kExtent[0]; ++i)
            for (int64_t j = 0; j < kExtent[1]; ++j)
                for (int64_t k = 0; k < kExtent[2]; ++k) {
                    at.set(x, i);
                    at.set(y, j);
                    at.set(z, k);
                    visit(at);
                }
    }

    Expr randomExpr(Random &random, int depth) const {
        if (depth == 0 || random.below(5) == 0) {
            const Expr leaves[] = {x, y, z, makeInt(static_cast<int64_t>(random.below(21)) - 6)};
            return leaves[random.below(4)];
        }
        const auto sub = [&] { return randomExpr(random, depth - 1); };
        const Expr divisor = makeInt(1 + static_cast<int64_t>(random.below(8)));
        switch (random.below(10)) {
        case 0:
            return makeBinary(ExprKind::Sub, sub(), sub());
        case 1:
            return makeBinary(ExprKind::Mul, sub(), makeInt(static_cast<int64_t>(random.below(9)) - 3));
        case 2:
            return makeBinary(ExprKind::FloorDiv, sub(), divisor);
        case 3:
            return makeBinary(ExprKind::FloorMod, sub(), divisor);
        case 4:
            return makeBinary(ExprKind::Div, sub(), divisor);
        case 5:
            return makeBinary(ExprKind::Mod, sub(), divisor);
        case 6:
            return makeBinary(ExprKind::Min, sub(), sub());
        case 7:
            return makeBinary(ExprKind::Max, sub(), sub());
        case 8:
            return makeSelectNode(randomCondition(random, depth - 1), sub(), sub());
        default:
            return makeBinary(ExprKind::Add, sub(), sub());
        }
    }

    Expr randomCondition(Random &random, int depth) const {
        if (depth > 1 && random.below(3) == 0) {
            const Expr a = randomCondition(random, depth - 1), b = randomCondition(random, depth - 1);
            if (random.below(4) == 0) return makeUnary(ExprKind::Not, a);
            return makeBinary(random.below(2) == 0 ? ExprKind::And : ExprKind::Or, a, b);
        }
        const ExprKind kinds[] = {ExprKind::Lt, ExprKind::Le, ExprKind::Gt, ExprKind::Ge, ExprKind::Eq, ExprKind::Ne};
        return makeBinary(kinds[random.below(6)], randomExpr(random, depth), randomExpr(random, depth));
    }
};

int64_t valueOfForm(const LinearForm &form, IntegerEvaluator &at) {
    int64_t sum = form.constant;
    for (const LinearTerm &term : form.terms) sum += term.coefficient * at.value(term.atom);
    return sum;
}

Interval tightIntervalOf(Expr e, VarRanges ranges) {
    const Interval plain = intervalOf(e, ranges);
    if (!isInteger(e->dtype) || plain.isPoint()) return plain;
    return intersect(plain, intervalOf(linearForm(e, ranges), ranges));
}

} // namespace

class IntervalTest : public QObject {
    Q_OBJECT

  private slots:
    void everyValueLiesInside() {
        Fixture f;
        Random random(1);
        for (int i = 0; i < 1500; ++i) {
            const Expr e = f.randomExpr(random, 4);
            const Interval plain = intervalOf(e, f.ranges), tight = tightIntervalOf(e, f.ranges);
            const LinearForm form = linearForm(e, f.ranges);
            const Expr simple = simplify(e, f.ranges);
            QVERIFY(tight.inside(plain));
            f.forAll([&](IntegerEvaluator &at) {
                const int64_t value = at.value(e);
                if (value < tight.min || value > tight.max)
                    QFAIL(qPrintable(QString("%1 is %2, not in [%3, %4]")
                                         .arg(toText(e).c_str())
                                         .arg(value)
                                         .arg(tight.min)
                                         .arg(tight.max)));
                if (valueOfForm(form, at) != value) QFAIL(toText(e).c_str());
                if (at.value(simple) != value) QFAIL((toText(e) + " became " + toText(simple)).c_str());
            });
            if (QTest::currentTestFailed()) return;
        }
    }

    void conditionsAreDecidedRightly() {
        Fixture f;
        Random random(2);
        int decided = 0;
        for (int i = 0; i < 1500; ++i) {
            const Expr condition = f.randomCondition(random, 3);
            const auto known = decide(condition, f.ranges);
            if (!known) continue;
            ++decided;
            f.forAll([&](IntegerEvaluator &at) {
                if ((at.value(condition) != 0) != *known) QFAIL(toText(condition).c_str());
            });
            if (QTest::currentTestFailed()) return;
        }
        QVERIFY2(decided > 100, qPrintable(QString::number(decided)));
    }

    void assumptionsKeepWhatTheConditionAllows() {
        Fixture f;
        Random random(3);
        int tightened = 0;
        for (int i = 0; i < 1500; ++i) {
            const Expr condition = f.randomCondition(random, 3), e = f.randomExpr(random, 2);
            const bool holds = random.below(2) == 0;
            Assumptions known(f.ranges);
            known.assume(condition, holds);
            const Interval range = known.intervalOf(e);
            if (range != tightIntervalOf(e, f.ranges)) ++tightened;
            f.forAll([&](IntegerEvaluator &at) {
                if ((at.value(condition) != 0) != holds) return;
                if (known.contradictory()) QFAIL(("contradiction from " + toText(condition)).c_str());
                const int64_t value = at.value(e);
                if (value < range.min || value > range.max) QFAIL((toText(e) + " given " + toText(condition)).c_str());
            });
            if (QTest::currentTestFailed()) return;
        }
        QVERIFY2(tightened > 50, qPrintable(QString::number(tightened)));
    }

    void divisionsSplit() {
        Fixture f;
        const Expr flat = f.x * 7 + f.z; // z in [0, 7)
        QCOMPARE(toText(simplify(floorDiv(flat, 7), f.ranges)), std::string("x"));
        QCOMPARE(toText(simplify(floorMod(flat, 7), f.ranges)), std::string("z"));
        QCOMPARE(toText(simplify(floorDiv(f.y, 4) * 64 + f.z, f.ranges)), std::string("z"));
        QCOMPARE(toText(simplify(floorDiv(f.x * 8 + f.z, 4), f.ranges)), std::string("((x*2) + floordiv(z, 4))"));
        QCOMPARE(toText(simplify(floorMod(f.x * 8 + f.z, 4), f.ranges)), std::string("floormod(z, 4)"));
        QVERIFY(linearForm(floorDiv(flat, 7), f.ranges).affine());
        QVERIFY(!linearForm(floorDiv(flat, 3), f.ranges).affine());
    }

    void correlatedOperandsCancel() {
        Fixture f;
        const Expr e = (f.x * 3 + f.y) - f.x * 3;
        QCOMPARE(intervalOf(e, f.ranges), (Interval{-12, 15}));
        QCOMPARE(tightIntervalOf(e, f.ranges), (Interval{0, 3}));
        QCOMPARE(decide(fold(ExprKind::Lt, f.x, f.x + 1), f.ranges), std::optional<bool>(true));
        QCOMPARE(constantDifference(linearForm(f.x + f.y + 3, f.ranges), linearForm(f.y + f.x, f.ranges)),
                 std::optional<int64_t>(3));
    }

    void sumsAreBoundedByTheirGuard() {
        Fixture f;
        Assumptions known(f.ranges);
        known.assume(fold(ExprKind::Ge, f.x + f.y, makeInt(2)));
        known.assume(fold(ExprKind::Lt, f.x + f.y, makeInt(6)));
        QCOMPARE(known.intervalOf(f.x + f.y - 2), (Interval{0, 3}));
        QCOMPARE(known.intervalOf(f.x), (Interval{0, 4}));
        known.assume(fold(ExprKind::Eq, f.y, makeInt(0)));
        QCOMPARE(known.intervalOf(f.x), (Interval{2, 4}));
        known.assume(fold(ExprKind::Gt, f.y, makeInt(1)));
        QVERIFY(known.contradictory());
    }

    void arithmeticThatMayWrapIsUnknown() {
        Fixture f;
        const std::vector<VarRange> large{{f.x.node(), Interval::upTo(int64_t{1} << 30)}};
        QCOMPARE(intervalOf(f.x * 8, large), Interval::ofType(DType::Int32));
        QCOMPARE(intervalOf(f.x + 8, large), (Interval{8, (int64_t{1} << 30) + 7}));
    }

    void saturation() {
        const Interval all;
        QCOMPARE(all + Interval::point(1), (Interval{all.min + 1, all.max}));
        QCOMPARE(addSaturating(INT64_MAX, 1), INT64_MAX);
        QCOMPARE(mulSaturating(INT64_MIN, 2), INT64_MIN);
        QCOMPARE(mulSaturating(INT64_MIN, -1), INT64_MAX);
    }

    void loadsHaveTheRangeOfTheirType() {
        Fixture f;
        const TensorSymbol table{"T", DType::UInt8, {4}};
        const Expr index[] = {f.x};
        QCOMPARE(intervalOf(makeLoad(table, index), f.ranges), (Interval{0, 255}));
    }
};

LOOPSCOPE_TEST(IntervalTest)
#include "interval_test.moc"
