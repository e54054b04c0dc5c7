// The analytic estimate: chosen by kind of target, and in the right order where the better schedule is obvious.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "search/cost/cycle_parts.h"
#include "search/cost/draft_estimate.h"
#include "test_program.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <string>

using namespace loopscope;

namespace {

template <typename Use> auto withNest(const DagPtr &dag, const Steps &steps, const Use &use) {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const Outcome<LoopState> state = replay(dag, steps);
    const Outcome<BoundedState> bounded = inferBounds(*state, arena);
    return use(*buildLoopNest(*bounded));
}

double estimated(const DagPtr &dag, const Steps &steps, const Target &target) {
    return withNest(dag, steps, [&](const LoopProgram &nest) { return draftEstimateFor(target.kind)(nest, target); });
}

/// Share of the cycles by kind, and of each where most are spent: the name of the loop, or of the stored buffer.
struct Spent {
    double cycles = 0;
    std::map<CycleKind, double> share;
    std::map<CycleKind, std::string> where;
};
Spent spentBy(const DagPtr &dag, const Steps &steps, const Target &target) {
    return withNest(dag, steps, [&](const LoopProgram &nest) {
        Spent spent;
        std::map<CycleKind, double> most;
        for (const CyclePart &part : estimatePartsFor(target.kind)(nest, target)) {
            spent.cycles += part.cycles;
            spent.share[part.kind] += part.cycles;
            if (part.cycles <= most[part.kind]) continue;
            most[part.kind] = part.cycles;
            spent.where[part.kind] =
                part.where->kind == StmtKind::For ? part.where->iterName : part.where->buffer->name;
        }
        for (auto &[kind, share] : spent.share) share /= spent.cycles;
        return spent;
    });
}

} // namespace

class DraftEstimateTest : public QObject {
    Q_OBJECT
  private slots:
    void everyKindOfTargetHasItsOwnOrNone() {
        QVERIFY(draftEstimateFor(TargetKind::Llvm) != nullptr);
        QVERIFY(draftEstimateFor(TargetKind::Cuda) != nullptr);
        QVERIFY(estimatePartsFor(TargetKind::Llvm) != nullptr);
        QVERIFY(estimatePartsFor(TargetKind::Cuda) != nullptr);
    }

    void thePartsAreTheEstimate() {
        Target target;
        target.hardware.numCores = 4;
        for (const DagPtr &dag : {matmulDag(256, 256, 256), conv2dBiasReluNchwDag(), softmaxDag(), elementwiseDag()}) {
            for (const Steps &steps :
                 {Steps{}, Steps{AnnotateStep{StageId(dag->ops().size() - 1), IterId(0), Annotation::Parallel}}}) {
                const double whole = estimated(dag, steps, target);
                const double parts = spentBy(dag, steps, target).cycles;
                QVERIFY2(std::fabs(parts / whole - 1) < 1e-9,
                         qPrintable(QStringLiteral("%1 and %2").arg(parts).arg(whole)));
            }
        }
    }

    /// One accumulator waits for its sum; columns of B leave the caches where they are long.
    void whatBoundsIsNamedWithItsLoop() {
        const Target target;
        const Spent waiting = spentBy(matmulDag(64, 64, 64), {}, target);
        QVERIFY(waiting.share.at(CycleKind::Latency) > 0.5);
        QCOMPARE(waiting.where.at(CycleKind::Latency), std::string("C"));
        QCOMPARE(waiting.where.at(CycleKind::LoopOverhead), std::string("k"));
        QVERIFY(!waiting.share.contains(CycleKind::MemoryLoads)); // 48 KiB in all
        const Spent large = spentBy(matmulDag(2048, 2048, 2048), {}, target);
        QVERIFY(large.share.contains(CycleKind::MemoryLoads));
        QVERIFY(large.share.contains(CycleKind::L2Loads));
        // A packed column of B stays in the first cache while k runs; all of them do not stay while j runs.
        QCOMPARE(large.where.at(CycleKind::L2Loads), std::string("j"));
        const Spent parallel =
            spentBy(matmulDag(64, 64, 64), {AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}}, target);
        QCOMPARE(parallel.where.at(CycleKind::ThreadStart), std::string("i"));
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

    /// What a kernel does to its input is done once for all channels of a tile, and a scale per channel is a row of
    /// numbers whatever its dims are.
    void whatALoopDoesNotChangeIsComputedOnce() {
        const Target target;
        const auto product = [](const std::vector<int64_t> &scaleDims) { // none: there is no scale
            DagBuilder b;
            const Tensor &data = b.placeholder("data", {256, 784});
            const auto sum = axes({"f", "x"}, {128, 784});
            const Axis k = axis("k", 256);
            Expr value = load(data, {k.var, sum[1].var});
            if (!scaleDims.empty()) {
                const Tensor &scale = b.placeholder("scale", scaleDims);
                const Expr zero = makeInt(0);
                const Expr factor =
                    scaleDims.size() == 1 ? load(scale, {k.var}) : load(scale, {zero, k.var, zero, zero});
                value = maxOf(value * factor + makeFloat(1), makeFloat(0));
            }
            const Tensor &weight = b.placeholder("weight", {256, 128});
            const Tensor &out = b.reduce("out", sum, ReduceKind::Sum, {k}, value * load(weight, {k.var, sum[0].var}));
            return b.build({&out});
        };
        const auto cycles = [&](const DagPtr &dag) {
            const StageId out(static_cast<int>(dag->ops().size()) - 1);
            return estimated(dag,
                             {SplitStep{out, IterId(0), 128, {8}, true}, SplitStep{out, IterId(2), 784, {16}, true},
                              ReorderStep{out, {IterId(0), IterId(2), IterId(4), IterId(1), IterId(3)}},
                              AnnotateStep{out, IterId(4), Annotation::Vectorize}},
                             target);
        };
        const double plain = cycles(product({}));
        const double scaled = cycles(product({256}));
        QVERIFY2(scaled > plain && scaled < 1.6 * plain,
                 qPrintable(QStringLiteral("%1 and %2").arg(scaled).arg(plain)));
        QCOMPARE(cycles(product({1, 256, 1, 1})), scaled);
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

LOOPSCOPE_TEST(DraftEstimateTest)
#include "draft_estimate_test.moc"
