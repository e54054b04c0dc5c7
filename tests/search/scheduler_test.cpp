// Schedulers: those there are, and one more, written as CONTRIBUTING.md says, which no other part knows of.

#include "codegen/loop_ir/program.h"
#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "harness/scripted_measurer.h"
#include "schedule/bound_inference.h"
#include "search/grouping_scheduler.h"
#include "search/naive_schedule.h"
#include "search/scheduler.h"

#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>
#include <functional>

using namespace loopscope;

namespace scheduler_test {

namespace {

Task taskOf(const DagPtr &dag) { return makeTask(dag, processorTarget()); }

/// Of the sample, in a small size.
DagPtr unsharpDag() {
    return ComputeDag::fromWorkload(
        loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/unsharp.te", {{"W", 131}, {"H", 47}}));
}

/// The outermost spatial loop of every stage on all cores, and nothing else.
class OuterParallelScheduler final : public Scheduler {
  public:
    [[nodiscard]] std::string_view name() const override { return "outer-parallel"; }
    Outcome<LoopState> schedule(const Task &task, SearchObserver &observer, SearchControl *control) override {
        LoopState state(task.dag);
        int stages = 0;
        for (size_t s = 0; s < state.stageCount(); ++s) {
            if (control && control->cancelled()) return Refusal{"the schedule was cancelled"};
            const Stage &stage = state.stage(StageId(s));
            if (stage.op->isPlaceholder() || stage.iters.empty()) continue;
            auto parallel = state.apply(AnnotateStep{StageId(s), IterId(0), Annotation::Parallel});
            if (!parallel) return parallel.refusal();
            state = std::move(parallel).value();
            ++stages;
        }
        observer.on(SearchNote{std::to_string(stages) + " stages run in parallel"});
        return state;
    }
};

class Notes final : public SearchObserver {
  public:
    void on(const SearchEvent &event) override {
        ++events;
        if (const auto *note = std::get_if<SearchNote>(&event)) sentences.push_back(note->sentence);
        if (const auto *merged = std::get_if<StageMerged>(&event)) {
            merges.push_back(*merged);
            if (onMerge) onMerge();
        }
    }
    int events = 0;
    std::vector<std::string> sentences;
    std::vector<StageMerged> merges;
    std::function<void()> onMerge;
};

SearchOptions quick() {
    SearchOptions options;
    options.trials = options.trialsPerRound = 8;
    options.population = 64;
    options.generations = 1;
    options.threads = 1;
    return options;
}

/// A search, and the schedule that is made of what it found.
struct Searched {
    Searched(const Task &task, Measurer &measurer, SearchObserver &observer, const std::vector<Trial> &resumed = {},
             SearchControl *control = nullptr)
        : result(tune(task, quick(), measurer, *makeXgboostModel({}), resumed, observer, control)),
          state(foundSchedule(task, resumed, result)) {}
    SearchResult result;
    Outcome<LoopState> state;
};

} // namespace

class SchedulerTest : public QObject {
    Q_OBJECT
    SilentObserver m_nobody;

  private slots:
    /// In one thread of one block the loops of the workload would take minutes.
    void naiveOnAGpuHasAThreadForEachElement() {
        Task task = makeTask(matmulBiasReluDag(40, 8, 6), gpuTarget());
        const Outcome<LoopState> state = makeNaiveScheduler()->schedule(task, m_nobody, nullptr);
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        const Outcome<LoopProgram> program = lower(*state, task.target, {});
        QVERIFY2(program.ok(), program.ok() ? "" : program.why().c_str());
        const std::string text = printProgram(*program);
        QCOMPARE(QString::fromStdString(text).count(QStringLiteral("threadIdx.x")), 3);
        QVERIFY2(text.find("blockIdx.x") != std::string::npos, text.c_str());
        QVERIFY(naiveSteps(makeTask(matmulBiasReluDag(40, 8, 6), processorTarget())).empty());
    }

