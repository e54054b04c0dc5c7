// Several tasks that take turns, with a scripted machine: each is searched as if it were alone, and all is told by
// task.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

using namespace loopscope;

namespace {

/// Remembers which task each sample it learns from is of.
class ListeningModel final : public CostModel {
  public:
    void predict(const FeatureMatrix &programs, std::vector<float> &scores) override {
        m_inner->predict(programs, scores);
    }
    TrainingReport update(const std::vector<TrainingSample> &batch, const std::atomic<bool> *cancel) override {
        for (const TrainingSample &sample : batch) ++samplesOf[sample.task];
        return m_inner->update(batch, cancel);
    }
    [[nodiscard]] bool trained() const override { return m_inner->trained(); }
    std::map<int, int> samplesOf;

  private:
    std::unique_ptr<CostModel> m_inner = makeXgboostModel({});
};

/// Three tasks, each with a measurer of its own.
struct Three {
    std::vector<Task> tasks = {taskForTwoCores(conv2dBiasReluNchwDag()), taskForTwoCores(matmulDag()),
                               taskForTwoCores(softmaxDag(64, 96))};
    std::vector<ScriptedMeasurer> measurers{3};
    std::vector<SearchOptions> options{3, quickSearch(16)};
    std::vector<std::vector<Trial>> resumed{3};
    std::vector<std::unique_ptr<CostModel>> models; // empty: one for all
    ListeningModel shared;
    SearchListener listener;
    SearchControl control;
    TuneTasksOptions together{.threads = 1};

    std::vector<SearchResult> operator()() {
        const auto order = makeRoundRobinOrder();
        std::vector<TaskJob> jobs;
        for (size_t i = 0; i < tasks.size(); ++i)
            jobs.push_back({tasks[i], options[i], measurers[i], models.empty() ? shared : *models[i], resumed[i]});
        return tuneTasks(jobs, together, *order, listener, &control);
    }
};

/// A thousand times, so that no schedule makes up for it.
void slowDown(ScriptedMeasurer &measurer) {
    const auto slow = [](const Steps &steps, int count) {
        return std::vector<double>(static_cast<size_t>(count), 1000 * scriptedSeconds(steps));
    };
    measurer.samples = [slow](const Steps &steps) { return slow(steps, 3); };
    measurer.interleaved = slow;
}

/// Notes how many rounds the tasks have had before the first one of the search.
class NotingOrder final : public TaskOrder {
  public:
    std::optional<size_t> next(const std::vector<TaskStanding> &tasks) override {
        if (rounds.empty())
            for (const TaskStanding &task : tasks) rounds.push_back(task.rounds());
        return m_order->next(tasks);
    }
    std::vector<size_t> rounds;

  private:
    std::unique_ptr<TaskOrder> m_order = makeRoundRobinOrder();
};

} // namespace

class TasksTest : public QObject {
    Q_OBJECT
  private slots:
    /// With a model of its own a task has the very candidates of a search of it alone, in the same order.
    void eachHasTheCandidatesItHasAlone() {
        Three three;
        for (int i = 0; i < 3; ++i) three.models.push_back(makeXgboostModel({}));
        three();
        for (size_t i = 0; i < 3; ++i) {
            ScriptedMeasurer alone;
            SearchListener listener;
            const auto model = makeXgboostModel({});
            tune(three.tasks[i], quickSearch(16), alone, *model, {}, listener);
            QCOMPARE(alone.measured.size(), size_t{16});
            QVERIFY2(alone.measured == three.measurers[i].measured, qPrintable(QString::number(i)));
            QVERIFY(alone.compared == three.measurers[i].compared);
        }
    }

