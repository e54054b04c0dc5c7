// A search that begins with a grouped schedule: no sketch made it, it splits loops twice and attaches stages to tiles,
// and still every mutation finds something to change in it. What comes of that computes the same.

#include "../schedule/grouping/random_pipeline.h"
#include "harness/program_interpreter.h"
#include "harness/scripted_search.h"
#include "harness/state_interpreter.h"
#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "schedule/bound_inference.h"
#include "schedule/steps_json.h"
#include "search/evolve/mutation.h"
#include "search/grouping_scheduler.h"
#include "search/target_rules.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

using namespace loopscope;

namespace {

DagPtr pipeline(const char *name, int64_t width, int64_t height) {
    return ComputeDag::fromWorkload(loadWorkload(std::string(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/") + name + ".te",
                                                 {{"W", width}, {"H", height}}));
}

Steps groupedSteps(const Task &task, GroupingMode mode, const char *machine) {
    SilentObserver nobody;
    auto state = GroupingScheduler({mode, parseMachineParameters(machine).value()}).schedule(task, nobody, nullptr);
    return state ? state->steps() : Steps();
}

/// How often the statements of all stages run, those of a stage inside another one for every pass of it.
double statementsOf(const LoopState &state) {
    double sum = 0;
    for (size_t s = 0; s < state.stageCount(); ++s) {
        double runs = 1;
        size_t stage = s;
        size_t loops = state.stage(StageId(s)).iters.size();
        while (true) {
            for (size_t i = 0; i < loops; ++i)
                runs *= static_cast<double>(std::max<int64_t>(1, state.stage(StageId(stage)).iters[i].extent));
            const AttachPoint at = state.attachedTo(StageId(stage));
            if (at.stage.value < 0) break;
            stage = at.stage.index();
            loops = at.iter.index() + 1;
        }
        sum += runs;
    }
    return sum;
}

/// Empty when the schedule computes what the DAG says. One that computes a stage over and over is legal, but too long
/// for the interpreter, and is left out.
std::string problemOf(const DagPtr &dag, const Steps &steps, const std::vector<TensorValue> &inputs,
                      const std::vector<TensorValue> &expected) {
    const auto state = replay(dag, steps);
    if (!state) return "does not replay: " + state.why();
    const auto bounded = inferBounds(*state, std::make_shared<ExprArena>());
    if (!bounded) return "has no bounds: " + bounded.why();
    constexpr double kMaxStatements = 1e6;
    if (statementsOf(bounded->state) > kMaxStatements) return "";
    const StateRun run = runState(bounded.value(), inputs);
    return run.failure.empty() ? compareOutputs(run.outputs, expected) : run.failure;
}

struct Bred {
    std::map<std::string_view, int> children; // legal ones other than their parent, by mutation
    std::string problem;
};

/// Changes piled on changes, each child checked.
Bred breed(const Task &task, const Steps &start, int generations, uint64_t seed) {
    const std::vector<TensorValue> inputs = randomInputs(*task.dag, seed);
    const std::vector<TensorValue> expected = interpret(*task.dag, inputs);
    Bred bred;
    SearchOptions options;
    Scratch scratch;
    Random random(seed, 1);
    Candidate parent;
    parent.steps = start;
    std::string reason;
    if (!evaluate(task.dag, task.target, parent, scratch, reason)) {
        bred.problem = "the grouped schedule: " + reason;
        return bred;
    }
    std::vector<Steps> legal = {start};
    for (int i = 0; i < generations; ++i) {
        const auto &mutations = rulesFor(task.target.kind).mutations;
        const size_t kind = random.index(mutations.size() + 1);
        std::optional<Steps> steps;
        std::string_view name = "crossover";
        if (kind == mutations.size()) {
            steps = crossover(parent.steps, legal[random.index(legal.size())], random);
            if (steps) steps = withFittingLengths(task.dag, std::move(*steps));
        } else {
            name = mutations[kind]->name;
            steps = mutations[kind]->apply({task.dag, task.target, options, random, scratch}, parent.steps);
        }
        if (!steps) continue;
        Candidate child;
        child.steps = std::move(*steps);
        if (!evaluate(task.dag, task.target, child, scratch, reason) || child.key == parent.key) continue;
        ++bred.children[name];
        bred.problem = problemOf(task.dag, child.steps, inputs, expected);
        if (!bred.problem.empty()) {
            bred.problem = std::string(name) + ": " + bred.problem + "\n" + stepsText(parent.steps) + "\n" +
                           stepsText(child.steps);
            return bred;
        }
        legal.push_back(child.steps);
        if (random.below(3) != 0) parent = std::move(child); // long lines of descent, and side branches
    }
    return bred;
}

} // namespace

class GroupedStartTest : public QObject {
    Q_OBJECT
  private slots:
    void everyMutationFindsSomething_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("fixed");
        for (const char *name : {"unsharp", "harris", "blur"})
            for (const bool fixed : {false, true})
                QTest::addRow("%s, %s", name, fixed ? "fixed" : "compat") << QString(name) << fixed;
    }
    void everyMutationFindsSomething() {
        QFETCH(const QString, name);
        QFETCH(const bool, fixed);
        const Task task = taskForTwoCores(pipeline(qPrintable(name), 72, 8));
        const Steps start = groupedSteps(task, fixed ? GroupingMode::Fixed : GroupingMode::Compat, "2,1k,40");
        QVERIFY(start.size() > 3);
        std::map<std::string_view, int> children;
        for (uint64_t seed = 0; seed < 2; ++seed) {
            const Bred bred = breed(task, start, 60, seed);
            QVERIFY2(bred.problem.empty(), bred.problem.c_str());
            for (const auto &[mutation, count] : bred.children) children[mutation] += count;
        }
        const bool attaches = std::any_of(start.begin(), start.end(),
                                          [](const Step &step) { return std::holds_alternative<ComputeAtStep>(step); });
        for (const Mutation *mutation : rulesFor(TargetKind::Llvm).mutations) {
            if (mutation->name == kMutateComputeLocation.name && !attaches) continue;
            // Where loops are split once, it is taken for a schedule whose sketch left it as it is.
            if (mutation->name == kMutateUnroll.name && splitAgain(task.dag, start).empty()) continue;
            QVERIFY2(children[mutation->name] > 0, mutation->name.data());
        }
        QVERIFY(children["crossover"] > 0);
    }

