// The simplifier of lowering: forms that operation counts depend on, and random index expressions that keep their
// values over the whole range of their variables.

#include "base/random.h"
#include "harness/integer_evaluator.h"
#include "language/expr/simplify.h"
#include "language/expr/walk.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

struct Vars {
    std::vector<Expr> vars;
    std::vector<int64_t> extents;
    std::vector<int64_t> values;
};

Expr randomIndex(Random &random, const Vars &vars, int depth) {
    const auto sub = [&] { return randomIndex(random, vars, depth - 1); };
    const auto constant = [&](int64_t low, int64_t count) {
        return makeInt(low + static_cast<int64_t>(random.below(static_cast<uint64_t>(count))));
    };
    if (depth == 0) return random.below(4) == 0 ? constant(-6, 20) : vars.vars[random.index(vars.vars.size())];
    switch (random.below(8)) {
    case 0:
        return makeBinary(ExprKind::Sub, sub(), sub());
    case 1:
        return makeBinary(ExprKind::Mul, sub(), constant(-3, 9));
    case 2:
        return makeBinary(ExprKind::FloorDiv, sub(), constant(1, 9));
    case 3:
        return makeBinary(ExprKind::FloorMod, sub(), constant(1, 9));
    case 4:
        return makeBinary(random.below(2) == 0 ? ExprKind::Min : ExprKind::Max, sub(), sub());
    default:
        return makeBinary(ExprKind::Add, sub(), sub());
    }
}

} // namespace

class SimplifyTest : public QObject {
    Q_OBJECT
  private slots:
    void canonicalForms();
    void divisionsOfCoarseSums();
    void comparisonsOfQuotients();
    void divisionsAsAnsor();
    void branchesKnowTheirCondition();
    void randomExpressionsKeepTheirValues();
};

void SimplifyTest::canonicalForms() {
    ExprArena arena;
    const ArenaScope scope(arena);
    const Expr v = makeVar("v"), i = makeVar("i"), j = makeVar("j");
    Simplifier simplify;
    simplify.bindRange(v, Interval::upTo(64));
    simplify.bindRange(i, Interval::upTo(4));
    simplify.bindRange(j, Interval::upTo(8));
    const auto text = [&](Expr e) { return QString::fromStdString(toText(simplify(e))); };
    QCOMPARE(text(floorDiv(v, 8) * 8 + floorMod(v, 8)), QString("v"));
    QCOMPARE(text(floorDiv(floorMod(v, 32), 8) * 8 + floorMod(v, 8)), QString("floormod(v, 32)"));
    QCOMPARE(text(j + i * 8 + 3), QString("(((i*8) + j) + 3)"));
    QCOMPARE(text(i * 8 + j - 3), QString("(((i*8) + j) - 3)"));
    QCOMPARE(text(floorDiv(i * 8 + j, 8)), QString("i"));
    QCOMPARE(text(floorMod(i * 8 + j, 8)), QString("j"));
    QCOMPARE(text(floorDiv(v, 64)), QString("0"));
    QCOMPARE(text(floorDiv(floorDiv(v, 2), 4)), QString("floordiv(v, 8)"));
    QCOMPARE(text(i - i), QString("0"));
    QCOMPARE(text(fold(ExprKind::Ge, j - 1, makeInt(0))), QString("(j >= 1)"));
    QCOMPARE(text(fold(ExprKind::Lt, i * 8 + j, makeInt(32))), QString("(bool)1"));
    QCOMPARE(text(fold(ExprKind::Lt, i * 8, makeInt(20))), QString("(i < 3)"));
    QCOMPARE(text(minOf(i, j + 4)), QString("i"));
}

/// A division sees past what moves by less than one step of the rest.
void SimplifyTest::divisionsOfCoarseSums() {
    ExprArena arena;
    const ArenaScope scope(arena);
    const Expr a = makeVar("a"), b = makeVar("b"), c = makeVar("c");
    Simplifier simplify;
    simplify.bindRange(a, Interval::upTo(4096));
    simplify.bindRange(b, Interval::upTo(64));
    simplify.bindRange(c, Interval::upTo(9));
    const auto text = [&](Expr e) { return QString::fromStdString(toText(simplify(e))); };
    QCOMPARE(text(floorDiv(a * 64 + b, 16384)), QString("floordiv(a, 256)"));
    QCOMPARE(text(floorMod(a * 64 + b, 16384)), QString("((floormod(a, 256)*64) + b)"));
    QCOMPARE(text(floorDiv(a * 64 + b + 64, 16384)), QString("floordiv((a + 1), 256)"));
    QCOMPARE(text(floorDiv(a * 128 + b * 2 + 1, 16384)), QString("floordiv(a, 128)"));
    QCOMPARE(text(floorDiv(a * 64 + b * 2, 16384)), QString("floordiv(((a*32) + b), 8192)")); // b*2 reaches beyond 64
    QCOMPARE(text(floorDiv(a * 6 + b * 10, 30)), QString("floordiv(((b*5) + (a*3)), 15)"));
    QCOMPARE(text(floorMod(c, 9)), QString("c"));
    QCOMPARE(text(floorMod(floorDiv(a * 9 + c, 9), 4096)), QString("a"));
    QCOMPARE(text(floorDiv(floorMod(a, 16), 16) * 128), QString("0"));
    QCOMPARE(text(floorDiv(floorDiv(b, 4), 16) * 128), QString("0"));
    QCOMPARE(text(a * 8 - floorDiv(a, 2) * 16), QString("(floormod(a, 2)*8)"));
    QCOMPARE(text(floorDiv(floorMod(a, 64), 4) - floorDiv(floorMod(a, 64), 16) * 4),
             QString("floordiv(floormod(a, 16), 4)"));
}

