// Steering a search from another thread: whatever it is doing, a cancel ends it soon; a pause holds it, costs none of
// its time limit, and changes no candidate.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "measure/timing/machine_use.h"
#include "search/search_budget.h"
#include "test_program.h"

#include <QtTest>
#include <future>
#include <mutex>

using namespace loopscope;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kMoment = std::chrono::milliseconds(60);

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

SearchOptions smallSearch(int trials) {
    SearchOptions options = quickSearch(trials);
    options.population = 64;
    options.threads = 2;
    return options;
}

/// A search in a thread of its own, as a window has it.
class Search final : public SearchObserver {
  public:
    /// Does something as soon as this phase begins.
    std::function<void(const PhaseStarted &)> onPhase;
    std::function<void(const SearchEvent &)> onEvent;
    SearchOptions options = smallSearch(24);
    ScriptedMeasurer measurer;
    SearchControl control;
    std::vector<SearchPhase> phases;
    std::vector<TrialProgress> progress;

    SearchResult run() {
        const auto model = makeXgboostModel({});
        return tune(taskForTwoCores(conv2dBiasReluNchwDag()), options, measurer, *model, {}, *this, &control);
    }
    void on(const SearchEvent &event) override {
        if (const auto *started = std::get_if<PhaseStarted>(&event)) {
            phases.push_back(started->phase);
            if (onPhase) onPhase(*started);
        }
        if (const auto *advanced = std::get_if<TrialProgress>(&event)) progress.push_back(*advanced);
        if (onEvent) onEvent(event);
    }
};

} // namespace

Q_DECLARE_METATYPE(loopscope::SearchPhase)

class ControlTest : public QObject {
    Q_OBJECT
  private slots:
    void cancelAnswersSoonInEveryPhase_data() {
        QTest::addColumn<SearchPhase>("phase");
        for (const SearchPhase phase :
             {SearchPhase::PreparingReference, SearchPhase::Sketching, SearchPhase::Sampling, SearchPhase::Evolving,
              SearchPhase::Training, SearchPhase::Building, SearchPhase::Measuring, SearchPhase::ComparingFinalists})
            QTest::newRow(std::string(searchPhaseText(phase)).c_str()) << phase;
    }
    void cancelAnswersSoonInEveryPhase() {
        QFETCH(SearchPhase, phase);
        Search search;
        search.options.population = 30000; // seconds of sampling and of each generation
        search.options.generations = 30;
        search.options.firstRoundGenerations = 30;
        if (phase != SearchPhase::Sampling && phase != SearchPhase::Evolving) search.options = smallSearch(8);
        search.measurer.before = [](size_t) { std::this_thread::sleep_for(kMoment); };
        std::future<void> canceller;
        Clock::time_point cancelled;
        search.onPhase = [&](const PhaseStarted &started) {
            if (started.phase != phase || canceller.valid()) return;
            canceller = std::async(std::launch::async, [&] {
                if (phase == SearchPhase::Sampling || phase == SearchPhase::Evolving)
                    std::this_thread::sleep_for(kMoment);
                cancelled = Clock::now();
                search.control.cancel();
            });
            if (phase != SearchPhase::Sampling && phase != SearchPhase::Evolving) canceller.wait();
        };
        if (phase == SearchPhase::Evolving) search.options.population = 4000;
        const SearchResult result = search.run();
        const double waited = secondsSince(cancelled);
        QVERIFY(canceller.valid());
        qInfo("ended %.0f ms after the cancel", waited * 1e3);
        QVERIFY(waited < 20); // on a machine that does other things too; what was under way would take minutes
        QCOMPARE(search.phases.back(), SearchPhase::Done);
        if (phase == SearchPhase::ComparingFinalists) {
            QCOMPARE(result.trials.size(), size_t(8));
            return;
        }
        QVERIFY(result.cancelled);
        if (phase == SearchPhase::Training) {
            QCOMPARE(result.trials.size(), size_t(8)); // what has been measured is kept
        } else {
            QVERIFY2(result.trials.size() <= 2, qPrintable(QString::number(result.trials.size())));
        }
    }

    void theTimeLimitHoldsWhileSampling() {
        Search search;
        search.options.population = 300000; // minutes
        search.options.timeLimitSeconds = 0.2;
        const auto start = Clock::now();
        QVERIFY(search.run().cancelled);
        QVERIFY(secondsSince(start) < 20);
    }

