// Rounds that are measured at the same time: what is tried does not depend on which of them is faster, what is told
// comes in order, and whatever ends a search ends all of them.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "schedule/steps_json.h"
#include "search/gain_order.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

using namespace loopscope;

namespace overlap_test {

namespace {

struct Found {
    std::vector<SearchResult> results;
    std::vector<int> picks;
    std::vector<TrialFinished> trials;
    std::vector<RoundFinished> rounds;
};

/// So many tasks, their rounds under way at a time; `wait`: milliseconds before a trial of a task.
Found searched(size_t tasks, int atOnce, int trials, const std::function<int(size_t task)> &wait, TaskOrder &order) {
    const std::vector<Task> all{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96)),
                                taskForTwoCores(conv2dBiasReluNchwDag())};
    std::vector<ScriptedMeasurer> measurers(tasks);
    const auto model = makeXgboostModel({});
    std::vector<TaskJob> jobs;
    for (size_t i = 0; i < tasks; ++i) {
        measurers[i].atOnce = atOnce;
        measurers[i].before = [&wait, i](size_t) {
            if (const int milliseconds = wait(i); milliseconds > 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        };
        jobs.push_back({all[i], quickSearch(trials), measurers[i], *model, {}});
    }
    SearchListener listener;
    Found found;
    found.results = tuneTasks(jobs, {.threads = 1}, order, listener);
    for (const TaskPicked &picked : listener.all<TaskPicked>()) found.picks.push_back(picked.task);
    found.trials = listener.all<TrialFinished>();
    found.rounds = listener.all<RoundFinished>();
    return found;
}

std::vector<std::string> stepsOf(const SearchResult &result) {
    std::vector<std::string> steps;
    for (const Trial &trial : result.trials) steps.push_back(stepsText(trial.steps.unpack()));
    return steps;
}

int noWait(size_t) { return 0; }

} // namespace

class OverlapTest : public QObject {
    Q_OBJECT
  private slots:
    void whichIsFasterChangesNothing() {
        const auto order = [] { return makeGradientOrder({}); };
        const Found even = searched(3, 3, 32, noWait, *order());
        const Found first = searched(3, 3, 32, [](size_t task) { return task == 0 ? 6 : 0; }, *order());
        const Found last = searched(3, 3, 32, [](size_t task) { return task == 2 ? 6 : 0; }, *order());
        QCOMPARE(even.picks, first.picks);
        QCOMPARE(even.picks, last.picks);
        for (size_t i = 0; i < 3; ++i) {
            const auto steps = stepsOf(even.results[i]);
            QCOMPARE(steps.size(), size_t{32});
            QCOMPARE(std::set<std::string>(steps.begin(), steps.end()).size(), size_t{32});
            QCOMPARE(steps, stepsOf(first.results[i]));
            QCOMPARE(steps, stepsOf(last.results[i]));
            QVERIFY(even.results[i].best);
        }
    }

    /// The next round of a task alone is bred while the one before is measured, and knows nothing of it.
    void oneTaskIsToldInOrder() {
        const auto order = makeRoundRobinOrder();
        const Found found = searched(1, 2, 40, [](size_t) { return 1; }, *order);
        QCOMPARE(found.trials.size(), size_t{40});
        for (size_t i = 0; i < found.trials.size(); ++i) {
            QCOMPARE(found.trials[i].number, static_cast<int>(i) + 1);
            QCOMPARE(found.trials[i].total, 40);
            QCOMPARE(found.trials[i].round, static_cast<int>(i / 8) + 1);
        }
        QCOMPARE(found.rounds.size(), size_t{5});
        for (size_t i = 0; i < found.rounds.size(); ++i) {
            QCOMPARE(found.rounds[i].round, static_cast<int>(i) + 1);
            QCOMPARE(found.rounds[i].trials, 8 * (static_cast<int>(i) + 1));
        }
        const auto steps = stepsOf(found.results[0]);
        QCOMPARE(std::set<std::string>(steps.begin(), steps.end()).size(), size_t{40});
        // What is not known yet makes it another search than that of one round after the other, from the second on.
        const auto again = makeRoundRobinOrder();
        const auto alone = stepsOf(searched(1, 1, 40, noWait, *again).results[0]);
        QVERIFY(std::equal(steps.begin(), steps.begin() + 8, alone.begin()));
        QVERIFY(steps != alone);
    }

