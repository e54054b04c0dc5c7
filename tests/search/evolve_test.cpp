// Mutations and crossover: every child is another legal schedule, changed in the one respect its mutation is about.

#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "search/sketch/sketch.h"
#include "search/target_rules.h"
#include "test_program.h"

#include <QtTest>
#include <map>

using namespace loopscope;

namespace {

/// Complete schedules of a few DAGs that between them have every kind of step the search makes.
struct Parents {
    Parents() {
        for (const DagPtr &dag : {conv2dBiasReluNchwDag(), softmaxDag(64, 96), matmulBiasReluDag(64, 64, 64),
                                  conv2dNhwcDag(1, 14, 14, 16, 32, 3, 1, 1), matmulDag(2039, 2039, 2039)}) {
            const auto sketches = generateSketches(dag, target);
            for (uint64_t i = 0; i < 60; ++i) {
                Random random(11, i);
                const size_t sketch = random.index(sketches.size());
                auto state = annotate({target, options, random, scratch}, sketches[sketch].state);
                if (state) all.push_back({dag, state->steps(), static_cast<int>(sketch)});
            }
        }
    }
    struct One {
        DagPtr dag;
        Steps steps;
        int sketch;
    };
    Target target = processorTarget();
    SearchOptions options;
    Scratch scratch;
    std::vector<One> all;
};

const std::vector<const Mutation *> &mutations() { return rulesFor(TargetKind::Llvm).mutations; }

size_t differences(const Steps &a, const Steps &b) {
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
    return count;
}

/// Stage number and name of every loop with the annotation.
std::vector<std::pair<size_t, std::string>> annotated(const LoopState &state, Annotation wanted) {
    std::vector<std::pair<size_t, std::string>> found;
    for (size_t s = 0; s < state.stageCount(); ++s)
        for (const auto &iter : state.stage(StageId(s)).iters)
            if (iter.annotation == wanted) found.emplace_back(s, iter.name);
    return found;
}

std::string whatChanged(const Mutation &mutation, const Parents::One &parent, const Steps &child) {
    const std::string_view name = mutation.name;
    if (child == parent.steps) return "the child is its parent";
    if (name == "vectorize") {
        const auto difference = static_cast<int>(child.size()) - static_cast<int>(parent.steps.size());
        return difference == 1 || difference == -1 ? "" : "not one step more or less";
    }
    if (name == "parallel" && child.size() == parent.steps.size() + 1) { // one loop was parallel, now several are
        size_t added = 0;
        while (added < parent.steps.size() && child[added] == parent.steps[added]) ++added;
        const auto *parallel = std::get_if<AnnotateStep>(&child[added + 1]);
        return std::holds_alternative<FuseStep>(child[added]) && parallel &&
                       parallel->annotation == Annotation::Parallel
                   ? ""
                   : "not a fuse in front of the parallel loop";
    }
    if (child.size() != parent.steps.size()) return "another number of steps";
    size_t first = 0;
    while (child[first] == parent.steps[first]) ++first;
    if (name == "parallel") return std::holds_alternative<FuseStep>(child[first]) ? "" : "not the fuse step";
    if (differences(parent.steps, child) != 1) return "more than one step changed";
    if (name == "tile-size") {
        const auto *before = std::get_if<SplitStep>(&parent.steps[first]);
        const auto *after = std::get_if<SplitStep>(&child[first]);
        if (!before || !after) return "not a split";
        int64_t product = 1;
        for (const int64_t length : after->lengths) product *= length;
        if (after->lengths.size() != before->lengths.size()) return "another number of lengths";
        if (after->lengths.back() > 64) return "innermost length above its limit";
        if (product <= 0 || product > after->extent) return "lengths longer than the loop";
        if (after->extent != 2039 && after->extent % product != 0) return "lengths that do not divide";
    }
    if (name == "auto-unroll" && !std::holds_alternative<PragmaStep>(child[first])) return "not a pragma";
    if (name == "compute-location" && !std::holds_alternative<ComputeAtStep>(child[first]) &&
        !std::holds_alternative<ComputeRootStep>(child[first]))
        return "not a place";
    return {};
}

} // namespace

class EvolveTest : public QObject {
    Q_OBJECT
  private slots:
    void everyMutationMakesLegalChildren_data() {
        QTest::addColumn<int>("which");
        for (size_t i = 0; i < mutations().size(); ++i)
            QTest::newRow(std::string(mutations()[i]->name).c_str()) << static_cast<int>(i);
    }
    void everyMutationMakesLegalChildren() {
        QFETCH(int, which);
        const Mutation &mutation = *mutations()[static_cast<size_t>(which)];
        Parents parents;
        int children = 0;
        int legal = 0;
        std::map<std::string, int> reasons;
        for (size_t p = 0; p < parents.all.size(); ++p) {
            const auto &parent = parents.all[p];
            Random random(23, p);
            const auto child =
                mutation.apply({parent.dag, parents.target, parents.options, random, parents.scratch}, parent.steps);
            if (!child) continue;
            ++children;
            const std::string wrong = whatChanged(mutation, parent, *child);
            QVERIFY2(wrong.empty(), wrong.c_str());
            Candidate candidate;
            candidate.steps = *child;
            std::string reason;
            if (evaluate(parent.dag, parents.target, candidate, parents.scratch, reason)) {
                ++legal;
            } else {
                ++reasons[reason];
            }
        }
        std::string list;
        for (const auto &[reason, count] : reasons) list += "\n" + std::to_string(count) + ": " + reason;
        qInfo("%d children of %zu parents, %d legal%s", children, parents.all.size(), legal, list.c_str());
        QVERIFY(children >= 20);
        QVERIFY2(legal * 10 >= children * 8, list.c_str());
    }