    void aFormThatCannotWinIsGivenUp() {
        Three three;
        for (SearchOptions &options : three.options) options.trials = 64;
        slowDown(three.measurers[1]);
        three.together.groups = {{"node", 1, {{"direct", {0}}, {"other", {1}}}}};
        const auto results = three();
        QCOMPARE(results[0].trials.size(), size_t{64});
        QCOMPARE(results[2].trials.size(), size_t{64});
        QCOMPARE(results[1].trials.size(), size_t{16}); // of two rounds
        QVERIFY(results[1].best && !results[1].cancelled);
        const auto notes = three.listener.all<SearchNote>();
        const auto givenUp = std::ranges::find_if(
            notes, [](const SearchNote &note) { return note.sentence.starts_with("given up after 2 rounds"); });
        QVERIFY(givenUp != notes.end());
        QCOMPARE(givenUp->task, 1);
        // Who pins it wants to see it through.
        Three pinned;
        for (SearchOptions &options : pinned.options) options.trials = 32;
        slowDown(pinned.measurers[1]);
        pinned.together.groups = three.together.groups;
        pinned.control.steer(1, {.pinned = true});
        QCOMPARE(pinned()[1].trials.size(), size_t{32});
    }

    void threadsChangeNothing() {
        Three first;
        first();
        Three again;
        again.together.threads = 3;
        again();
        for (size_t i = 0; i < 3; ++i) QVERIFY(first.measurers[i].measured == again.measurers[i].measured);
    }

    void theyTakeTurnsRoundByRound() {
        Three three;
        three.options[1].trials = 5; // its limits are its own
        three.options[1].trialsPerRound = 3;
        const auto results = three();
        QCOMPARE(results.size(), size_t{3});
        QVERIFY(three.measurers[0].batches == (std::vector<size_t>{8, 8}));
        QVERIFY(three.measurers[1].batches == (std::vector<size_t>{3, 2}));
        for (size_t i = 0; i < 3; ++i) {
            QCOMPARE(results[i].trials.size(), size_t(i == 1 ? 5 : 16));
            QVERIFY(results[i].best && !results[i].cancelled);
            QVERIFY(results[i].bestTime.known());
            QCOMPARE(three.measurers[i].compared.size(), size_t{4});
            QVERIFY(results[i].searchSeconds > 0 && results[i].measureSeconds >= 0);
        }
        std::vector<int> rounds;
        for (const RoundFinished &round : three.listener.all<RoundFinished>()) rounds.push_back(round.task);
        QVERIFY(rounds == (std::vector<int>{0, 1, 2, 0, 1, 2}));
        std::vector<int> switches;
        for (const TaskSwitched &one : three.listener.all<TaskSwitched>()) switches.push_back(one.task);
        QVERIFY(switches == (std::vector<int>{1, 2, 0, 1, 2}));
    }

    void everyPickIsExplained() {
        Three three;
        three();
        std::vector<std::pair<int, std::string>> picks;
        for (const TaskPicked &pick : three.listener.all<TaskPicked>()) picks.emplace_back(pick.task, pick.why);
        const std::string turns = "tasks take turns";
        QVERIFY(picks == (std::vector<std::pair<int, std::string>>{
                             {0, turns}, {1, turns}, {2, turns}, {0, turns}, {1, turns}, {2, turns}}));
    }

    void whatIsExcludedHasNoRoundAndWhatIsPinnedComesFirst() {
        Three three;
        three.control.steer(1, {.excluded = true});
        three.control.steer(2, {.pinned = true});
        const auto results = three();
        QVERIFY(results[1].trials.empty() && !results[1].best);
        QCOMPARE(results[0].trials.size(), size_t{16});
        std::vector<int> rounds;
        for (const RoundFinished &round : three.listener.all<RoundFinished>()) rounds.push_back(round.task);
        QVERIFY(rounds == (std::vector<int>{2, 2, 0, 0}));
    }

