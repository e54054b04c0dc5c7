// Where trials come from, as text: the chain of ancestors, what each changed, and what is said when nothing is known.

#include "harness/sample_dags.h"
#include "schedule/steps_json.h"
#include "test_program.h"
#include "views/sketch_tree/lineage.h"

#include <QTest>

using namespace loopscope;

namespace {

/// A tiled matmul: lengths of i, j, k; unrolled and, if wanted, parallel.
Steps tiled(const DagPtr &dag, std::vector<int64_t> i, std::vector<int64_t> j, int unroll, bool parallel) {
    LoopState state(dag);
    const auto apply = [&](Step step) {
        auto next = state.apply(std::move(step));
        QVERIFY2(next.ok(), next.ok() ? "" : next.why().c_str());
        state = std::move(next).value();
    };
    const StageId c(2);
    apply(SplitStep{c, IterId(0), 512, std::move(i)});
    apply(SplitStep{c, IterId(3), 512, std::move(j)});
    apply(PragmaStep{c, IterId(0), "auto_unroll_max_step$" + std::to_string(unroll)});
    if (parallel) apply(AnnotateStep{c, IterId(0), Annotation::Parallel});
    return state.steps();
}

std::shared_ptr<Ancestor> child(const std::shared_ptr<const Ancestor> &parent, const Steps &steps, int generation,
                                std::string_view mutation, float score) {
    auto ancestor = makeDescendant(parent, parent->steps(), steps);
    ancestor->round = parent->round;
    ancestor->generation = generation;
    ancestor->mutation = mutation;
    ancestor->score = score;
    return ancestor;
}

} // namespace

class LineageTest : public QObject {
    Q_OBJECT

    DagPtr m_dag;
    Document m_document;

    TrialEntry &add(double seconds, std::shared_ptr<const Ancestor> ancestry, int sketch) {
        TrialEntry entry;
        entry.sketch = sketch;
        if (seconds > 0) {
            entry.trial.seconds = {seconds, seconds, seconds};
        } else {
            entry.trial.error = TrialError::RunTimeout;
            entry.trial.reason = "no answer within 10 s";
        }
        entry.ancestry = std::move(ancestry);
        m_document.trials.push_back(std::move(entry));
        return m_document.trials.back();
    }
    QString text(int trial) { return lineageText(makeLineage(lineageInput(m_document, trial))); }

  private slots:
    void init() {
        m_dag = matmulDag();
        m_document = {};
        m_document.task = std::make_shared<Task>(makeTask(m_dag, Target{}));
    }

    void fromTheSketchToTheTrial() {
        auto origin = makeOrigin(tiled(m_dag, {4, 8}, {16, 1}, 16, true));
        origin->round = 1;
        origin->sketch = 2;
        origin->score = 0.25F;
        const auto first = child(origin, tiled(m_dag, {8, 4}, {16, 1}, 16, true), 1, "tile-size", 0.5F);
        const auto second = child(first, tiled(m_dag, {8, 4}, {16, 1}, 512, true), 2, "unroll", 0.75F);
        add(2e-3, second, 2);
        QCOMPARE(text(0), QString::fromUtf8("Sketch 2\n"
                                            "sampled, round 1, predicted 0.250\n"
                                            "tile size, round 1, generation 1, predicted 0.500\n"
                                            "  split C i: 4, 8 → 8, 4\n"
                                            "unroll, round 1, generation 2, predicted 0.750\n"
                                            "  pragma C i.0 auto_unroll_max_step: 16 → 512\n"
                                            "Trial 1, 2.000 ms\n"));
    }

    void throughAMeasuredParent() {
        auto origin = makeOrigin(tiled(m_dag, {4, 8}, {16, 1}, 16, true));
        origin->round = 1;
        origin->sketch = 0;
        add(4e-3, origin, 0);
        auto again = makeOrigin(origin->steps()); // of trial 1
        again->round = 2;
        again->sketch = 0;
        again->trial = 1;
        const auto last = child(again, tiled(m_dag, {4, 8}, {2, 8}, 16, true), 3, "tile-size", 0.9F);
        add(0, last, 0);
        QCOMPARE(text(1), QString::fromUtf8("Sketch 0\n"
                                            "sampled, round 1\n"
                                            "Trial 1, 4.000 ms\n"
                                            "tile size, round 2, generation 3, predicted 0.900\n"
                                            "  split C j: 16, 1 → 2, 8\n"
                                            "Trial 2, failed\n"
                                            "  no answer within 10 s\n"));
        const LineageChain chain = makeLineage(lineageInput(m_document, 1));
        QCOMPARE(chain.entries[2].trial, 0); // can be selected
        QCOMPARE(chain.entries[0].sketch, 0);
    }

    void crossoverHasASideBranch() {
        auto one = makeOrigin(tiled(m_dag, {4, 8}, {16, 1}, 16, true));
        one->round = 1;
        one->sketch = 0;
        auto two = makeOrigin(tiled(m_dag, {4, 8}, {2, 2}, 16, true));
        two->round = 1;
        two->sketch = 0;
        const auto other = child(two, tiled(m_dag, {4, 8}, {2, 4}, 16, true), 1, "tile-size", 0.4F);
        auto both = child(one, tiled(m_dag, {4, 8}, {2, 4}, 16, true), 2, "crossover", 0.6F);
        both->parent2 = other;
        add(1e-3, both, 0);
        QCOMPARE(text(0), QString::fromUtf8("Sketch 0\n"
                                            "sampled, round 1\n"
                                            "crossover, round 1, generation 2, predicted 0.600\n"
                                            "  split C j: 16, 1 → 2, 4\n"
                                            "  second parent:\n"
                                            "    sampled, round 1\n"
                                            "    tile size, round 1, generation 1, predicted 0.400\n"
                                            "      split C j: 2, 2 → 2, 4\n"
                                            "Trial 1, 1.000 ms\n"));
    }

    void logsKnowNoLineage() {
        add(1e-3, nullptr, 1).fromLog = true;
        add(1e-3, nullptr, -1).fromLog = true;
        QCOMPARE(text(0), QString::fromUtf8("Sketch 1, by its structure\n"
                                            "Trial 1 was read from a log, and logs keep no lineage.\n"
                                            "Trial 1, 1.000 ms\n"));
        QVERIFY(text(1).startsWith(QStringLiteral("None of the sketches has its structure\n")));
        QVERIFY(lineageInput(m_document, 7).trial < 0);
    }

    /// A trial that claims to come from itself or from a later one does not lead round in cycles.
    void noCycles() {
        auto loop = makeOrigin(tiled(m_dag, {4, 8}, {16, 1}, 16, true));
        loop->trial = 1;
        add(1e-3, loop, 0);
        QCOMPARE(makeLineage(lineageInput(m_document, 0)).entries.size(), size_t(3));
    }
};

LOOPSCOPE_TEST(LineageTest)
#include "lineage_test.moc"
