// The estimate for GPUs: what lanes ask of memory, and the right order of schedules where the better one is known.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "schedule/steps_json.h"
#include "search/cost/cycle_parts.h"
#include "search/cost/draft_estimate.h"
#include "search/cost/warp_access.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <map>

using namespace loopscope;

namespace gpu_estimate_test {

namespace {

Lanes strided(int32_t stride) {
    Lanes lanes{};
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<int32_t>(i) * stride;
    return lanes;
}

template <typename Use> auto withNest(const DagPtr &dag, const char *steps, const Use &use) {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const Outcome<LoopState> state = replay(dag, stepsFromJson(nlohmann::json::parse(steps)));
    if (!state) qFatal("%s", state.why().c_str());
    const Outcome<BoundedState> bounded = inferBounds(*state, arena);
    if (!bounded) qFatal("%s", bounded.why().c_str());
    return use(*buildLoopNest(*bounded));
}

double estimated(const DagPtr &dag, const char *steps, const Target &target) {
    return withNest(dag, steps, [&](const LoopProgram &nest) { return draftEstimateFor(target.kind)(nest, target); });
}

std::map<CycleKind, double> shares(const DagPtr &dag, const char *steps, const Target &target) {
    return withNest(dag, steps, [&](const LoopProgram &nest) {
        std::map<CycleKind, double> share;
        double all = 0;
        for (const CyclePart &part : estimatePartsFor(target.kind)(nest, target)) {
            share[part.kind] += part.cycles;
            all += part.cycles;
        }
        for (auto &[kind, cycles] : share) cycles /= all;
        return share;
    });
}

Target gpu(const char *text = "cuda -model=a100") { return parseTarget(text); }

// C = A*B of 1024: one thread an element, along rows or along columns; a sketch's tiles in shared memory; nothing
// bound.
constexpr const char *kAlongRows = R"([["SP",2,1,1024,[256],1],["FU",2,[0,1]],["AN",2,0,5],["AN",2,1,6]])";
constexpr const char *kAlongColumns =
    R"([["SP",2,0,1024,[256],1],["RE",2,[0,2,1,3]],["FU",2,[0,1]],["AN",2,0,5],["AN",2,1,6]])";
constexpr const char *kTiled = R"([["CHW",2,"local"],["SP",2,0,1024,[2,16,4,1],1],["SP",2,5,1024,[2,16,4,1],1],
["SP",2,10,1024,[8,1],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
["FU",3,[0,1]],["SP",3,0,1024,[4],1],["AN",3,1,2],["FFSP",3,0,[2,1],1,1],["AN",3,1,6],
["FU",1,[0,1]],["SP",1,0,1024,[4],1],["AN",1,1,2],["FFSP",1,0,[2,1],1,1],["AN",1,1,6],
["PR",4,0,"auto_unroll_max_step$512"]])";

} // namespace

class GpuEstimateTest : public QObject {
    Q_OBJECT
  private slots:
    void sectorsOfAWarp() {
        QCOMPARE(sectorsTouched(strided(1), 4, 4, 32), 4);
        QCOMPARE(sectorsTouched(strided(2), 4, 4, 32), 8);
        QCOMPARE(sectorsTouched(strided(1024), 4, 4, 32), 32);
        QCOMPARE(sectorsTouched(strided(0), 4, 4, 32), 1);
        QCOMPARE(sectorsTouched(strided(4), 4, 16, 32), 16); // float4 side by side
        QCOMPARE(sectorsTouched(strided(1), 2, 2, 32), 2);
        QCOMPARE(sectorsTouched(strided(1), 4, 4, 8), 1); // a part of a warp
    }