/// floordiv(x, c) >= k is x >= c*k, and so on: neither side divides any more.
void SimplifyTest::comparisonsOfQuotients() {
    ExprArena arena;
    const ArenaScope scope(arena);
    const Expr v = makeVar("v"), w = makeVar("w");
    Simplifier simplify;
    simplify.bindRange(v, Interval::upTo(100));
    simplify.bindRange(w, Interval::upTo(7));
    const auto text = [&](ExprKind kind, Expr a, Expr b) {
        return QString::fromStdString(toText(simplify(fold(kind, a, b))));
    };
    const Expr three = makeInt(3);
    QCOMPARE(text(ExprKind::Ge, floorDiv(v, 8), three), QString("(v >= 24)"));
    QCOMPARE(text(ExprKind::Lt, floorDiv(v, 8), three), QString("(v < 24)"));
    QCOMPARE(text(ExprKind::Gt, floorDiv(v, 8), three), QString("(v > 31)"));
    QCOMPARE(text(ExprKind::Le, floorDiv(v, 8), three), QString("(v <= 31)"));
    QCOMPARE(text(ExprKind::Le, three, floorDiv(v, 8)), QString("(v >= 24)"));
    QCOMPARE(text(ExprKind::Gt, three, floorDiv(v, 8)), QString("(v < 24)"));
    QCOMPARE(text(ExprKind::Eq, floorDiv(v, 8), three), QString("(floordiv(v, 8) == 3)"));
    QCOMPARE(text(ExprKind::Ge, floorDiv(v + 3, 8), three), QString("(v >= 21)"));
    QCOMPARE(text(ExprKind::Ge, floorDiv(v * 2 + w, 8), three), QString("(((v*2) + w) >= 24)"));
    QCOMPARE(text(ExprKind::Lt, floorDiv(floorDiv(v + 1, 2) + 1, 4), three), QString("(v < 21)"));
    QCOMPARE(text(ExprKind::Ge, floorDiv(floorMod(v, 32), 8), three), QString("(floormod(v, 32) >= 24)"));
    QCOMPARE(text(ExprKind::Lt, floorDiv(v, 8), makeInt(13)), QString("(bool)1"));
}

/// The forms of TVM's analyzer: it takes apart less than we can, and counts of operations depend on it.
void SimplifyTest::divisionsAsAnsor() {
    ExprArena arena;
    const ArenaScope scope(arena);
    const Expr a = makeVar("a"), b = makeVar("b"), c = makeVar("c");
    Simplifier simplify(Divisions::AsAnsor);
    simplify.bindRange(a, Interval::upTo(100));
    simplify.bindRange(b, Interval::upTo(3));
    simplify.bindRange(c, Interval::upTo(2));
    const auto text = [&](Expr e) { return QString::fromStdString(toText(simplify(e))); };
    const auto less = [&](Expr e, int64_t than) { return text(fold(ExprKind::Lt, e, makeInt(than))); };
    QCOMPARE(text(floorDiv(a * 4 + b, 16)), QString("floordiv(a, 4)"));
    QCOMPARE(text(floorDiv(a * 8 + b * 2 + c, 32)), QString("floordiv(a, 4)"));
    QCOMPARE(text(floorDiv(a * 16 + b * 4 + c + 1, 32)), QString("floordiv(((((a*16) + (b*4)) + c) + 1), 32)"));
    QCOMPARE(text(floorDiv(a * 12 + b * 2 + c, 16)), QString("floordiv((((a*12) + (b*2)) + c), 16)"));
    QCOMPARE(text(floorDiv(a * 6, 4)), QString("floordiv((a*6), 4)"));
    QCOMPARE(text(floorDiv(a * 4 + 4, 8)), QString("floordiv((a + 1), 2)"));
    QCOMPARE(text(floorDiv(a - 3, 8)), QString("floordiv((a - 3), 8)"));
    QCOMPARE(text(floorDiv(a * 8 + b - 11, 8)), QString("(a - 2)"));
    QCOMPARE(text(floorMod(a - 3, 8)), QString("floormod((a + 5), 8)"));
    QCOMPARE(text(floorMod(a * 7 + b, 2)), QString("floormod((a + b), 2)"));
    QCOMPARE(text(floorMod(a * 7 + b + 3, 4)), QString("floormod((((a*7) + b) + 3), 4)"));
    QCOMPARE(text(floorMod(a * 6, 4)), QString("(floormod(a, 2)*2)"));
    QCOMPARE(text(floorDiv(floorDiv(a, 10) + 1, 2)), QString("floordiv((a + 10), 20)"));
    QCOMPARE(text(floorDiv(floorDiv(a * 10 + b, 12), 10)), QString("floordiv(a, 12)"));
    QCOMPARE(less(a * 4 + b, 8), QString("(a < 2)"));
    QCOMPARE(less(floorMod(a, 28) + b * 2, 30), QString("((floordiv(floormod(a, 28), 2) + b) < 15)"));
    QCOMPARE(less(a + b * 2, 30), QString("(((b*2) + a) < 30)"));
}

