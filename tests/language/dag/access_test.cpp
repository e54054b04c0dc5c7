// Access analysis: Ansor's classes (its own unit-test facts for conv + bn + relu) and the exact linear forms.

#include "harness/sample_dags.h"
#include "language/dag/lost_numbers.h"
#include "test_program.h"

#include <QTest>

#include <functional>
#include <string_view>

using namespace loopscope;

namespace {

int opIndex(const ComputeDag &dag, const std::string &name) {
    for (size_t i = 0; i < dag.size(); ++i)
        if (dag.op(i).name == name) return static_cast<int>(i);
    return -1;
}

const OpAccess &accessOf(const ComputeDag &dag, const std::string &name) {
    return dag.access(static_cast<size_t>(opIndex(dag, name)));
}

using Terms = std::vector<std::pair<int, int64_t>>;

} // namespace

class AccessTest : public QObject {
    Q_OBJECT

  private slots:
    void convBnReluClasses() {
        const DagPtr dag = convBnReluNhwcDag();
        for (const OpPtr &op : dag->ops()) {
            const OpAccess &access = accessOf(*dag, op->name);
            QCOMPARE(access.needsMultiLevelTiling, op->name == "Conv2dOutput");
            QCOMPARE(access.simpleAccess, op->name != "Conv2dOutput");
            const bool inlineable =
                op->name == "bias_add" || op->name == "bn_mul" || op->name == "bn_add" || op->name == "compute";
            QCOMPARE(access.strictlyInlineable, inlineable);
            QCOMPARE(access.isOutput, op->name == "compute");
        }
        const int conv = opIndex(*dag, "Conv2dOutput"), relu = opIndex(*dag, "compute"), data = opIndex(*dag, "data");
        QCOMPARE(commonOuterIters(*dag, conv, relu), 4);
        QCOMPARE(commonOuterIters(*dag, data, relu), 1);
        QCOMPARE(commonOuterIters(*dag, relu, conv), 0);
        QVERIFY(elementwiseMatch(*dag, conv, relu));
        QVERIFY(!elementwiseMatch(*dag, opIndex(*dag, "PaddedInput"), relu));
    }

    void softmaxClasses() {
        const DagPtr dag = softmaxDag(8, 16);
        QVERIFY(accessOf(*dag, "T_softmax_exp").hasExpensive);
        QVERIFY(!accessOf(*dag, "T_softmax_exp").strictlyInlineable);
        QVERIFY(!accessOf(*dag, "T_softmax_norm").needsMultiLevelTiling);
        QCOMPARE(accessOf(*dag, "A").consumers.size(), size_t{2});
        QCOMPARE(commonOuterIters(*dag, opIndex(*dag, "T_softmax_exp"), opIndex(*dag, "T_softmax_norm")), 1);
        QVERIFY(!elementwiseMatch(*dag, opIndex(*dag, "T_softmax_exp"), opIndex(*dag, "T_softmax_norm")));
    }

