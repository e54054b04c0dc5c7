// What a candidate is scored by: features of the nest Ansor counts, an estimate of the code that is made of it.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "harness/transposed_dag.h"
#include "search/candidate.h"
#include "search/cost/processor_estimate.h"
#include "search/features/features.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

struct Costs {
    double draft = 0; // of the candidate
    double nest = 0;  // of the nest its features are counted on
    bool sameRows = false;
};

Costs costsOf(const DagPtr &dag, const Steps &steps) {
    Target target = parseTarget("llvm -mcpu=skylake-avx512 -num-cores=1");
    Candidate candidate;
    candidate.steps = steps;
    Scratch scratch;
    std::string reason;
    if (!evaluate(dag, target, candidate, scratch, reason)) throw std::runtime_error(reason);

    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const Outcome<LoopState> state = replay(dag, steps);
    const Outcome<BoundedState> bounded = inferBounds(*state, arena);
    const Outcome<LoopProgram> nest = buildLoopNest(*bounded, {.forFeatures = true});
    std::vector<StageFeatures> rows;
    extractFeatures(*nest, target, rows);
    bool same = rows.size() == candidate.rows->size();
    for (size_t i = 0; same && i < rows.size(); ++i) same = rows[i].row == (*candidate.rows)[i];
    return {candidate.draft, processorCycles(*nest, target), same};
}

} // namespace

class CandidateTest : public QObject {
    Q_OBJECT
  private slots:
    void termsKnownToBeZeroCostNothing();
    void termsOfTilesThatBeginAnywhereCount();
};

/// Of a transposed convolution with stride 2 half of the products are zeros that no code is made for: a tile of 32
/// results times one vector is two of 16, which stay in registers.
void CandidateTest::termsKnownToBeZeroCostNothing() {
    const StageId conv(3);
    const DagPtr dag = transposedDag({.in = 30, .stride = 2, .kernel = 6, .channels = 256, .results = 16});
    Steps steps = {SplitStep{conv, IterId(0), 64, {32}, true},
                   ReorderStep{conv, {IterId(0), IterId(3), IterId(4), IterId(1), IterId(2)}},
                   AnnotateStep{conv, IterId(4), Annotation::Vectorize}};
    const Costs transposed = costsOf(dag, steps);
    QVERIFY(transposed.sameRows);
    QVERIFY2(transposed.draft < 0.6 * transposed.nest,
             qPrintable(QStringLiteral("%1 of %2").arg(transposed.draft).arg(transposed.nest)));

    // Without such zeros the two are one.
    const Costs product = costsOf(matmulDag(64, 64, 64), {});
    QVERIFY(product.sameRows && product.draft > 0);
    QCOMPARE(product.draft, product.nest);
}

/// Tiles of three: a phase of theirs has two or three of five terms, which is known only where the tile begins.
void CandidateTest::termsOfTilesThatBeginAnywhereCount() {
    const StageId conv(3);
    const DagPtr dag = transposedDag({.in = 30, .stride = 2, .kernel = 5, .channels = 256, .results = 16});
    const Steps steps = {SplitStep{conv, IterId(0), 63, {3}, true},
                         ReorderStep{conv, {IterId(0), IterId(3), IterId(4), IterId(1), IterId(2)}},
                         AnnotateStep{conv, IterId(4), Annotation::Vectorize}};
    const Costs costs = costsOf(dag, steps);
    QVERIFY2(costs.draft > 0.5 * costs.nest && costs.draft < 1.5 * costs.nest,
             qPrintable(QStringLiteral("%1 of %2").arg(costs.draft).arg(costs.nest)));
}

LOOPSCOPE_TEST(CandidateTest)
#include "candidate_test.moc"
