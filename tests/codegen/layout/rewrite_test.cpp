// Workloads in which tensors lie in other layouts: the texts before and after, equal answers over random DAGs and
// layouts, one copy however often layouts are applied, and a refusal for each rule.

#include "codegen/layout/rewrite.h"
#include "harness/random_dag.h"
#include "language/dag/stays_in_memory.h"
#include "random_layouts.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace rewrite_test {

namespace {

DagPtr dagOf(const Workload &workload) { return ComputeDag::fromWorkload(workload); }
DagPtr dagOf(const std::string &text) { return dagOf(parseWorkload(text, "test")); }

Layout layoutText(const std::string &text, std::vector<int64_t> shape, const std::vector<std::string> &names = {}) {
    auto layout = parseLayout(text, std::move(shape), names);
    if (!layout) qFatal("%s", layout.why().c_str());
    return layout.value();
}

RewrittenWorkload rewritten(const ComputeDag &dag, const LayoutRequest &request) {
    auto result = rewriteForLayout(dag, request);
    if (!result) qFatal("%s", result.why().c_str());
    return std::move(result).value();
}

QString refusalOf(const ComputeDag &dag, const LayoutRequest &request) {
    const auto result = rewriteForLayout(dag, request);
    return QString::fromStdString(result ? "legal" : result.why());
}

constexpr const char *kMatmul = R"(workload matmul()

A = placeholder [24, 37] float32
B = placeholder [37, 41] float32
C(i < 24, j < 41) =
    sum(k < 37; (A[i, k] * B[k, j]))
)";

} // namespace

class RewriteTest : public QObject {
    Q_OBJECT