    void whatASoftmaxSubtractsMayLoseNoNumbers() {
        const auto mayLose = [](const DagPtr &dag, std::string_view name) {
            for (size_t i = 0; i < dag->size(); ++i)
                if (dag->op(i).name == name) return mayLoseNoNumbers(*dag, i);
            return false;
        };
        QVERIFY(mayLose(softmaxDag(4, 6), "T_softmax_maxelem"));
        QVERIFY(!mayLose(softmaxDag(4, 6), "T_softmax_expsum"));
        // The greatest of a row of 6, of 6 rows, and what is made of it.
        const auto others =
            [&](const std::function<const Tensor &(DagBuilder &, const Tensor &, const Tensor &)> &made) {
                DagBuilder b;
                const Tensor &x = b.placeholder("x", {6, 6});
                const auto s = axes({"i"}, {6}), k = axes({"k"}, {6});
                const Tensor &most = b.reduce("most", s, ReduceKind::Max, k, load(x, {s[0].var, k[0].var}));
                return mayLose(b.build({&made(b, x, most)}), "most");
            };
        const auto away = [](const Tensor &x, const Tensor &most, Expr i, Expr j, Expr row) {
            return callMath(Intrinsic::Exp, load(x, {i, j}) - load(most, {row}));
        };
        const auto sumOf = [&](const std::function<Expr(const Tensor &, const Tensor &, Expr, Expr)> &term) {
            return others([&](DagBuilder &b, const Tensor &x, const Tensor &most) -> const Tensor & {
                const auto s = axes({"i"}, {6}), k = axes({"k"}, {6});
                return b.reduce("sum", s, ReduceKind::Sum, k, term(x, most, s[0].var, k[0].var));
            });
        };
        QVERIFY(sumOf([&](auto &x, auto &most, Expr i, Expr k) { return away(x, most, i, k, i); }));
        // Columns are not rows; a comparison makes a number of what is none; a part of the row may have been one.
        QVERIFY(!sumOf([&](auto &x, auto &most, Expr i, Expr k) { return away(x, most, k, i, k); }));
        QVERIFY(!sumOf([&](auto &x, auto &most, Expr i, Expr k) { return away(x, most, i, k, k); }));
        QVERIFY(!sumOf([&](auto &x, auto &most, Expr i, Expr k) {
            const Expr e = away(x, most, i, k, i);
            return select(fold(ExprKind::Gt, e, makeFloat(0.5)), e, makeFloat(0));
        }));
        QVERIFY(!sumOf([&](auto &, auto &most, Expr i, Expr) { return load(most, {i}); }));
        QVERIFY(!others([&](DagBuilder &b, const Tensor &x, const Tensor &most) -> const Tensor & {
            const auto s = axes({"i", "j"}, {6, 6});
            return b.compute("out", s, away(x, most, s[0].var, s[1].var, s[0].var));
        }));
    }
    void affineForms() {
        const DagPtr dag = conv2dNhwcDag(1, 56, 56, 64, 32, 3, 2, 1);
        const OpAccess &conv = accessOf(*dag, "conv2d_nhwc");
        QCOMPARE(conv.loads.size(), size_t{2});
        const LoadAccess &in = conv.loads[0];
        QCOMPARE(in.tensor->name, std::string("PadInput"));
        QCOMPARE(in.indices[0].terms, (Terms{{0, 1}}));
        QCOMPARE(in.indices[1].terms, (Terms{{1, 2}, {4, 1}}));
        QCOMPARE(in.indices[2].terms, (Terms{{2, 2}, {5, 1}}));
        // floordiv(co, 32)*64 + rc: the text keeps the division, the form knows it is 0
        QVERIFY(in.indices[3].affine);
        QCOMPARE(in.indices[3].terms, (Terms{{6, 1}}));
        QVERIFY(!in.simple);
        const IndexForm &padded = accessOf(*dag, "PadInput").loads[0].indices[1];
        QCOMPARE(padded.terms, (Terms{{1, 1}}));
        QCOMPARE(padded.constant, int64_t{-1});
        QCOMPARE(accessOf(*dag, "PadInput").loads[0].matchedAxis, (std::vector<int>{0, 1, 2, 3}));
    }

    void divisionsOfReshapesStayUnlessTheySplit() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4, 8});
        const auto i = axes({"i", "j"}, {8, 4});
        const Expr flat = i[0].var * 4 + i[1].var;
        const Tensor &B = b.compute("B", i, load(A, {floorDiv(flat, 8), floorMod(flat, 8)}));
        const DagPtr dag = b.build({&B});
        QVERIFY(!dag->access(1).loads[0].indices[0].affine);
        QVERIFY(!dag->access(1).loads[0].simple);

        DagBuilder c;
        const Tensor &C = c.placeholder("C", {8, 4});
        const auto k = axes({"i", "j"}, {8, 4});
        const Expr same = k[0].var * 4 + k[1].var;
        const Tensor &D = c.compute("D", k, load(C, {floorDiv(same, 4), floorMod(same, 4)}));
        const DagPtr reshape = c.build({&D});
        QCOMPARE(reshape->access(1).loads[0].indices[0].terms, (Terms{{0, 1}}));
        QCOMPARE(reshape->access(1).loads[0].indices[1].terms, (Terms{{1, 1}}));
    }

    void transposeIsSimpleButOutOfOrder() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4, 8});
        const auto i = axes({"i", "j"}, {8, 4});
        const Tensor &B = b.compute("B", i, load(A, {i[1].var, i[0].var}));
        const DagPtr dag = b.build({&B});
        QVERIFY(dag->access(1).simpleAccess);
        QVERIFY(!dag->access(1).loads[0].sameOrder);
        QVERIFY(!dag->access(1).strictlyInlineable);
    }

    void twoBroadcastsNeedTiling() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {8}), &B = b.placeholder("B", {4});
        const auto i = axes({"i", "j"}, {8, 4});
        const Tensor &C = b.compute("C", i, load(A, {i[0].var}) * load(B, {i[1].var}));
        QVERIFY(b.build({&C})->access(2).needsMultiLevelTiling);
    }
};

LOOPSCOPE_TEST(AccessTest)
#include "access_test.moc"