    void naiveHasTheLoopsOfTheWorkload() {
        const auto state = makeNaiveScheduler()->schedule(taskOf(matmulDag()), m_nobody, nullptr);
        QVERIFY(state.ok());
        QVERIFY(state->steps().empty());
        QCOMPARE(state->text(), LoopState(matmulDag()).text());
    }

    void stepsAreReplayedOrRefused() {
        const Steps steps = {SplitStep{StageId(2), IterId(0), 512, {8}, true}};
        const auto state = makeReplayScheduler(steps)->schedule(taskOf(matmulDag()), m_nobody, nullptr);
        QVERIFY(state.ok());
        QVERIFY(state->steps() == steps);
        const auto refused = makeReplayScheduler({SplitStep{StageId(2), IterId(9), 512, {8}, true}})
                                 ->schedule(taskOf(matmulDag()), m_nobody, nullptr);
        QVERIFY(!refused);
        QVERIFY2(refused.why().find("step 0") != std::string::npos, refused.why().c_str());
    }

    /// Every merge is told, in order, with what it saves; nothing is measured.
    void theGroupingTellsItsMerges() {
        const Task task = taskOf(unsharpDag());
        GroupingScheduler scheduler({GroupingMode::Compat, parseMachineParameters("4,4k,40").value()});
        QCOMPARE(scheduler.name(), std::string_view("grouping"));
        Notes observer;
        const auto state = scheduler.schedule(task, observer, nullptr);
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        const auto &result = scheduler.result();
        QVERIFY(result.has_value());
        const std::vector<GroupMerge> &merges = result->grouping.merges;
        QVERIFY(merges.size() >= 3);
        QCOMPARE(observer.merges.size(), merges.size());
        for (size_t i = 0; i < merges.size(); ++i) {
            const StageMerged &told = observer.merges[i];
            QCOMPARE(told.number, static_cast<int>(i + 1));
            QCOMPARE(told.inlining, merges[i].inlining);
            QCOMPARE(told.benefit, merges[i].benefit.value_or(-1));
            QCOMPARE(told.into.size(), merges[i].consumers.size());
            QCOMPARE(told.stage, result->grouping.pipeline.stages[static_cast<size_t>(merges[i].producer)].name);
        }
        QVERIFY(observer.sentences == result->notes);
        const auto replayed = makeReplayScheduler(state->steps())->schedule(task, m_nobody, nullptr);
        QVERIFY(replayed.ok());
        QCOMPARE(replayed->text(), state->text());
        ExprArena arena;
        const ArenaScope scope(arena);
        QVERIFY(inferBounds(*state).ok());
    }

    void theGroupingIsEndedBetweenMerges() {
        GroupingScheduler scheduler({GroupingMode::Compat, parseMachineParameters("4,4k,40").value()});
        SearchControl control;
        Notes observer;
        observer.onMerge = [&] { control.cancel(); };
        const auto state = scheduler.schedule(taskOf(unsharpDag()), observer, &control);
        QVERIFY(!state);
        QCOMPARE(state.why(), std::string("the grouping was ended before it had a schedule"));
        QCOMPARE(observer.merges.size(), size_t{1});
        QVERIFY(!scheduler.result());
    }