/// Inside a branch of if_then_else its condition holds (or does not).
void SimplifyTest::branchesKnowTheirCondition() {
    ExprArena arena;
    const ArenaScope scope(arena);
    const Expr a = makeVar("a"), b = makeVar("b"), c = makeVar("c");
    for (const Divisions divisions : {Divisions::Full, Divisions::AsAnsor}) {
        Simplifier simplify(divisions);
        simplify.bindRange(a, Interval::upTo(10));
        simplify.bindRange(b, Interval::upTo(3));
        simplify.bindRange(c, Interval::upTo(100));
        const auto branch = [&](Expr condition, Expr yes, Expr no, size_t operand) {
            return QString::fromStdString(toText(simplify(ifThenElse(condition, yes, no))->arg(operand)));
        };
        const auto less = [](Expr e, int64_t than) { return fold(ExprKind::Lt, e, makeInt(than)); };
        const auto atLeast = [](Expr e, int64_t least) { return fold(ExprKind::Ge, e, makeInt(least)); };
        QCOMPARE(branch(less(a, 8), floorDiv(a, 8), a, 1), QString("0"));
        QCOMPARE(branch(less(a, 8), a, floorDiv(a, 8), 2), QString("1"));
        QCOMPARE(branch(logicalAnd(atLeast(a * 2 + b, 1), less(a * 2 + b, 9)), floorDiv(a * 2 + b - 1, 8), a, 1),
                 QString("0"));
        QCOMPARE(branch(less(a + b, 4), ifThenElse(less(a + b, 5), a, b), b, 1), QString("a"));
        QCOMPARE(branch(logicalOr(less(a, 4), less(b, 2)), floorDiv(a, 4), floorDiv(a + 2, 4), 1),
                 QString("floordiv(a, 4)"));
        QCOMPARE(branch(less(floorMod(c, 8), 4), floorDiv(floorMod(c, 8), 4), c, 1), QString("0"));
        QCOMPARE(toText(simplify(floorDiv(a, 8))), std::string("floordiv(a, 8)")); // and nowhere else
    }
}

void SimplifyTest::randomExpressionsKeepTheirValues() {
    for (uint64_t stream = 0; stream < 8000; ++stream) {
        ExprArena arena;
        const ArenaScope scope(arena);
        Random random(41, stream);
        Vars at;
        Simplifier simplify(stream % 2 == 0 ? Divisions::Full : Divisions::AsAnsor);
        for (const char *name : {"a", "b", "c"}) {
            at.vars.push_back(makeVar(name));
            at.extents.push_back(1 + static_cast<int64_t>(random.below(12)));
            at.values.push_back(0);
            simplify.bindRange(at.vars.back(), Interval::upTo(at.extents.back()));
        }
        Expr e = randomIndex(random, at, 4);
        const bool branches = random.below(4) == 0;
        const auto compared = [&](int depth) {
            return makeBinary(random.below(2) == 0 ? ExprKind::Lt : ExprKind::Ge, randomIndex(random, at, depth),
                              randomIndex(random, at, 0));
        };
        if (branches) e = ifThenElse(logicalAnd(compared(2), compared(1)), e, randomIndex(random, at, 3));
        const bool condition = !branches && random.below(3) == 0;
        constexpr ExprKind comparisons[] = {ExprKind::Lt, ExprKind::Le, ExprKind::Gt,
                                            ExprKind::Ge, ExprKind::Eq, ExprKind::Ne};
        if (condition) e = makeBinary(comparisons[random.index(6)], e, randomIndex(random, at, 3));
        const Expr simple = simplify(e);
        const Interval range = condition ? Interval{0, 1} : simplify.sum(e).values();
        IntegerEvaluator evaluator;
        for (at.values[0] = 0; at.values[0] < at.extents[0]; ++at.values[0])
            for (at.values[1] = 0; at.values[1] < at.extents[1]; ++at.values[1])
                for (at.values[2] = 0; at.values[2] < at.extents[2]; ++at.values[2]) {
                    for (size_t i = 0; i < at.vars.size(); ++i) evaluator.set(at.vars[i], at.values[i]);
                    const int64_t expected = evaluator.value(e);
                    if (evaluator.value(simple) == expected && expected >= range.min && expected <= range.max) continue;
                    QFAIL(
                        ("stream " + std::to_string(stream) + ": " + toText(e) + " became " + toText(simple)).c_str());
                }
    }
}

LOOPSCOPE_TEST(SimplifyTest)
#include "simplify_test.moc"
