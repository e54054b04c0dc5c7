// The analytic estimate: chosen by kind of target, and in the right order where the better schedule is obvious.

#include "cost/draft_estimate.h"
#include "harness/sample_dags.h"
#include "lower/lower.h"

#include <QtTest>

using namespace loopscope;

namespace {

double estimated(const DagPtr &dag, const Steps &steps, const Target &target) {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const Outcome<LoopState> state = replay(dag, steps);
    const Outcome<BoundedState> bounded = inferBounds(*state, arena);
    return draftEstimateFor(target.kind)(*buildLoopNest(*bounded), target);
}

} // namespace

class DraftEstimateTest : public QObject {
    Q_OBJECT
  private slots:
    void everyKindOfTargetHasItsOwnOrNone() {
        QVERIFY(draftEstimateFor(TargetKind::Llvm) != nullptr);
        QVERIFY(draftEstimateFor(TargetKind::Cuda) == nullptr);
    }

    void processorsLikeVectorsAndCores() {
        Target target;
        target.hardware.numCores = 4;
        const DagPtr dag = matmulDag(256, 256, 256);
        const Steps inner = {ReorderStep{StageId(2), {IterId(0), IterId(2), IterId(1)}}};
        Steps vectors = inner;
        vectors.emplace_back(AnnotateStep{StageId(2), IterId(2), Annotation::Vectorize});
        Steps parallel = vectors;
        parallel.emplace_back(AnnotateStep{StageId(2), IterId(0), Annotation::Parallel});
        const double naive = estimated(dag, {}, target);
        QVERIFY(naive > 0);
        QVERIFY(estimated(dag, vectors, target) < estimated(dag, inner, target));
        QVERIFY(estimated(dag, parallel, target) < estimated(dag, vectors, target));
        QVERIFY(estimated(dag, parallel, target) < naive);
    }

    /// One accumulator waits four cycles for each product of its sum, unless the sum is so short that the next ones,
    /// with accumulators of their own, begin meanwhile.
    void shortSumsOverlap() {
        const Target target;
        const DagPtr dag = matmulDag(64, 64, 256);
        const auto summedIn = [&](int64_t length) {
            return estimated(dag,
                             {SplitStep{StageId(2), IterId(1), 64, {16}, true},
                              SplitStep{StageId(2), IterId(3), 256, {length}, true},
                              ReorderStep{StageId(2), {IterId(0), IterId(3), IterId(1), IterId(4), IterId(2)}},
                              AnnotateStep{StageId(2), IterId(4), Annotation::Vectorize}},
                             target);
        };
        QVERIFY2(summedIn(8) < 0.75 * summedIn(256),
                 qPrintable(QStringLiteral("%1 and %2").arg(summedIn(8)).arg(summedIn(256))));
    }

    void programsAfterOneAnotherDoNotMeet() {
        Target target;
        const DagPtr conv = conv2dBiasReluNchwDag();
        const DagPtr matmul = matmulDag(256, 256, 256);
        const double first = estimated(conv, {}, target);
        const double other = estimated(matmul, {}, target);
        QVERIFY(first != other);
        QCOMPARE(estimated(conv, {}, target), first);
        QCOMPARE(estimated(matmul, {}, target), other);
    }
};

QTEST_GUILESS_MAIN(DraftEstimateTest)
#include "draft_estimate_test.moc"
