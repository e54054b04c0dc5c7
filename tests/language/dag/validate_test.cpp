// Every definition a DAG refuses, and guards it must understand.

#include "base/outcome.h"
#include "harness/sample_dags.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

template <typename Build> std::string refusal(Build &&build) {
    try {
        DagBuilder b;
        build(b);
    } catch (const Error &error) {
        return error.what();
    }
    return "accepted";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// An op that no builder would make.
std::shared_ptr<Op> handMade(const std::string &name, int64_t extent) {
    auto op = std::make_shared<Op>();
    op->kind = OpKind::Compute;
    op->name = name;
    op->axes = axes({"i"}, {extent});
    auto tensor = std::make_unique<Tensor>();
    tensor->name = name;
    tensor->shape = {extent};
    tensor->op = op.get();
    op->outputs.push_back(std::move(tensor));
    return op;
}

} // namespace

class ValidateTest : public QObject {
    Q_OBJECT

  private slots:
    void cycle() {
        // The builders cannot make one; two hand-made ops that read each other can.
        DagBuilder b;
        const auto X = handMade("X", 4), Y = handMade("Y", 4);
        X->body = {load(Y->output(), {X->axes[0].var})};
        Y->body = {load(X->output(), {Y->axes[0].var})};
        const std::string why = refusal([&](DagBuilder &) { ComputeDag::fromArgs({&X->output()}, {X, Y}, {}, "c"); });
        QVERIFY2(contains(why, "cycle"), why.c_str());
        QVERIFY(contains(why, "'X'") && contains(why, "'Y'"));
    }

