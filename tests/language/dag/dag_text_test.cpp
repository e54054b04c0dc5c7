// Op order, text, key and FLOPs against what Ansor prints for the same definitions.

#include "harness/sample_dags.h"
#include "harness/shared_data.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace loopscope;

class DagTextTest : public QObject {
    Q_OBJECT

  private slots:
    void matmulText() {
        const DagPtr dag = matmulDag(64, 32, 16);
        QCOMPARE(dag->text(DagTextMode::Normal), std::string("A = PLACEHOLDER [64, 16]\nB = PLACEHOLDER [16, 32]\n"
                                                             "C(i, j) += (A[i, k]*B[k, j])\n"));
        QCOMPARE(dag->key(), std::string(R"(["dc29d1d0f45b6bb93e8328b9f55c70d9", [64, 16], [16, 32], [64, 32]])"));
        QCOMPARE(dag->flops(), 2.0 * 64 * 32 * 16);
    }

    void convNhwcKeyOfPublishedLogs() {
        const DagPtr dag = conv2dBiasReluNhwcDag(56, 56, 64, 128, 3, 2, 1);
        QCOMPARE(dag->hash(), std::string("07f9fcad27bdd3233f86fe35a5185d33"));
        std::vector<std::string> names;
        for (const OpPtr &op : dag->ops()) names.push_back(op->name);
        QCOMPARE(names, (std::vector<std::string>{"p0", "pad_temp", "p1", "conv2d_nhwc", "p2", "T_add", "T_relu"}));
    }

    void simpleTextShortensTopLevelCallsOnly() {
        const std::string text = softmaxDag(4, 8)->text(DagTextMode::Simple);
        QCOMPARE(text, std::string("A = PLACEHOLDER \n"
                                   "T_softmax_maxelem(i0) max= A[i0, k]\n"
                                   "T_softmax_exp(i0, i1) = Op(tir.exp)\n"
                                   "T_softmax_expsum(i0) += T_softmax_exp[i0, k]\n"
                                   "T_softmax_norm(i0, i1) = (T_softmax_exp[i0, i1]/T_softmax_expsum[i0])\n"));
    }

    void multiOutputReductionPrintsItsSelects() {
        QCOMPARE(argmaxDag(4, 8)->text(DagTextMode::Normal),
                 std::string("A = PLACEHOLDER [4, 8]\n"
                             "argmax(i).v0 select(((lhs_1 > rhs_1) || ((lhs_1 == rhs_1) && (lhs_0 < rhs_0))), lhs_0, "
                             "rhs_0)= (k,A[i, k])\n"
                             "argmax(i).v1 select(((lhs_1 > rhs_1) || ((lhs_1 == rhs_1) && (lhs_0 < rhs_0))), lhs_1, "
                             "rhs_1)= (k,A[i, k])\n"));
    }

    void productsPrintTheirCombiner() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4, 8});
        const auto s = axes({"i"}, {4}), r = axes({"k"}, {8});
        const DagPtr dag = b.build({&b.reduce("P", s, ReduceKind::Prod, r, load(A, {s[0].var, r[0].var}))});
        QVERIFY(dag->text(DagTextMode::Normal).find("P(i)reduce(") != std::string::npos);
    }

    void flopAttributeReplacesTheEstimate() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {8});
        const auto i = axes({"i"}, {8});
        const Tensor &B = b.compute("B", i, load(A, {i[0].var}) + makeFloat(1), {{"FLOP", int64_t{1234}}});
        QCOMPARE(b.build({&B})->flops(), 1234.0);
        QCOMPARE(b.build({&B})->flopsOf(0), 0.0);
    }

    void letCannotBeCounted() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {8});
        const auto i = axes({"i"}, {8});
        const Expr v = makeVar("v", DType::Float32);
        const Tensor &B = b.compute("B", i, makeLet(v, load(A, {i[0].var}), v + v));
        QCOMPARE(b.build({&B})->flops(), -1.0);
    }

    void conformance() {
        int checked = 0;
        for (const ConformanceRecord &record : conformanceRecords()) {
            const DagPtr dag = conformanceDag(record.workload, record.args);
            if (!dag) continue;
            const auto json = nlohmann::json::parse(record.line);
            QCOMPARE(dag->text(DagTextMode::Normal), json.at("dag").get<std::string>());
            QCOMPARE(dag->text(DagTextMode::Simple), json.at("simple").get<std::string>());
            QCOMPARE(dag->key(), json.at("key").get<std::string>());
            QCOMPARE(dag->flops(), json.at("flop").get<double>());
            ++checked;
        }
        QCOMPARE(checked, 28);
    }
};

LOOPSCOPE_TEST(DagTextTest)
#include "dag_text_test.moc"