    /// In fixed, too, while merges are still being decided; which of several ways was taken is said.
    void fixedIsEndedBetweenMerges() {
        const Task task =
            taskOf(ComputeDag::fromWorkload(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/camera_raw.te", {})));
        GroupingScheduler scheduler({GroupingMode::Fixed, parseMachineParameters("16,16M,40").value()});
        Notes whole;
        const auto state = scheduler.schedule(task, whole, nullptr);
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        QCOMPARE(whole.merges.front().attempt, 1);
        QCOMPARE(whole.merges.back().attempt, 3);
        QCOMPARE(whole.sentences.front(), std::string("of 3 ways to merge, number 3 costs least: it is the schedule"));
        SearchControl control;
        Notes ended;
        ended.onMerge = [&] {
            if (ended.merges.size() == 2) control.cancel();
        };
        QVERIFY(!scheduler.schedule(task, ended, &control));
        QCOMPARE(ended.merges.size(), size_t{2});
        QCOMPARE(ended.merges.back().attempt, 1);
    }

    void theGroupingMakesKernelsForGpus() {
        const auto state = GroupingScheduler().schedule(makeTask(unsharpDag(), gpuTarget()), m_nobody, nullptr);
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        const QString text = QString::fromStdString(state->text());
        QVERIFY2(text.contains("blockIdx.x") && text.contains("threadIdx.x") && !text.contains("parallel"),
                 qPrintable(text));
    }

    void theSearchGivesTheScheduleThatItsResultNames() {
        ScriptedMeasurer measurer;
        Notes observer;
        const Searched first(taskOf(matmulDag()), measurer, observer);
        QVERIFY(first.state.ok());
        QCOMPARE(first.result.trials.size(), size_t{8});
        QVERIFY(first.state->steps() == first.result.trials[*first.result.best].steps);
        QVERIFY(observer.events > 8);
        // What it measured is where another goes on.
        const Searched again(taskOf(matmulDag()), measurer, observer, first.result.trials);
        QVERIFY(again.state.ok() && again.result.trials.empty() && again.result.bestIsResumed);
    }

    void aSearchWithoutAValidKernelIsRefused() {
        ScriptedMeasurer measurer;
        measurer.fault = [](const Steps &) { return TrialError::RuntimeDevice; };
        QCOMPARE(Searched(taskOf(matmulDag()), measurer, m_nobody).state.why(),
                 std::string("the search found no valid schedule among 8 trials"));
        SearchControl cancelled;
        cancelled.cancel();
        QCOMPARE(Searched(taskOf(matmulDag()), measurer, m_nobody, {}, &cancelled).state.why(),
                 std::string("the search was ended with no valid schedule among 0 trials"));
    }

    void gpusAreSearched() {
        ScriptedMeasurer measurer;
        const auto state = Searched(makeTask(matmulDag(), gpuTarget()), measurer, m_nobody).state;
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        const auto &iters = state->stage(StageId(state->stageCount() - 1)).iters;
        QVERIFY(iters[0].annotation == Annotation::BlockX);
        QVERIFY(iters[1].annotation == Annotation::VThread);
        QVERIFY(iters[2].annotation == Annotation::ThreadX);
    }

    /// What one makes any other may start from, the search too.
    void anotherSchedulerIsAsGoodAsThese() {
        OuterParallelScheduler scheduler;
        Notes observer;
        const Task task = taskOf(matmulBiasReluDag(64, 64, 64));
        const auto state = scheduler.schedule(task, observer, nullptr);
        QVERIFY(state.ok());
        {
            ExprArena arena;
            const ArenaScope scope(arena);
            QVERIFY(inferBounds(*state).ok());
        }
        QVERIFY(observer.sentences == (std::vector<std::string>{"3 stages run in parallel"}));
        const auto replayed = makeReplayScheduler(state->steps())->schedule(task, observer, nullptr);
        QVERIFY(replayed.ok());
        QCOMPARE(replayed->text(), state->text());
        Trial trial;
        trial.steps = state->steps();
        trial.seconds = {1e-9}; // better than anything the scripted machine has
        ScriptedMeasurer measurer;
        measurer.interleaved = [&](const Steps &steps, int rounds) {
            return std::vector<double>(static_cast<size_t>(rounds), steps == trial.steps ? 1e-9 : 1e-3);
        };
        const auto best = Searched(task, measurer, observer, {trial}).state;
        QVERIFY(best.ok());
        QVERIFY(best->steps() == trial.steps);
        SearchControl cancelled;
        cancelled.cancel();
        QVERIFY(!scheduler.schedule(task, observer, &cancelled));
    }
};

LOOPSCOPE_TEST(SchedulerTest)

} // namespace scheduler_test
#include "scheduler_test.moc"