    void duplicateAxis() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {4, 4});
            const auto s = axes({"i"}, {4}), r = axes({"i"}, {4});
            b.build({&b.reduce("B", s, ReduceKind::Sum, r, load(A, {s[0].var, r[0].var}))});
        });
        QVERIFY2(contains(why, "two axes named 'i'"), why.c_str());
    }

    void wrongRank() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {4, 4});
            const auto s = axes({"i"}, {4});
            b.build({&b.compute("B", s, load(A, {s[0].var}))});
        });
        QVERIFY2(contains(why, "with 1 index, but 'A' has 2 dimensions"), why.c_str());
    }

    void zeroExtent() {
        DagBuilder b;
        const auto X = handMade("X", 4);
        X->body = {makeFloat(1)};
        X->axes[0].extent = 0;
        const std::string axis = refusal([&](DagBuilder &) { ComputeDag::fromArgs({&X->output()}, {X}, {}, "zero"); });
        QVERIFY2(contains(axis, "axis 'i' of 'X' has extent 0"), axis.c_str());
        const auto Y = handMade("Y", 0);
        Y->body = {makeFloat(1)};
        const std::string shape = refusal([&](DagBuilder &) { ComputeDag::fromArgs({&Y->output()}, {Y}, {}, "zero"); });
        QVERIFY2(contains(shape, "tensor 'Y' has shape [0]; every extent must be at least 1"), shape.c_str());
    }

    void hugeTensor() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {int64_t{1} << 40, int64_t{1} << 40});
            const auto s = axes({"i"}, {4});
            b.build({&b.compute("B", s, load(A, {s[0].var, s[0].var}))});
        });
        QVERIFY2(contains(why, "does not fit into any memory"), why.c_str());
    }

    void indexOutside_data() {
        QTest::addColumn<int>("shift");
        QTest::addColumn<QString>("part");
        QTest::newRow("may leave") << 1 << "may leave the tensor (its range is [1, 8], legal is [0, 7])";
        QTest::newRow("may leave below") << -1 << "may leave the tensor (its range is [-1, 6]";
        QTest::newRow("never inside") << 8 << "always lies outside the tensor (its range is [8, 15]";
    }
    void indexOutside() {
        QFETCH(int, shift);
        QFETCH(QString, part);
        const std::string why = refusal([&](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            const auto s = axes({"i"}, {8});
            b.build({&b.compute("B", s, load(A, {s[0].var + shift}))});
        });
        QVERIFY2(contains(why, part.toStdString()), why.c_str());
        QVERIFY(contains(why, "'B' reads A["));
    }

    void guardsProveLoads() {
        // Neither y nor r is bounded by the guard alone; only their sum is.
        const std::string sum = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            const auto s = axes({"y"}, {8}), r = axes({"r"}, {3});
            const Expr at = s[0].var + r[0].var;
            const Expr inside = logicalAnd(fold(ExprKind::Ge, at, makeInt(1)), fold(ExprKind::Lt, at, makeInt(9)));
            b.build({&b.reduce("B", s, ReduceKind::Sum, r, ifThenElse(inside, load(A, {at - 1}), makeFloat(0)))});
        });
        QCOMPARE(sum, std::string("accepted"));

        const std::string otherwise = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8}), &B = b.placeholder("B", {4});
            const auto s = axes({"i"}, {12});
            const Expr first = fold(ExprKind::Lt, s[0].var, makeInt(8));
            b.build({&b.compute("C", s, ifThenElse(first, load(A, {s[0].var}), load(B, {s[0].var - 8})))});
        });
        QCOMPARE(otherwise, std::string("accepted"));

        const std::string eitherSide = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            const auto s = axes({"i"}, {10});
            const Expr outside =
                logicalOr(fold(ExprKind::Lt, s[0].var, makeInt(1)), fold(ExprKind::Gt, s[0].var, makeInt(8)));
            b.build({&b.compute("C", s, ifThenElse(outside, makeFloat(0), load(A, {s[0].var - 1})))});
        });
        QCOMPARE(eitherSide, std::string("accepted"));
    }

    void transposedConvolution() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {4});
            const auto s = axes({"y"}, {9});
            const Expr y = s[0].var;
            Expr inside = fold(ExprKind::Ge, y, makeInt(1));
            inside = logicalAnd(inside, fold(ExprKind::Eq, floorMod(y - 1, 2), makeInt(0)));
            inside = logicalAnd(inside, fold(ExprKind::Lt, floorDiv(y - 1, 2), makeInt(4)));
            b.build({&b.compute("C", s, ifThenElse(inside, load(A, {floorDiv(y - 1, 2)}), makeFloat(0)))});
        });
        QCOMPARE(why, std::string("accepted"));
    }

    void selectEvaluatesBothSides() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            const auto s = axes({"i"}, {12});
            const Expr first = fold(ExprKind::Lt, s[0].var, makeInt(8));
            b.build({&b.compute("C", s, select(first, load(A, {s[0].var}), makeFloat(0)))});
        });
        QVERIFY2(contains(why, "a select evaluates both"), why.c_str());
    }

    void conditionOfAReductionGuardsItsSource() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            const auto s = axes({"i"}, {8}), r = axes({"k"}, {3});
            const Expr at = s[0].var + r[0].var;
            Reduction reduction{makeCombiner(ReduceKind::Sum, DType::Float32), r, fold(ExprKind::Lt, at, makeInt(8))};
            b.build(b.computeTuple("B", s, {load(A, {at})}, reduction));
        });
        QCOMPARE(why, std::string("accepted"));
    }

    void unusedPlaceholder() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            b.placeholder("spare", {8});
            const auto s = axes({"i"}, {8});
            b.build({&b.compute("B", s, load(A, {s[0].var}))});
        });
        QVERIFY2(contains(why, "placeholder 'spare' is never read"), why.c_str());
    }

    void argumentThatIsRead() {
        const std::string why = refusal([](DagBuilder &b) {
            const Tensor &A = b.placeholder("A", {8});
            const auto s = axes({"i"}, {8}), t = axes({"i"}, {8});
            const Tensor &B = b.compute("B", s, load(A, {s[0].var}));
            b.build({&B, &b.compute("C", t, load(B, {t[0].var}))});
        });
        QVERIFY2(contains(why, "'B' is an argument but another operator reads it"), why.c_str());
    }

    void nothingToCompute() {
        const std::string why = refusal([](DagBuilder &b) { b.build({}); });
        QVERIFY2(contains(why, "nothing to compute"), why.c_str());
    }
};

LOOPSCOPE_TEST(ValidateTest)
#include "validate_test.moc"