    void aWiderParallelLoopLeavesTheVectorsWhereTheyAre() {
        Parents parents;
        int compared = 0;
        for (size_t p = 0; p < parents.all.size(); ++p) {
            const auto &parent = parents.all[p];
            Random random(29, p);
            const auto child = kMutateParallel.apply(
                {parent.dag, parents.target, parents.options, random, parents.scratch}, parent.steps);
            if (!child) continue;
            const auto before = replay(parent.dag, parent.steps);
            const auto after = replay(parent.dag, *child);
            QVERIFY(before.ok());
            if (!after) continue;
            const auto vectors = annotated(*before, Annotation::Vectorize);
            QVERIFY(annotated(*after, Annotation::Vectorize) == vectors);
            QVERIFY(annotated(*after, Annotation::Parallel) != annotated(*before, Annotation::Parallel));
            compared += vectors.empty() ? 0 : 1;
        }
        QVERIFY2(compared >= 10, qPrintable(QString::number(compared)));
    }

    void mutationsAreDeterministic() {
        Parents parents;
        QVERIFY(parents.all.size() > 100);
        for (const Mutation *mutation : mutations())
            for (size_t p = 0; p < parents.all.size(); p += 7) {
                const auto &parent = parents.all[p];
                Random a(31, p);
                Random b(31, p);
                const auto first =
                    mutation->apply({parent.dag, parents.target, parents.options, a, parents.scratch}, parent.steps);
                const auto second =
                    mutation->apply({parent.dag, parents.target, parents.options, b, parents.scratch}, parent.steps);
                QVERIFY(first == second);
            }
    }

    void mutationsAreDrawnByWeight() {
        std::map<std::string_view, int> drawn;
        Random random(1);
        constexpr int kDraws = 20000;
        for (int i = 0; i < kDraws; ++i) ++drawn[drawMutation(TargetKind::Llvm, random).name];
        double total = 0;
        for (const auto *mutation : mutations()) total += mutation->weight;
        for (const auto *mutation : mutations()) {
            const double share = mutation->weight / total;
            QVERIFY(std::abs(drawn[mutation->name] - share * kDraws) < 0.02 * kDraws);
        }
    }

    void nothingToMutateIsRefused() {
        Parents parents;
        Random random(1);
        const DagPtr dag = elementwiseDag(8, 1000);
        for (const Mutation *mutation : mutations()) {
            const auto child = mutation->apply({dag, parents.target, parents.options, random, parents.scratch}, {});
            QVERIFY2(!child, mutation->name.data());
        }
    }

    void locationsStayWhereTheyAreWhenSwitchedOff() {
        Parents parents;
        QVERIFY(!parents.all.empty());
        parents.options.changeComputeLocation = false;
        Random random(1);
        for (const auto &parent : parents.all)
            QVERIFY(!kMutateComputeLocation.apply(
                {parent.dag, parents.target, parents.options, random, parents.scratch}, parent.steps));
    }

    void crossoverMixesTheLengthsOfTwoParents() {
        Parents parents;
        int children = 0;
        int fromSecond = 0;
        for (size_t p = 0; p + 1 < parents.all.size(); ++p) {
            const auto &first = parents.all[p];
            const auto &second = parents.all[p + 1];
            if (first.dag != second.dag) continue;
            Random random(37, p);
            const auto child = crossover(first.steps, second.steps, random);
            if (!child) continue;
            ++children;
            QVERIFY(*child != first.steps);
            QCOMPARE(child->size(), first.steps.size());
            std::vector<SplitStep> others;
            for (const auto &step : second.steps)
                if (const auto *split = std::get_if<SplitStep>(&step)) others.push_back(*split);
            size_t number = 0;
            for (size_t i = 0; i < child->size(); ++i) {
                const auto *split = std::get_if<SplitStep>(&(*child)[i]);
                if (!split) {
                    QVERIFY((*child)[i] == first.steps[i]);
                    continue;
                }
                QVERIFY(*split == std::get<SplitStep>(first.steps[i]) || *split == others[number]);
                if ((*child)[i] != first.steps[i]) ++fromSecond;
                ++number;
            }
            Candidate candidate;
            candidate.steps = *child;
            std::string reason;
            QVERIFY2(evaluate(first.dag, parents.target, candidate, parents.scratch, reason), reason.c_str());
        }
        QVERIFY(children >= 20 && fromSecond > children);
    }

    void crossoverNeedsTwoDifferentParentsOfOneSketch() {
        Parents parents;
        Random random(1);
        QVERIFY(!crossover(parents.all[0].steps, parents.all[0].steps, random));
        QVERIFY(!crossover(parents.all[0].steps, parents.all.back().steps, random));
        QVERIFY(!crossover({}, {}, random));
    }
};

LOOPSCOPE_TEST(EvolveTest)
#include "evolve_test.moc"