    void asManyAsMayBe() {
        std::atomic<int> now{0}, most{0};
        const std::vector<Task> tasks{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96)),
                                      taskForTwoCores(conv2dBiasReluNchwDag())};
        std::vector<ScriptedMeasurer> measurers(3);
        const auto model = makeXgboostModel({});
        std::vector<TaskJob> jobs;
        for (size_t i = 0; i < 3; ++i) {
            measurers[i].atOnce = i == 1 ? 2 : 5; // what the least of them can have
            measurers[i].before = [&](size_t) {
                const int mine = ++now;
                for (int seen = most; seen < mine && !most.compare_exchange_weak(seen, mine);) {
                }
                // The first waits for company, which is bred meanwhile.
                for (int i = 0; i < 5000 && most < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                --now;
            };
            jobs.push_back({tasks[i], quickSearch(24), measurers[i], *model, {}});
        }
        SearchListener listener;
        const auto order = makeGainOrder();
        const auto results = tuneTasks(jobs, {.threads = 1}, *order, listener);
        QCOMPARE(most.load(), 2);
        for (const SearchResult &result : results) QCOMPARE(result.trials.size(), size_t{24});
        // The others come before a second round of one that has one under way.
        const auto picks = listener.all<TaskPicked>();
        QVERIFY(picks.size() >= 3);
        QCOMPARE((std::set<int>{picks[0].task, picks[1].task, picks[2].task}), (std::set<int>{0, 1, 2}));
    }

    /// The oldest round ends, all of it, while the last trial of the other is being told: nobody calls again.
    void whatComesWhileAnotherIsToldIsNotMissed() {
        const std::vector<Task> tasks{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96))};
        std::atomic<bool> telling{false};
        std::atomic<size_t> ended{0};
        std::vector<ScriptedMeasurer> measurers(2);
        for (ScriptedMeasurer &measurer : measurers) measurer.atOnce = 2;
        const auto wait = [](const auto &until) {
            for (int i = 0; i < 20000 && !until(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        measurers[0].before = [&](size_t before) {
            wait([&] { return telling.load(); });
            ended = before + 1;
        };
        const auto model = makeXgboostModel({});
        SearchListener listener;
        size_t told = 0;
        listener.onEvent = [&](const SearchEvent &event) {
            const auto *trial = std::get_if<TrialFinished>(&event);
            if (!trial || trial->task != 1 || ++told != 8) return;
            telling = true;
            wait([&] { return ended == 8; });
            std::this_thread::sleep_for(std::chrono::milliseconds(200)); // its thread says that it is over
        };
        const auto order = makeRoundRobinOrder();
        const std::vector<TaskJob> jobs{{tasks[0], quickSearch(8), measurers[0], *model, {}},
                                        {tasks[1], quickSearch(8), measurers[1], *model, {}}};
        const auto results = tuneTasks(jobs, {.threads = 1}, *order, listener);
        QVERIFY(telling);
        for (const SearchResult &result : results) QCOMPARE(result.trials.size(), size_t{8});
    }

    void sharedTrialsAreNotExceeded() {
        const std::vector<Task> tasks{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96))};
        std::vector<ScriptedMeasurer> measurers(2);
        const auto model = makeXgboostModel({});
        std::vector<TaskJob> jobs;
        for (size_t i = 0; i < 2; ++i) {
            measurers[i].atOnce = 4;
            jobs.push_back({tasks[i], quickSearch(64), measurers[i], *model, {}});
        }
        SearchListener listener;
        const auto order = makeRoundRobinOrder();
        const auto results = tuneTasks(jobs, {.threads = 1, .sharedTrials = 42}, *order, listener);
        QCOMPARE(results[0].trials.size() + results[1].trials.size(), size_t{42});
    }

    void aCancelEndsAll() {
        SearchControl control;
        const std::vector<Task> tasks{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96))};
        std::vector<ScriptedMeasurer> measurers(2);
        const auto model = makeXgboostModel({});
        std::vector<TaskJob> jobs;
        for (size_t i = 0; i < 2; ++i) {
            measurers[i].atOnce = 2;
            measurers[i].before = [&](size_t ended) {
                if (ended == 5) control.cancel();
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            };
            jobs.push_back({tasks[i], quickSearch(1000), measurers[i], *model, {}});
        }
        SearchListener listener;
        const auto order = makeRoundRobinOrder();
        const auto results = tuneTasks(jobs, {.threads = 1}, *order, listener, &control);
        for (size_t i = 0; i < 2; ++i) {
            QVERIFY(results[i].cancelled);
            QVERIFY(results[i].trials.size() < 16);
            QCOMPARE(results[i].trials.size(), measurers[i].measured.size()); // none that ended is lost
        }
    }

    /// Trials of a later round that nobody was told of, as the one before it had not ended.
    void whatWasMeasuredIsToldBeforeAnError() {
        const Task task = taskForTwoCores(matmulDag());
        ScriptedMeasurer measurer;
        measurer.atOnce = 2;
        std::mutex mutex;
        std::thread::id first;
        std::atomic<int> later{0};
        measurer.before = [&](size_t) {
            {
                const std::lock_guard lock(mutex);
                if (first == std::thread::id()) first = std::this_thread::get_id();
            }
            if (std::this_thread::get_id() != first) {
                if (++later > 3) std::this_thread::sleep_for(std::chrono::milliseconds(200));
                return;
            }
            for (int i = 0; i < 20000 && later < 4; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            throw Error("no node is left");
        };
        const auto model = makeXgboostModel({});
        SearchListener listener;
        const auto order = makeRoundRobinOrder();
        try {
            (void)tuneTasks({{task, quickSearch(1000), measurer, *model, {}}}, {.threads = 1}, *order, listener);
            QFAIL("a measurement threw");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()), std::string("no node is left"));
        }
        QCOMPARE(listener.all<TrialFinished>().size(), measurer.measured.size());
        QVERIFY(measurer.measured.size() >= 3);
    }

    void whatAMeasurementThrowsEndsTheSearch() {
        const std::vector<Task> tasks{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96))};
        std::vector<ScriptedMeasurer> measurers(2);
        const auto model = makeXgboostModel({});
        std::vector<TaskJob> jobs;
        for (size_t i = 0; i < 2; ++i) {
            measurers[i].atOnce = 2;
            measurers[i].before = [i](size_t ended) {
                if (i == 1 && ended == 3) throw Error("no node is left");
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            };
            jobs.push_back({tasks[i], quickSearch(1000), measurers[i], *model, {}});
        }
        SearchListener listener;
        const auto order = makeRoundRobinOrder();
        try {
            (void)tuneTasks(jobs, {.threads = 1}, *order, listener);
            QFAIL("a measurement threw");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()), std::string("no node is left"));
        }
        // Those that had ended were told.
        QVERIFY(std::ranges::count_if(listener.all<TrialFinished>(),
                                      [](const TrialFinished &trial) { return trial.task == 1; }) == 3);
    }
};

LOOPSCOPE_TEST(OverlapTest)

} // namespace overlap_test
#include "overlap_test.moc"
