// Forms against plain arithmetic: random sums, divisions and remainders of loop variables have, for all values of the
// variables, the value the operations have; ranges and one-sided bounds hold.

#include "base/random.h"
#include "harness/integer_evaluator.h"
#include "language/expr/interval.h"
#include "schedule/bounds/linear_form.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>

using namespace loopscope;

namespace {

constexpr int64_t kExtents[] = {4, 6, 3, 1};
constexpr size_t kVariables = 4;

/// No expression is the form of nothing: 0.
int64_t evaluate(Expr e, IntegerEvaluator &at, const std::vector<Expr> &variables, const std::vector<int64_t> &values) {
    for (size_t i = 0; i < variables.size(); ++i) at.set(variables[i], values[i]);
    return e ? at.value(e) : 0;
}

template <typename Visit> void forAllValues(Visit &&visit) {
    std::vector<int64_t> values(kVariables, 0);
    for (;;) {
        visit(values);
        size_t i = 0;
        while (i < kVariables && ++values[i] == kExtents[i]) values[i++] = 0;
        if (i == kVariables) return;
    }
}

} // namespace

class LinearFormTest : public QObject {
    Q_OBJECT
  private slots:
    void operationsKeepTheirValue();
    void partsOfAFusedLoopJoin();
    void quotientsThatMoveTogether();
};

void LinearFormTest::operationsKeepTheirValue() {
    for (uint64_t stream = 0; stream < 3000; ++stream) {
        ExprArena arena;
        const ArenaScope scope(arena);
        Random random(5, stream);
        FormPool pool;
        pool.reset(kVariables);
        std::vector<Expr> variables;
        for (size_t i = 0; i < kVariables; ++i) {
            pool.setExtent(static_cast<int>(i), kExtents[i]);
            variables.push_back(makeVar("v" + std::to_string(i)));
        }
        // Each form beside the value it stands for, as a table over all values of the variables.
        struct Case {
            Form form;
            std::vector<int64_t> table;
        };
        std::vector<Case> cases;
        for (size_t i = 0; i < kVariables; ++i) {
            Case c{pool.variable(static_cast<int>(i)), {}};
            forAllValues([&](const std::vector<int64_t> &v) { c.table.push_back(v[i]); });
            cases.push_back(std::move(c));
        }
        static constexpr int64_t numbers[] = {1, 2, 3, 4, 5, 6, 8, 12, 24};
        for (int operation = 0; operation < 8; ++operation) {
            const Case a = cases[random.index(cases.size())];
            const Case b = cases[random.index(cases.size())];
            const int64_t n = numbers[random.index(std::size(numbers))];
            Case c;
            std::function<int64_t(int64_t, int64_t)> value;
            switch (random.below(5)) {
            case 0:
                c.form = pool.addScaled(a.form, b.form, n);
                value = [&](int64_t x, int64_t y) { return x + y * n; };
                break;
            case 1:
                c.form = pool.subtract(a.form, b.form);
                value = [&](int64_t x, int64_t y) { return x - y; };
                break;
            case 2:
                c.form = FormPool::plus(pool.scale(a.form, n), 3 - n);
                value = [&](int64_t x, int64_t) { return x * n + 3 - n; };
                break;
            case 3:
                c.form = pool.floorDiv(a.form, n);
                value = [&](int64_t x, int64_t) { return floorDivInt(x, n); };
                break;
            default:
                c.form = pool.floorMod(a.form, n);
                value = [&](int64_t x, int64_t) { return floorModInt(x, n); };
                break;
            }
            for (size_t i = 0; i < a.table.size(); ++i) c.table.push_back(value(a.table[i], b.table[i]));
            const Expr e = pool.toExpr(c.form, variables);
            const FormRange range = pool.range(c.form);
            const FormRange tight = pool.tightRange(c.form);
            QVERIFY(range.min <= tight.min && tight.max <= range.max);
            const std::vector<char> relaxed = {1, 0, 1, 0};
            const Expr low = pool.toExpr(pool.lowerBound(c.form, relaxed), variables);
            const Expr high = pool.toExpr(pool.upperBound(c.form, relaxed), variables);
            size_t row = 0;
            IntegerEvaluator at;
            forAllValues([&](const std::vector<int64_t> &v) {
                const int64_t expected = c.table[row++];
                QCOMPARE(evaluate(e, at, variables, v), expected);
                QVERIFY(tight.min <= expected && expected <= tight.max);
                std::vector<int64_t> others = v; // the bounds may not depend on the relaxed variables
                others[0] = others[2] = 0;
                QVERIFY(evaluate(low, at, variables, others) <= expected);
                QVERIFY(evaluate(high, at, variables, others) >= expected);
            });
            if (QTest::currentTestFailed()) return;
            cases.push_back(std::move(c));
        }
    }
}

void LinearFormTest::partsOfAFusedLoopJoin() {
    FormPool pool;
    pool.reset(1);
    pool.setExtent(0, 448);
    const Form v = pool.variable(0);
    const Form outer = pool.floorDiv(v, 112);
    const Form inner = pool.floorMod(v, 112);
    const Form whole = pool.addScaled(inner, outer, 112);
    const Form nothing = pool.subtract(whole, v);
    QVERIFY(nothing.isConstant());
    QCOMPARE(nothing.constant, 0);
    // h of a fused (h, w, c) with extents 4, 7, 16
    const Form h = pool.floorDiv(v, 112);
    const Form w = pool.floorMod(pool.floorDiv(v, 16), 7);
    QCOMPARE(pool.range(h).max, 3);
    QCOMPARE(pool.range(w).max, 6);
}

/// What a halo of a transposed convolution comes to: the region between two quotients, whatever the outer loop.
void LinearFormTest::quotientsThatMoveTogether() {
    FormPool pool;
    pool.reset(1);
    pool.setExtent(0, 64);
    const Form h = pool.variable(0);
    for (const int64_t step : {1, 2, 3, 4, 6, 10})
        for (const int64_t divisor : {2, 3, 4, 7, 12})
            for (const int64_t first : {-3, 0, 1, 5})
                for (const int64_t width : {1, 2, 3, 8, 25}) {
                    const Form low = FormPool::plus(pool.scale(h, step), first);
                    const Form high = FormPool::plus(low, width);
                    const FormRange range =
                        pool.tightRange(pool.subtract(pool.floorDiv(high, divisor), pool.floorDiv(low, divisor)));
                    FormRange exact{INT64_MAX, INT64_MIN};
                    for (int64_t v = 0; v < 64; ++v) {
                        const int64_t apart =
                            floorDivInt(v * step + first + width, divisor) - floorDivInt(v * step + first, divisor);
                        exact = {std::min(exact.min, apart), std::max(exact.max, apart)};
                    }
                    QCOMPARE(range.min, exact.min);
                    QCOMPARE(range.max, exact.max);
                }
}

LOOPSCOPE_TEST(LinearFormTest)
#include "linear_form_test.moc"