    void whatIsPausedWaitsUntilItIsLetGoOn() {
        Three three;
        three.control.steer(0, {.paused = true});
        std::atomic<int> done = 0;
        three.listener.onEvent = [&](const SearchEvent &event) {
            if (std::holds_alternative<RoundFinished>(event)) ++done;
        };
        std::thread later([&] {
            while (done < 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            std::this_thread::sleep_for(std::chrono::milliseconds(50)); // nothing is left to do meanwhile
            three.control.steer(0, {});
        });
        three();
        later.join();
        std::vector<int> rounds;
        for (const RoundFinished &round : three.listener.all<RoundFinished>()) rounds.push_back(round.task);
        QVERIFY(rounds == (std::vector<int>{1, 2, 1, 2, 0, 0}));
    }

    void aSearchAllOfWhichIsPausedCanBeCancelled() {
        Three three;
        for (int task = 0; task < 3; ++task) three.control.steer(task, {.paused = true});
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            three.control.cancel();
        });
        const auto results = three();
        later.join();
        for (const SearchResult &result : results) QVERIFY(result.trials.empty() && result.cancelled);
    }

    /// What is boosted counts as if it ran more often.
    void ordersSeeTheBoost() {
        class Weights final : public TaskOrder {
          public:
            std::optional<size_t> next(const std::vector<TaskStanding> &tasks) override {
                seen = tasks[1].weight;
                return m_order->next(tasks);
            }
            double seen = 0;

          private:
            std::unique_ptr<TaskOrder> m_order = makeRoundRobinOrder();
        } order;
        Three three;
        three.control.steer(1, {.boost = 2.5});
        std::vector<TaskJob> jobs;
        for (size_t i = 0; i < 3; ++i)
            jobs.push_back({three.tasks[i], three.options[i], three.measurers[i], three.shared, {}, 4});
        tuneTasks(jobs, three.together, order, three.listener, &three.control);
        QCOMPARE(order.seen, 10.0);
    }

    void everyEventNamesItsTask() {
        Three three;
        three();
        std::set<int> sketched;
        for (const SketchesMade &made : three.listener.all<SketchesMade>()) sketched.insert(made.task);
        QVERIFY(sketched == (std::set<int>{0, 1, 2}));
        std::map<int, int> numbers;
        for (const TrialFinished &trial : three.listener.all<TrialFinished>()) {
            QCOMPARE(trial.number, ++numbers[trial.task]); // counted by task
            QCOMPARE(trial.total, 16);
            QVERIFY(replay(three.tasks[static_cast<size_t>(trial.task)].dag, trial.trial.steps.unpack()).ok());
        }
        QVERIFY(numbers == (std::map<int, int>{{0, 16}, {1, 16}, {2, 16}}));
        std::map<int, int> done;
        for (const PhaseStarted &phase : three.listener.all<PhaseStarted>())
            if (phase.phase == SearchPhase::Done) ++done[phase.task];
        QVERIFY(done == (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}}));
        for (const FinalistsCompared &compared : three.listener.all<FinalistsCompared>())
            QVERIFY(compared.entries.size() == 4 && compared.task <= 2);
    }

    void oneModelLearnsFromAll() {
        Three three;
        three();
        QVERIFY(three.shared.samplesOf == (std::map<int, int>{{0, 16}, {1, 16}, {2, 16}}));
    }

    void oneTaskAloneIsNeverSwitchedTo() {
        SearchListener listener;
        ScriptedMeasurer measurer;
        const auto model = makeXgboostModel({});
        tune(taskForTwoCores(matmulDag()), quickSearch(16), measurer, *model, {}, listener);
        QVERIFY(listener.all<TaskSwitched>().empty());
        QCOMPARE(listener.all<TrialFinished>().size(), size_t{16});
    }

    void trialsOfALogCountForTheirTask() {
        Three before;
        const auto results = before();
        Three three;
        three.resumed[1] = results[1].trials;
        three.options[1].trials = 20;
        const auto again = three();
        QCOMPARE(again[0].trials.size(), size_t{16});
        QCOMPARE(again[1].trials.size(), size_t{4});
        std::set<std::string> distinct(before.measurers[1].measured.begin(), before.measurers[1].measured.end());
        distinct.insert(three.measurers[1].measured.begin(), three.measurers[1].measured.end());
        QCOMPARE(distinct.size(), size_t{20}); // none again
    }

    void roundsOfALogAreThoseItsTrialsFill() {
        const Task task = taskForTwoCores(matmulDag());
        SearchListener listener;
        ScriptedMeasurer measurer;
        const auto model = makeXgboostModel({});
        SearchOptions options = quickSearch(85);
        const std::vector<Trial> log = tune(task, options, measurer, *model, {}, listener).trials;
        QCOMPARE(log.size(), size_t{85});
        const auto roundsBefore = [&](int perRound) {
            options.trials = 86;
            options.trialsPerRound = perRound;
            NotingOrder order;
            tuneTasks({{task, options, measurer, *model, log}}, {.threads = 1}, order, listener, nullptr);
            return order.rounds;
        };
        QVERIFY(roundsBefore(8) == (std::vector<size_t>{11}));
        QVERIFY(roundsBefore(0) == (std::vector<size_t>{6})); // of 16, 16, 16, 16, 16 and of 20 the first 5
    }

    void aTaskWithoutAnyTrialsLeftIsOnlyCompared() {
        Three before;
        const auto results = before();
        Three three;
        three.resumed[0] = results[0].trials;
        const auto again = three();
        QVERIFY(again[0].trials.empty() && again[0].best && again[0].bestIsResumed);
        QVERIFY(three.measurers[0].measured.empty());
        QCOMPARE(again[1].trials.size(), size_t{16});
    }

    /// Those of the log count; who is over its share is compared all the same.
    void tasksMayShareTheirTrials() {
        Three before;
        const auto log = before();
        Three three;
        three.together.sharedTrials = 22;
        three.resumed[2] = {log[2].trials.begin(), log[2].trials.begin() + 3};
        const auto results = three();
        QVERIFY(three.measurers[0].batches == (std::vector<size_t>{8}));
        QVERIFY(three.measurers[1].batches == (std::vector<size_t>{8}));
        QVERIFY(three.measurers[2].batches == (std::vector<size_t>{3})); // 22 - 3 - 8 - 8
        for (const SearchResult &result : results) QVERIFY(result.best && !result.cancelled && result.bestTime.known());
        // Nothing is left of what the log has already.
        Three again;
        again.together.sharedTrials = 16;
        again.resumed[0] = log[0].trials;
        const auto none = again();
        for (const ScriptedMeasurer &measurer : again.measurers) QVERIFY(measurer.batches.empty());
        QVERIFY(none[0].best && none[0].bestIsResumed && !none[1].best && !none[1].cancelled);
    }

    void oneThatFailsAlwaysDoesNotKeepTheOthersUp() {
        Three three;
        three.measurers[1].fault = [](const Steps &) { return TrialError::RuntimeDevice; };
        const auto results = three();
        QVERIFY(!results[1].best);
        QCOMPARE(results[1].trials.size(), size_t{16});
        QVERIFY(results[0].best && results[2].best);
    }

    void aCancelEndsAllOfThem() {
        Three three;
        three.listener.onEvent = [&](const SearchEvent &event) {
            const auto *trial = std::get_if<TrialFinished>(&event);
            if (trial && trial->task == 1 && trial->number == 3) three.control.cancel();
        };
        const auto results = three();
        QCOMPARE(results[0].trials.size(), size_t{8});
        QVERIFY(results[1].trials.size() >= 3 && results[1].trials.size() <= 8); // its round may be over by then
        QCOMPARE(results[2].trials.size(), size_t{0});
        for (const SearchResult &result : results) QVERIFY(result.cancelled);
        QVERIFY(results[0].best && !results[2].best);
    }

    /// Beyond the time limit only the tasks go on that have no kernel yet.
    void theTimeLimitWaitsForAFirstKernelOfEach() {
        Three three;
        constexpr double kLimit = 3000;
        three.together.timeLimitSeconds = kLimit;
        three.together.spentSeconds = kLimit * 1.2;
        three.options[2].trials = 1000;
        int failures = 0;
        three.measurers[2].fault = [&](const Steps &) {
            return ++failures <= 8 ? TrialError::RuntimeDevice : TrialError::None; // its first round
        };
        const auto results = three();
        QVERIFY(results[2].best);
        QVERIFY2(results[0].trials.size() <= 8 && results[1].trials.size() <= 8 && !results[0].trials.empty(),
                 qPrintable(QString("%1 %2").arg(results[0].trials.size()).arg(results[1].trials.size())));
        QVERIFY(results[2].trials.size() > 8 && results[2].trials.size() <= 16);
    }
};

LOOPSCOPE_TEST(TasksTest)
#include "tasks_test.moc"