    /// A tile far longer than a vector is another one afterwards, and the lanes cut out of it follow.
    void largeTilesAreMutated() {
        const Task task = taskForTwoCores(pipeline("blur", 1024, 8));
        const Steps start = {SplitStep{StageId(2), IterId(1), 1024, {256}, true},
                             SplitStep{StageId(2), IterId(2), 256, {16}, true},
                             AnnotateStep{StageId(2), IterId(3), Annotation::Vectorize}};
        QVERIFY(splitAgain(task.dag, start) == (std::vector<bool>{true, false, false}));
        QVERIFY(splitAgain(task.dag, {start[0]}).empty());
        SearchOptions options;
        Scratch scratch;
        std::set<int64_t> tiles;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            Random random(seed, 0);
            const auto child = kMutateTileSize.apply({task.dag, task.target, options, random, scratch}, start);
            if (!child) continue;
            const auto &outer = std::get<SplitStep>((*child)[0]);
            const auto &inner = std::get<SplitStep>((*child)[1]);
            QCOMPARE(inner.extent, outer.lengths[0]);
            QVERIFY(inner.lengths[0] <= inner.extent);
            tiles.insert(outer.lengths[0]);
        }
        QVERIFY2(*tiles.begin() < 64 && *tiles.rbegin() > 256, qPrintable(QString::number(tiles.size())));
    }

    /// Random pipelines of whole numbers, whose answers leave no tolerance.
    void randomPipelinesBredFromTheirGrouping() {
        int children = 0;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            Random random(seed, 7);
            const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(randomPipeline(random), "a random pipeline"));
            const Task task = taskForTwoCores(dag);
            const char *machine = seed % 2 == 0 ? "2,1k,40" : "4,64k,10";
            const Steps start = groupedSteps(task, seed % 3 == 0 ? GroupingMode::Compat : GroupingMode::Fixed, machine);
            const Bred bred = breed(task, start, 8, seed);
            QVERIFY2(bred.problem.empty(), (std::to_string(seed) + ": " + bred.problem).c_str());
            for (const auto &[mutation, count] : bred.children) children += count;
        }
        qInfo("%d children computed the same", children);
        QVERIFY(children > 80);
    }

    /// Measured first; where it is by far the best, what is measured next is bred from it.
    void theSearchMeasuresItFirst() {
        const Task task = taskForTwoCores(pipeline("unsharp", 256, 64));
        const Steps start = groupedSteps(task, GroupingMode::Compat, "2,4k,40");
        const auto tilesSplitAgain = [&](const Steps &steps) {
            return splitAgain(task.dag, steps).size() == steps.size();
        };
        QVERIFY(tilesSplitAgain(start));
        ScriptedMeasurer measurer;
        measurer.samples = [&](const Steps &steps) {
            return std::vector<double>(3, tilesSplitAgain(steps) ? 1e-6 : 1e-3);
        };
        SearchListener listener;
        const auto model = makeXgboostModel({});
        const auto results = tuneTasks({{task, quickSearch(24), measurer, *model, {}, 1, {start}}}, {0, 0, 1},
                                       *makeRoundRobinOrder(), listener);
        const auto best = foundSchedule(task, {}, results.front());
        QVERIFY2(best.ok(), best.ok() ? "" : best.why().c_str());
        QCOMPARE(measurer.measured.front(), stepsText(start));
        int kin = 0;
        for (const TrialFinished &trial : listener.all<TrialFinished>()) {
            if (trial.number == 1) continue;
            kin += trial.sketch < 0 && tilesSplitAgain(trial.trial.steps.unpack()) ? 1 : 0;
        }
        QVERIFY2(kin >= 4, qPrintable(QString::number(kin)));
    }
};

LOOPSCOPE_TEST(GroupedStartTest)
#include "grouped_start_test.moc"
