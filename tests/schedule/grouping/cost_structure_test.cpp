// A point costs what it costs by itself, whichever node of the same structure was priced before.

#include "schedule/grouping/cost_structure.h"

#include "language/dag/compute_dag.h"
#include "language/expr/arena.h"
#include "language/te/workload.h"
#include "random_pipeline.h"
#include "schedule/grouping/group_evaluation.h"
#include "schedule/grouping/inlining.h"
#include "schedule/grouping/point_cost.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <set>

using namespace loopscope;

namespace {

Pipeline pipelineBeforeGrouping(const DagPtr &dag) {
    Pipeline pipeline = pipelineOf(dag);
    inlineEarly(pipeline);
    return pipeline;
}

Pipeline sample(const char *name) {
    return pipelineBeforeGrouping(ComputeDag::fromWorkload(
        loadWorkload(std::string(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/") + name + ".te", {})));
}

/// Stages that are left after early inlining, and that may be put in the place of their loads.
std::vector<int> inlinable(const Pipeline &pipeline) {
    std::vector<int> stages;
    for (size_t s = 0; s < pipeline.stages.size(); ++s) {
        const PipelineStage &stage = pipeline.stages[s];
        if (!stage.removed && !stage.output && stage.pure() && pipeline.node(stage.nodes.front()).places.empty())
            stages.push_back(static_cast<int>(s));
    }
    return stages;
}

PointCost pricedAlone(const Pipeline &pipeline, int node, const std::vector<bool> &inlined, GroupingMode mode) {
    ExprArena arena;
    const ArenaScope scope(arena);
    std::vector<Expr> values;
    for (size_t i = 0; i < pipeline.node(node).values.size(); ++i)
        values.push_back(inlinedValue(pipeline, node, i, inlined));
    std::vector<Expr> places;
    for (const Expr place : pipeline.node(node).places) places.push_back(inlinedInto(pipeline, place, inlined));
    return costOfNode(pipeline, node, values, places,
                      mode == GroupingMode::Compat ? IndexCost::Counted : IndexCost::Free);
}

} // namespace

class CostStructureTest : public QObject {
    Q_OBJECT

  private slots:
    /// Every stage of the chain is the stencil of the one before it.
    void stagesOfAChainAreAlike() {
        const Pipeline chain = sample("stencil_chain");
        std::set<std::vector<uint64_t>> texts;
        int pairs = 0;
        for (const int stage : inlinable(chain))
            for (size_t node = 0; node < chain.nodes.size(); ++node) {
                std::vector<bool> inlined(chain.stages.size(), false);
                inlined[static_cast<size_t>(stage)] = true;
                const CostStructure structure = costStructureOf(chain, static_cast<int>(node), inlined);
                const auto &met = structure.buffers;
                if (std::find(met.begin() + 1, met.end(), stage) == met.end()) continue;
                texts.insert(structure.text);
                ++pairs;
            }
        QVERIFY2(pairs >= 30, qPrintable(QString::number(pairs)));
        QVERIFY2(texts.size() <= 4, qPrintable(QString::number(texts.size())));
    }

    void whatDiffersHasAnotherText() {
        std::set<std::vector<uint64_t>> texts;
        const std::vector<const char *> bodies = {"f[i + 1] + 1",     "f[i + 1] + 2",          "f[i + 1] - 1",
                                                  "f[i + 1] + f[i]",  "f[i + 1] + f[i + 1]",   "f[i + 1] + in[i]",
                                                  "f[i + 1] * in[i]", "select(i < 3, f[i], 1)"};
        for (const char *body : bodies)
            for (const char *inner : {"exp(in[i]) * in[i]", "exp(in[i]) + in[i + 1]"}) {
                const Pipeline pipeline = pipelineBeforeGrouping(ComputeDag::fromWorkload(
                    parseWorkload("workload w()\nin = placeholder [66] float32\nf(i < 65) = " + std::string(inner) +
                                      "\nother(i < 32) = f[i] * f[2 * i]\nout(i < 64) = " + body + "\n",
                                  "a test")));
                std::vector<bool> inlined(pipeline.stages.size(), false);
                inlined[static_cast<size_t>(pipeline.stageNamed("f"))] = true;
                const int out = pipeline.lastNode(pipeline.stageNamed("out"));
                texts.insert(costStructureOf(pipeline, out, inlined).text);
                texts.insert(costStructureOf(pipeline, out, std::vector<bool>(inlined.size(), false)).text);
            }
        // What is not inlined tells nothing of its body.
        QCOMPARE(texts.size(), bodies.size() * 3);
    }

    void costsAreThoseOfEachAlone() {
        int compared = 0;
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Random random(seed, 3);
            const Pipeline pipeline = pipelineBeforeGrouping(ComputeDag::fromWorkload(parseWorkload(
                seed % 2 == 0 ? randomPipeline(random) : randomOrderedPipeline(random), "a random pipeline")));
            const std::vector<int> stages = inlinable(pipeline);
            for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
                GroupEvaluation evaluation(pipeline, {}, mode);
                for (int draw = 0; draw < 40; ++draw) {
                    const auto node = static_cast<int>(random.index(pipeline.nodes.size()));
                    if (pipeline.stageOf(node).removed) continue;
                    std::vector<bool> inlined(pipeline.stages.size(), false);
                    for (const int stage : stages)
                        inlined[static_cast<size_t>(stage)] =
                            stage != pipeline.node(node).stage && random.below(3) == 0;
                    const PointCost alone = pricedAlone(pipeline, node, inlined, mode);
                    const PointCost &cost = evaluation.pointCost(node, inlined);
                    QCOMPARE(cost.arith, alone.arith);
                    QCOMPARE(cost.placeBytes, alone.placeBytes);
                    QVERIFY(cost.bytes == alone.bytes);
                    ++compared;
                }
            }
        }
        QVERIFY2(compared > 1000, qPrintable(QString::number(compared)));
    }
};

LOOPSCOPE_TEST(CostStructureTest)
#include "cost_structure_test.moc"