    void aPauseHoldsTheSearchAndChangesNoCandidate() {
        Search straight;
        straight.run();
        QCOMPARE(straight.measurer.measured.size(), size_t(24));

        Search halting;
        std::mutex mutex; // of what the search thread writes
        int events = 0;
        std::vector<SearchPhase> pausedAt;
        std::promise<void> held;
        halting.onEvent = [&](const SearchEvent &) {
            const std::lock_guard lock(mutex);
            ++events;
        };
        halting.onPhase = [&](const PhaseStarted &started) {
            const std::lock_guard lock(mutex);
            if (started.phase == SearchPhase::Done) return;
            pausedAt.push_back(started.phase);
            halting.control.pause(); // at every phase anew
        };
        auto running = std::async(std::launch::async, [&] { return halting.run(); });
        const auto count = [&] {
            const std::lock_guard lock(mutex);
            return events;
        };
        int holds = 0;
        while (running.wait_for(kMoment) != std::future_status::ready) {
            if (!halting.control.paused()) continue;
            const int before = count();
            std::this_thread::sleep_for(kMoment / 2);
            if (count() == before) ++holds; // what was under way has ended, nothing new has begun
            halting.control.resume();
        }
        running.get();
        QVERIFY(halting.measurer.measured == straight.measurer.measured);
        QVERIFY(pausedAt.size() >= 15);
        QVERIFY2(holds >= 10, qPrintable(QString::number(holds)));
        QVERIFY(halting.control.pausedSeconds() > 0.3);
    }

    void aPausedSearchCanBeCancelled() {
        Search search;
        search.measurer.before = [&](size_t ended) {
            if (ended == 3) search.control.pause();
        };
        auto running = std::async(std::launch::async, [&] { return search.run(); });
        QTRY_VERIFY_WITH_TIMEOUT(search.control.paused(), 5000);
        QVERIFY(running.wait_for(kMoment * 3) == std::future_status::timeout);
        const auto start = Clock::now();
        search.control.cancel();
        const SearchResult result = running.get();
        QVERIFY(secondsSince(start) < 20);
        QVERIFY(result.cancelled);
        QCOMPARE(result.trials.size(), size_t(3));
    }

    void theTimeLimitDoesNotCountPauses() {
        SearchControl control;
        SearchBudget watch(control, 1);
        watch.found();
        control.pause();
        const double before = watch.elapsed();
        QVERIFY(before < 1); // or this machine has better things to do
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        QVERIFY(!watch.stopped);
        QVERIFY(watch.elapsed() - before < 0.5);
        control.resume();
        QTRY_VERIFY_WITH_TIMEOUT(watch.stopped, 20000);
    }

    /// On a machine that is busy elsewhere the first trial may come after the limit; none would be no answer at all.
    void theTimeLimitWaitsForAFirstTrialAtMostAsLongAgain() {
        SearchControl control;
        SearchBudget nothing(control, 0.3);
        QTRY_VERIFY_WITH_TIMEOUT(nothing.stopped, 20000);
        QVERIFY(nothing.elapsed() > 0.6);
        SearchBudget late(control, 0.3, 0.2); // of which a part was over before
        QTRY_VERIFY_WITH_TIMEOUT(late.stopped, 20000);
        QVERIFY(late.elapsed() > 0.4);
        SearchBudget something(control, 100);
        something.found();
        SearchBudget over(control, 100, 150); // in its second half
        std::this_thread::sleep_for(kMoment * 3);
        QVERIFY(!something.stopped && !over.stopped);
        over.found();
        QTRY_VERIFY_WITH_TIMEOUT(over.stopped, 20000);
    }

    /// While a search computes no kernel is timed; while it is paused it holds nobody up.
    void aPausedSearchLeavesTheMachineToOthers() {
        Search search;
        std::atomic<bool> computing = false;
        search.onPhase = [&](const PhaseStarted &started) {
            if (started.phase != SearchPhase::Sampling || computing) return;
            computing = true;
            std::this_thread::sleep_for(kMoment * 3);
            search.control.pause();
        };
        auto running = std::async(std::launch::async, [&] { return search.run(); });
        QTRY_VERIFY_WITH_TIMEOUT(computing, 20000);
        QVERIFY(!search.control.paused());
        const auto timing = MachineUse::begin(MachineUse::Kind::Timing); // waits for the pause
        QVERIFY(timing.has_value());
        QVERIFY(search.control.paused());
        search.control.cancel();
        running.get();
    }

    void phasesComeInOrder() {
        Search search;
        search.options.trials = 16;
        search.run();
        using enum SearchPhase;
        const std::vector<SearchPhase> expected = {
            PreparingReference, Sketching, Sampling, Evolving,  Building, Measuring,          Training,
            Sampling,           Evolving,  Building, Measuring, Training, ComparingFinalists, Done};
        QVERIFY(search.phases == expected);
    }

    void everyTrialIsFollowedFromBuildToRun() {
        Search search;
        search.options.trials = 16;
        search.run();
        std::vector<int> stages(17, 0);
        for (const TrialProgress &one : search.progress) {
            QVERIFY(one.number >= 1 && one.number <= 16);
            QCOMPARE(one.total, 16);
            QCOMPARE(stages[static_cast<size_t>(one.number)]++, static_cast<int>(one.stage));
        }
        for (size_t i = 1; i < stages.size(); ++i) QCOMPARE(stages[i], 4); // built, and run
    }
};

LOOPSCOPE_TEST(ControlTest)
#include "control_test.moc"