    void banksOfAWarp() {
        QCOMPARE(bankRounds(strided(1), 4, 4, 32), 1);
        QCOMPARE(bankRounds(strided(0), 4, 4, 32), 1); // one word for all
        QCOMPARE(bankRounds(strided(2), 4, 4, 32), 2);
        QCOMPARE(bankRounds(strided(32), 4, 4, 32), 32);
        QCOMPARE(bankRounds(strided(33), 4, 4, 32), 1);
        QCOMPARE(bankRounds(strided(4), 4, 16, 32), 4); // four eighths of a warp, without conflicts
        QCOMPARE(bankRounds(strided(1), 8, 8, 32), 2);
    }

    void lanesFollowFusedThreads() {
        const ArenaPtr arena = std::make_shared<ExprArena>();
        const ArenaScope scope(arena);
        const Expr thread = makeVar("t");
        Buffer buffer;
        buffer.shape = {64, 100};
        const Expr row = makeBinary(ExprKind::FloorDiv, thread, makeInt(8));
        const Expr column = makeBinary(ExprKind::FloorMod, thread, makeInt(8));
        const std::array<Expr, 2> indices = {row, column};
        const std::array<LaneVar, 1> vars = {LaneVar{thread.node(), strided(1)}};
        const Lanes offsets = laneOffsets(buffer, indices, vars);
        QCOMPARE(offsets[7], 7);
        QCOMPARE(offsets[8], 100);
        QCOMPARE(offsets[31], 307);
    }

    void thePartsAreTheEstimate() {
        const DagPtr dag = matmulDag(1024, 1024, 1024);
        for (const char *steps : {"[]", kAlongRows, kAlongColumns, kTiled}) {
            const double whole = estimated(dag, steps, gpu());
            const double parts = withNest(dag, steps, [&](const LoopProgram &nest) {
                double sum = 0;
                for (const CyclePart &part : estimatePartsFor(TargetKind::Cuda)(nest, gpu())) sum += part.cycles;
                return sum;
            });
            QVERIFY(whole > 0);
            QVERIFY2(std::fabs(parts / whole - 1) < 1e-9, qPrintable(QString::number(parts / whole)));
        }
    }

    void betterSchedulesOfAMatmulComeFirst() {
        const DagPtr dag = matmulDag(1024, 1024, 1024);
        const double naive = estimated(dag, "[]", gpu());
        const double columns = estimated(dag, kAlongColumns, gpu());
        const double rows = estimated(dag, kAlongRows, gpu());
        const double tiled = estimated(dag, kTiled, gpu());
        qInfo("cycles: naive %.3g, along columns %.3g, along rows %.3g, tiled %.3g", naive, columns, rows, tiled);
        QVERIFY(naive > 20 * columns);
        QVERIFY(columns > 2 * rows);
        QVERIFY(rows > 2 * tiled);
        // No faster than the GPU's arithmetic, and within some times of it.
        const Target target = gpu();
        const double least = std::pow(1024.0, 3) / (target.gpu.multiprocessors * target.gpu.floatsPerCycle);
        QVERIFY(tiled > least && tiled < 8 * least);
    }

    void largerGpusAreFaster() {
        const DagPtr dag = matmulDag(1024, 1024, 1024);
        const auto seconds = [&](const char *text) {
            return estimated(dag, kTiled, gpu(text)) / gpu(text).gpu.clockGHz;
        };
        QVERIFY(seconds("cuda -model=t4") > seconds("cuda -model=a100"));
        QVERIFY(seconds("cuda -model=jetson-nano") > 10 * seconds("cuda -model=t4"));
    }

    void copiesAreBoundByMemory() {
        const DagPtr dag = elementwiseDag(8192, 4096);
        const auto spent = shares(dag, R"([["CI",1],["CI",2],["FU",3,[0,1]],["SP",3,0,33554432,[256],1],["AN",3,0,5],
                                           ["AN",3,1,6]])",
                                  gpu());
        QVERIFY(spent.at(CycleKind::MemoryLoads) > 0.5);
    }
};

LOOPSCOPE_TEST(GpuEstimateTest)

} // namespace gpu_estimate_test
#include "gpu_estimate_test.moc"