  private slots:
    void panelOfAMatrix() {
        const DagPtr dag = dagOf(std::string(kMatmul));
        const auto result = rewritten(*dag, {.tensor = "B", .layout = layoutText("[d1/16][d0][16]", {37, 41})});
        QCOMPARE(QString::fromStdString(result.text), R"(workload matmul()

A = placeholder [24, 37] float32
B = placeholder [37, 41] float32
B_packed(j_o < 3, k < 37, j_i < 16) =
    if_then_else((((j_o * 16) + j_i) < 41), B[k, ((j_o * 16) + j_i)], 0.0)
    @layout["[d1/16][d0][16]", "37", "41"]
C(i < 24, j < 41) =
    sum(k < 37; (A[i, k] * B_packed[(j // 16), k, (j % 16)]))
)");
        QCOMPARE(result.stored, "B_packed");
        QVERIFY(result.by == LaidOutBy::CopyStage);
        QVERIFY(sameAnswers(*dag, result, 1));
        const DagPtr other = dagOf(result.workload);
        QVERIFY(other->key() != dag->key());
        // The text is the workload.
        QCOMPARE(printWorkload(other->name(), other->ops(), other->args()), result.text);
    }

    void constantsArePackedByAWorkloadOfTheirOwn() {
        const DagPtr dag = dagOf(std::string(kMatmul) + "    @layout_free_placeholders[\"B\"]\n");
        const auto result = rewritten(*dag, {.tensor = "B", .layout = layoutText("[d1][d0]", {37, 41})});
        QCOMPARE(QString::fromStdString(result.text), R"(workload matmul()

A = placeholder [24, 37] float32
B_packed = placeholder [41, 37] float32
C(i < 24, j < 41) =
    sum(k < 37; (A[i, k] * B_packed[j, k]))
)");
        QVERIFY(result.by == LaidOutBy::Prepack);
        QVERIFY(result.prepack.has_value());
        const DagPtr prepack = dagOf(*result.prepack);
        QCOMPARE(printWorkload(prepack->name(), prepack->ops(), prepack->args()), R"(workload matmul_prepack()

B = placeholder [37, 41] float32
B_packed(j < 41, k < 37) =
    B[k, j]
    @layout["[d1][d0]", "37", "41"]
)");
        QVERIFY(sameAnswers(*dag, result, 2));
    }

    void producersStoreTheNewLayout() {
        const DagPtr dag = dagOf(R"(workload two()
A = placeholder [10, 12] float32
S(i < 10) = sum(k < 12; A[i, k])
T(i < 10, j < 7) = A[i, j] * S[i]
U(j < 7) = sum(i < 10; T[i, j])
)");
        const auto result = rewritten(*dag, {.tensor = "T", .layout = layoutText("[d1/4][d0][4]", {10, 7})});
        QCOMPARE(QString::fromStdString(result.text), R"(workload two()

A = placeholder [10, 12] float32
S(i < 10) =
    sum(k < 12; A[i, k])
T(j_o < 2, i < 10, j_i < 4) =
    if_then_else((((j_o * 4) + j_i) < 7), (A[i, ((j_o * 4) + j_i)] * S[i]), 0.0)
    @layout["[d1/4][d0][4]", "10", "7"]
U(j < 7) =
    sum(i < 10; T[(j // 4), i, (j % 4)])
)");
        QVERIFY(result.by == LaidOutBy::Producer);
        QVERIFY(sameAnswers(*dag, result, 3));
        // Sums, too, and twice: the attribute says how the tensor of the first text lies.
        const DagPtr other = dagOf(result.workload);
        const auto again = rewritten(*other, {.tensor = "T", .layout = layoutText("[d0][d2][d1]", {2, 10, 4})});
        QVERIFY(again.by == LaidOutBy::Producer);
        QVERIFY(again.text.find("@layout[\"[d1/4][4][d0]\", \"10\", \"7\"]") != std::string::npos);
        QVERIFY(sameAnswers(*dag, again, 4));
        const auto sum = rewritten(*dag, {.tensor = "S", .layout = layoutText("[d0%3][d0/3]", {10})});
        QVERIFY(sum.by == LaidOutBy::Producer);
        QVERIFY(sameAnswers(*dag, sum, 5));
    }

    void readsUnderAnything() {
        const DagPtr dag = dagOf(R"(workload anything()
p = placeholder [9, 8] int32
q = placeholder [9, 8] float32
r(i < 9, j < 8) = select(p[i, j] > 2, q[8 - i, j], exp(float32(p[i, 7 - j]))) + max(q[i, j], q[clamp(p[i, j], 0, 8), j])
s(i < 9) = sum(j < 8 where p[i, j] > 0; r[i, j])
)");
        for (const char *tensor : {"p", "q", "r"}) {
            const auto result = rewritten(*dag, {.tensor = tensor, .layout = layoutText("[d1/3][d0][3]", {9, 8})});
            for (const char *read : {"p[", "q[", "r["})
                if (*read == *tensor && result.by == LaidOutBy::CopyStage) {
                    // The copy alone reads what it copies.
                    const size_t first = result.text.find(read);
                    QVERIFY(first != std::string::npos);
                    QCOMPARE(result.text.find(read, first + 1), std::string::npos);
                }
            QVERIFY(sameAnswers(*dag, result, 6));
        }
    }

    void layoutsOfLayoutsAreOneCopy() {
        const DagPtr dag = dagOf(std::string(kMatmul));
        const auto once = rewritten(*dag, {.tensor = "B", .layout = layoutText("[d1/16][d0][16]", {37, 41})});
        const DagPtr packed = dagOf(once.workload);
        QCOMPARE(copiesIn(*packed), 1);
        const auto twice =
            rewritten(*packed, {.tensor = "B_packed", .layout = layoutText("[d1][d0][d2]", {3, 37, 16})});
        const DagPtr both = dagOf(twice.workload);
        QCOMPARE(copiesIn(*both), 1);
        QCOMPARE(QString::fromStdString(twice.text), R"(workload matmul()

A = placeholder [24, 37] float32
B = placeholder [37, 41] float32
B_packed(k < 37, j < 48) =
    if_then_else((j < 41), B[k, j], 0.0)
    @layout["[d0][d1+7]", "37", "41"]
C(i < 24, j < 41) =
    sum(k < 37; (A[i, k] * B_packed[k, j]))
)");
        QVERIFY(sameAnswers(*dag, twice, 7));
        // The same layout again is there already; what swaps twice is no copy at all.
        const auto same = rewritten(
            *packed, {.tensor = "B", .layout = layoutText("[d1/16][d0][16]", {37, 41}), .readers = {"B_packed"}});
        QCOMPARE(copiesIn(*dagOf(same.workload)), 1);
        const auto swapped = rewritten(*dag, {.tensor = "B", .layout = layoutText("[d1][d0]", {37, 41})});
        const auto back =
            rewritten(*dagOf(swapped.workload), {.tensor = "B_packed", .layout = layoutText("[d1][d0]", {41, 37})});
        QCOMPARE(back.text, std::string(kMatmul));
    }

    void tailsUnderPadding() {
        const DagPtr dag = dagOf(R"(workload padded()
data = placeholder [2, 5, 7, 7] float32
kernel = placeholder [6, 5, 3, 3] float32
conv(n < 2, f < 6, y < 7, x < 7) =
    sum(c < 5, ry < 3, rx < 3; if_then_else(y + ry >= 1 && y + ry < 8 && x + rx >= 1 && x + rx < 8,
        data[n, c, y + ry - 1, x + rx - 1], 0.0) * kernel[f, c, ry, rx])
out(n < 2, f < 6, y < 3, x < 3) = max(conv[n, f, 2*y, 2*x], conv[n, f, 2*y + 1, 2*x + 1])
)");
        for (const auto &[tensor, text] :
             {std::pair("data", "[d0][d1/4][d2][d3][4]"), std::pair("data", "[d3/4][d0][d2][d1][4]"),
              std::pair("kernel", "[d0/4][d1][d2][d3][4]"), std::pair("conv", "[d1/4][d0][d2/4][d3][d2%4][d1%4]")}) {
            const Layout layout =
                layoutText(text, tensor == std::string("data")     ? std::vector<int64_t>{2, 5, 7, 7}
                                 : tensor == std::string("kernel") ? std::vector<int64_t>{6, 5, 3, 3}
                                                                   : std::vector<int64_t>{2, 6, 7, 7});
            QVERIFY(sameAnswers(*dag, rewritten(*dag, {.tensor = tensor, .layout = layout}), 10));
        }
    }

    void identityIsNoRewrite() {
        const DagPtr dag = dagOf(std::string(kMatmul));
        for (const char *text : {"[d0][d1]", "[d0/8][8][d1]"}) {
            const auto result = rewritten(*dag, {.tensor = "B", .layout = layoutText(text, {37, 41})});
            QVERIFY(result.by == LaidOutBy::Nobody);
            QCOMPARE(result.text, std::string(kMatmul));
        }
    }

    void eachReaderItsOwn() {
        const DagPtr dag = dagOf(R"(workload both()
A = placeholder [5, 6] float32
B = placeholder [6, 6] float32
C(i < 5, j < 6) = sum(k < 6; A[i, k] * B[k, j])
D(i < 5, j < 6) = sum(k < 6; A[i, k] * B[j, k])
)");
        const auto result =
            rewritten(*dag, {.tensor = "B", .layout = layoutText("[d1][d0]", {6, 6}), .readers = {"D"}});
        QVERIFY(result.text.find("B_packed(") != std::string::npos);
        QVERIFY(result.text.find("B[k, j]))") != std::string::npos);        // of C, as it was
        QVERIFY(result.text.find("B_packed[k, j]))") != std::string::npos); // of D
        QVERIFY(sameAnswers(*dag, result, 8));
    }

    void randomDagsAndLayouts() {
        int copies = 0;
        int producers = 0;
        int composedOnes = 0;
        for (uint64_t draw = 0; draw < 250; ++draw) {
            Random random(21, draw);
            const DagPtr drawn = randomDag(random, {.maxWork = 4000, .ordered = draw % 4 == 1});
            DagPtr dag;
            try {
                dag = dagOf(printWorkload(drawn->name(), drawn->ops(), drawn->args()));
            } catch (const Error &) {
                continue; // reads beside a tensor, which no text may
            }
            std::vector<const Tensor *> tensors;
            for (size_t i = 0; i < dag->size(); ++i)
                if (!dag->access(i).consumers.empty())
                    for (const auto &output : dag->op(i).outputs) tensors.push_back(output.get());
            const Tensor &tensor = *tensors[random.index(tensors.size())];
            const auto readers = rewriteForLayout(*dag, {.tensor = tensorText(tensor),
                                                         .layout = drawnLayout(random, tensor.shape),
                                                         .copyOnly = random.below(3) == 0});
            if (!readers) { // one of several outputs that nobody reads
                QVERIFY2(readers.why().find("nobody reads it") != std::string::npos, readers.why().c_str());
                continue;
            }
            copies += readers->by == LaidOutBy::CopyStage ? 1 : 0;
            producers += readers->by == LaidOutBy::Producer ? 1 : 0;
            QVERIFY2(sameAnswers(*dag, *readers, draw), readers->text.c_str());
            const DagPtr other = dagOf(readers->workload);
            QCOMPARE(printWorkload(other->name(), other->ops(), other->args()), readers->text);
            if (readers->by == LaidOutBy::Nobody || readers->prepack) continue;
            const auto again = rewriteForLayout(
                *other, {.tensor = readers->stored, .layout = drawnLayout(random, readers->layout.physicalShape())});
            if (!again) {
                QVERIFY2(again.why().find("blocks are shorter than what they cut") != std::string::npos,
                         again.why().c_str());
                continue;
            }
            ++composedOnes;
            QVERIFY2(sameAnswers(*dag, *again, draw), again->text.c_str());
            QVERIFY(copiesIn(*dagOf(again->workload)) <= copiesIn(*other));
        }
        QVERIFY(copies > 30);
        QVERIFY(producers > 10);
        QVERIFY(composedOnes > 40);
    }

    void refusals() {
        const DagPtr dag = dagOf(std::string(kMatmul));
        const Layout swap = layoutText("[d1][d0]", {37, 41});
        QCOMPARE(refusalOf(*dag, {.tensor = "X", .layout = swap}),
                 "layout of X: there is no such tensor; there are A, B, C");
        QCOMPARE(refusalOf(*dag, {.tensor = "A", .layout = swap}),
                 "layout of A: it has the shape [24, 37], and the layout is one of [37, 41]");
        QCOMPARE(refusalOf(*dag, {.tensor = "B", .layout = swap, .readers = {"D"}}),
                 "layout of B: D does not read it; it is read by C");
        QCOMPARE(refusalOf(*dag, {.tensor = "C", .layout = layoutText("[d1][d0]", {24, 41})}),
                 "layout of C: nobody reads it, and an output lies as its caller has it");
        const auto packed = rewritten(*dag, {.tensor = "B", .layout = swap});
        QCOMPARE(refusalOf(*dagOf(packed.workload), {.tensor = "B", .layout = swap}),
                 "layout of B: all that read it are copies of it in layouts; choose theirs");
    }
};

LOOPSCOPE_TEST(RewriteTest)

} // namespace rewrite_test
#include "rewrite_test.moc"
