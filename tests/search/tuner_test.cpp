// The whole search with a scripted machine: same candidates in the same order, resuming, stopping, failures.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <set>
#include <thread>
#include <utility>

using namespace loopscope;

namespace {

struct Run {
    explicit Run(const DagPtr &dag, SearchOptions given = quickSearch(24))
        : task(taskForTwoCores(dag)), options(std::move(given)) {}
    SearchResult operator()() {
        const auto model = makeXgboostModel({});
        return tune(task, options, measurer, *model, resumed, listener, &control);
    }
    Task task;
    SearchOptions options;
    ScriptedMeasurer measurer;
    std::vector<Trial> resumed;
    SearchListener listener;
    SearchControl control;
};

bool isVectorised(const Steps &steps) {
    return std::any_of(steps.begin(), steps.end(), [](const Step &step) {
        const auto *annotate = std::get_if<AnnotateStep>(&step);
        return annotate && annotate->annotation == Annotation::Vectorize;
    });
}

} // namespace

class TunerTest : public QObject {
    Q_OBJECT
  private slots:
    void sameSeedSameCandidatesWithAnyThreads() {
        Run first(conv2dBiasReluNchwDag());
        first();
        QCOMPARE(first.measurer.measured.size(), size_t(24));
        for (const int threads : {1, 2, 3, 8}) {
            Run again(conv2dBiasReluNchwDag());
            again.options.threads = threads;
            again();
            QVERIFY2(again.measurer.measured == first.measurer.measured, qPrintable(QString::number(threads)));
        }
    }

    void anotherSeedOtherCandidates() {
        Run first(matmulDag());
        Run second(matmulDag());
        second.options.seed = 1;
        first();
        second();
        QVERIFY(first.measurer.measured != second.measurer.measured);
    }

    void nothingIsMeasuredTwice() {
        Run run(matmulDag(), quickSearch(40));
        run();
        const std::set<std::string> distinct(run.measurer.measured.begin(), run.measurer.measured.end());
        QCOMPARE(distinct.size(), size_t(40));
    }

    void trialsComeInRoundsAndTheBestIsComparedAgain() {
        Run run(matmulDag(), quickSearch(20));
        const SearchResult result = run();
        QVERIFY(run.measurer.batches == (std::vector<size_t>{8, 8, 4}));
        QCOMPARE(result.trials.size(), size_t(20));
        QCOMPARE(run.measurer.compared.size(), size_t(4));
        QVERIFY(result.best && !result.bestIsResumed && !result.cancelled);
        double least = 1;
        for (const auto &trial : result.trials) least = std::min(least, trial.median());
        QCOMPARE(result.trials[*result.best].median(), least);
        QCOMPARE(loggedSeconds(result.bestTime.seconds), least);
    }

    /// Few trials learn from their first ones, with a seed as without; many come in rounds of Ansor's size.
    void roundsGrowWithWhatIsKnown() {
        const auto batches = [](int trials, int perRound, std::vector<Trial> resumed = {}) {
            Run run(matmulDag(), quickSearch(trials));
            run.options.seed = 7;
            run.options.trialsPerRound = perRound;
            run.resumed = std::move(resumed);
            const SearchResult result = run();
            return std::pair(run.measurer.batches, result.trials);
        };
        using Sizes = std::vector<size_t>;
        const auto [few, trials] = batches(64, SearchOptions().trialsPerRound);
        QVERIFY(few == (Sizes{16, 16, 16, 16}));
        QVERIFY(batches(130, 0).first == (Sizes{16, 16, 16, 16, 16, 20, 25, 5}));
        QVERIFY(batches(110, 0, trials).first == (Sizes{16, 20, 10})); // goes on as a longer one
        QVERIFY(batches(70, 64).first == (Sizes{64, 6}));
        const SearchOptions growing;
        QCOMPARE(growing.roundSize(255), 63);
        QCOMPARE(growing.roundSize(256), 64);
        QCOMPARE(growing.roundSize(100000), 64);
    }

    void theComparisonDecidesWithItsInterval() {
        // The fastest trial was a fluke: in the comparison it is twice as slow, and the naive schedule takes part.
        Run run(matmulDag(), quickSearch(20));
        run.options.naiveSeconds = 0.05;
        std::vector<std::string> order;
        run.measurer.interleaved = [&](const Steps &steps, int rounds) {
            const bool naive = steps.empty();
            const bool fluke = order.empty();
            order.push_back(stepsText(steps));
            std::vector<double> samples;
            for (int i = 0; i < rounds; ++i)
                samples.push_back((naive ? 0.06 : scriptedSeconds(steps) * (fluke ? 2 : 1)) * (1 + 0.01 * i));
            return samples;
        };
        const SearchResult result = run();
        QVERIFY(result.best);
        QCOMPARE(order.size(), size_t(5)); // four finalists, and the loops as written
        QCOMPARE(order.back(), stepsText({}));
        QCOMPARE(stepsText(result.trials[*result.best].steps.unpack()), order[1]);
        const auto heard = run.listener.all<FinalistsCompared>();
        QCOMPARE(heard.size(), size_t(1));
        const FinalistsCompared &event = heard.front();
        QCOMPARE(event.entries.size(), size_t(5));
        QCOMPARE(event.winner, size_t(1));
        QCOMPARE(event.entries[1].trial, static_cast<int>(*result.best));
        QCOMPARE(event.entries[4].trial, -1);
        QCOMPARE(result.bestTime.seconds, event.entries[1].time.seconds);
        QVERIFY(result.bestTime.low < result.bestTime.seconds && result.bestTime.seconds < result.bestTime.high);
        // Eleven samples a step apart: the quartile is between the third and the fourth, the interval goes to the
        // seventh.
        const double least = scriptedSeconds(result.trials[*result.best].steps.unpack());
        QCOMPARE(result.bestTime.seconds, least * 1.025);
        QCOMPARE(result.bestTime.low, least);
        QCOMPARE(result.bestTime.high, least * 1.06);
    }

    void aNaiveScheduleTooSlowToWaitForIsLeftOutOfTheComparison() {
        for (const double seconds : {0.2, 2.0, 20.0}) {
            Run run(matmulDag(), quickSearch(8));
            run.options.naiveSeconds = seconds;
            int rounds = 0;
            bool naive = false;
            run.measurer.interleaved = [&](const Steps &steps, int asked) {
                rounds = asked;
                naive = naive || steps.empty();
                return std::vector<double>(static_cast<size_t>(asked), scriptedSeconds(steps));
            };
            run();
            QCOMPARE(rounds, 11);
            QCOMPARE(naive, seconds < 20);
        }
    }

    void eventsTellTheStory() {
        Run run(matmulDag(), quickSearch(16));
        run();
        const SearchListener &heard = run.listener;
        QCOMPARE(heard.all<SketchesMade>().size(), size_t(1));
        QCOMPARE(heard.all<SketchesMade>().front().sketches.size(), size_t(3));
        QVERIFY(!heard.all<SketchTried>().empty());
        QCOMPARE(heard.all<PopulationSampled>().size(), size_t(2));
        QCOMPARE(heard.all<ModelTrained>().size(), size_t(2));
        QCOMPARE(heard.all<RoundFinished>().size(), size_t(2));
        QCOMPARE(heard.all<RoundFinished>().back().trials, 16);
        QCOMPARE(heard.all<FinalistsCompared>().size(), size_t(1));
        const auto finished = heard.all<TrialFinished>();
        QCOMPARE(finished.size(), size_t(16));
        double best = 1;
        for (size_t i = 0; i < finished.size(); ++i) {
            best = std::min(best, finished[i].trial.median());
            QCOMPARE(finished[i].number, static_cast<int>(i) + 1);
            QCOMPARE(finished[i].total, 16);
            QCOMPARE(finished[i].bestSeconds, best);
            QVERIFY(finished[i].gflops > 0);
        }
    }

    /// A product too small for threads: its parallel loops run serially, and trials, result and reasons say so.
    void loopsThatRunSeriallyAreCounted() {
        Run run(matmulDag(16, 16, 8), quickSearch(16));
        const SearchResult result = run();
        int trials = 0;
        for (const TrialFinished &finished : run.listener.all<TrialFinished>())
            trials += finished.serialised.empty() ? 0 : 1;
        QVERIFY(trials > 0);
        QCOMPARE(result.serialisedTrials, trials);
        QVERIFY(result.serialisedLoops.contains("parallel: its work is too little to start threads for"));
        int children = 0;
        for (const GenerationEvolved &evolved : run.listener.all<GenerationEvolved>()) children += evolved.invalid;
        for (const auto &[reason, count] : result.refusedChildren) children -= count;
        QCOMPARE(children, 0);
    }

    void searchBeatsChance() {
        Run guided(matmulDag(), quickSearch(64));
        guided.options.population = 512;
        Run chance(matmulDag(), quickSearch(64));
        chance.options.epsGreedy = 1;
        chance.options.firstRoundChance = 1;
        const auto mean = [](const SearchResult &result) {
            double sum = 0;
            for (size_t i = 32; i < 64; ++i) sum += result.trials[i].median();
            return sum / 32;
        };
        QVERIFY(mean(guided()) < 0.9 * mean(chance()));
    }

    void resumingLearnsAndMeasuresNothingAgain() {
        Run first(matmulDag(), quickSearch(16));
        const SearchResult before = first();
        Run second(matmulDag(), quickSearch(24));
        second.resumed = before.trials;
        const SearchResult after = second();
        QCOMPARE(after.trials.size(), size_t(8)); // the trials of the log count
        const std::set<std::string> old(first.measurer.measured.begin(), first.measurer.measured.end());
        for (const auto &steps : second.measurer.measured) QVERIFY(!old.contains(steps));
        const auto trained = second.listener.all<ModelTrained>();
        QCOMPARE(trained.front().report.samples, size_t(16));
        QCOMPARE(second.listener.all<TrialFinished>().front().number, 17);
        double least = 1;
        for (const auto *trials : {&before.trials, &after.trials})
            for (const auto &trial : *trials) least = std::min(least, trial.median());
        QVERIFY(after.best);
        QCOMPARE((after.bestIsResumed ? before.trials : after.trials)[*after.best].median(), least);
    }

    /// By the executor, say; a machine that times is to time it, too.
    void whatWasOnlyCheckedCanBeTimed() {
        Run first(matmulDag(), quickSearch(8));
        const SearchResult before = first();
        for (const bool timed : {true, false}) {
            Run second(matmulDag(), quickSearch(16));
            second.resumed = before.trials;
            if (!timed)
                for (Trial &trial : second.resumed) trial.seconds.clear();
            const auto model = makeXgboostModel({});
            const auto order = makeRoundRobinOrder();
            TaskJob job{second.task, second.options, second.measurer, *model, second.resumed};
            job.startFrom = {before.trials[3].steps.unpack()};
            tuneTasks({job}, {0, 0, 1}, *order, second.listener, &second.control);
            const std::vector<std::string> &measured = second.measurer.measured;
            QCOMPARE(std::count(measured.begin(), measured.end(), first.measurer.measured[3]), timed ? 0 : 1);
        }
    }

    /// What a search without a GPU has checked does not use up the trials of one that times; a second search that
    /// checks counts them.
    void whatWasOnlyCheckedIsNotCountedByASearchThatTimes() {
        Run first(matmulDag(), quickSearch(8));
        const SearchResult before = first();
        for (const bool times : {true, false}) {
            Run second(matmulDag(), quickSearch(12));
            second.measurer.timing = times;
            second.resumed = before.trials;
            for (Trial &trial : second.resumed) trial.seconds.clear();
            second();
            QCOMPARE(second.measurer.measured.size(), size_t(times ? 12 : 4));
            const auto notes = std::ranges::count_if(second.listener.all<SearchNote>(), [](const SearchNote &note) {
                return note.sentence == "8 trials of the log were checked and not timed; they are not counted here";
            });
            QCOMPARE(notes, times ? 1 : 0);
        }
    }

    void timesAreThoseALogKeeps() {
        Run run(matmulDag(), quickSearch(16));
        const SearchResult result = run();
        bool rounded = false;
        for (const auto &trial : result.trials) {
            for (const double time : trial.seconds) QCOMPARE(time, loggedSeconds(time));
            rounded = rounded || trial.seconds.front() != scriptedSeconds(trial.steps.unpack());
        }
        QVERIFY(rounded); // the machine gave more digits
    }

    void enoughTrialsInTheLogEndAtOnce() {
        Run first(matmulDag(), quickSearch(16));
        Run second(matmulDag(), quickSearch(16));
        second.resumed = first().trials;
        const SearchResult result = second();
        QVERIFY(result.trials.empty());
        QVERIFY(result.best && result.bestIsResumed);
    }

    void aRecordThatDoesNotReplayIsNotedAndLeftOut() {
        Run run(matmulDag(), quickSearch(8));
        Trial foreign;
        foreign.steps = {SplitStep{StageId(9), IterId(0), 512, {4}, true}};
        foreign.seconds = {1e-9};
        run.resumed = {foreign};
        const SearchResult result = run();
        const auto notes = run.listener.all<SearchNote>();
        QCOMPARE(notes.size(), size_t(1));
        QVERIFY(notes.front().sentence.starts_with("trial 0 of the log is not used: "));
        QVERIFY(result.best && !result.bestIsResumed); // however fast it says it was
    }

    void schedulesToStartFromAreMeasuredFirstAndBredFrom() {
        const Task task = taskForTwoCores(matmulDag(64, 64, 64));
        const Steps byHand = {SplitStep{StageId(2), IterId(0), 64, {4, 8}, true},
                              AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}};
        const Steps wrong = {AnnotateStep{StageId(2), IterId(9), Annotation::Parallel}};
        ScriptedMeasurer measurer;
        // Nothing comes near what was made by hand, but what is made of it.
        const auto related = [](const Steps &steps) {
            return !steps.empty() && std::holds_alternative<SplitStep>(steps[0]) &&
                   std::get<SplitStep>(steps[0]).lengths.size() == 2;
        };
        measurer.samples = [&](const Steps &steps) { return std::vector<double>(3, related(steps) ? 1e-3 : 1e-2); };
        SearchListener listener;
        const auto model = makeXgboostModel({});
        const auto order = makeRoundRobinOrder();
        const TaskJob job{task, quickSearch(24), measurer, *model, {}, 1, {wrong, byHand, byHand}};
        const auto results = tuneTasks({job}, {.threads = 1}, *order, listener);
        QCOMPARE(measurer.measured.front(), stepsText(byHand));
        QCOMPARE(std::count(measurer.measured.begin(), measurer.measured.end(), stepsText(byHand)), 1);
        QCOMPARE(measurer.batches.front(), size_t{8}); // within the first round, not beside it
        int bred = 0;
        for (const Trial &trial : results.front().trials) bred += related(trial.steps.unpack()) ? 1 : 0;
        QVERIFY2(bred > 3, QByteArray::number(bred));
        QStringList notes;
        for (const SearchNote &note : listener.all<SearchNote>()) notes << QString::fromStdString(note.sentence);
        QVERIFY2(!notes.filter("schedule 1 to start from is not used: ").isEmpty(), qPrintable(notes.join('\n')));
        QVERIFY2(notes.contains("schedule 3 to start from was measured before"), qPrintable(notes.join('\n')));
    }

    void cancellingKeepsWhatWasMeasured() {
        Run run(matmulDag());
        run.measurer.before = [&](size_t ended) {
            if (ended == 5) {
                run.control.cancel();
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
        };
        const SearchResult result = run();
        QVERIFY(result.cancelled);
        QCOMPARE(result.trials.size(), size_t(5));
        QVERIFY(result.best);
    }

    void theTimeLimitEndsASearch() {
        Run run(matmulDag(), quickSearch(1000));
        run.options.timeLimitSeconds = 1;
        run.measurer.before = [](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
        const auto start = std::chrono::steady_clock::now();
        const SearchResult result = run();
        QVERIFY(result.cancelled);
        QVERIFY(!result.trials.empty() && result.trials.size() < 100);
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    }

    void failuresTeach() {
        Run run(matmulDag(), quickSearch(96));
        run.options.trialsPerRound = 16;
        run.options.population = 256;
        run.options.splitForVectors = false; // else hardly a schedule is without vectors
        run.measurer.fault = [](const Steps &steps) {
            return isVectorised(steps) ? TrialError::RuntimeDevice : TrialError::None;
        };
        const SearchResult result = run();
        QCOMPARE(result.trials.size(), size_t(96));
        const auto failed = [&](size_t from, size_t to) {
            return std::count_if(result.trials.begin() + static_cast<ptrdiff_t>(from),
                                 result.trials.begin() + static_cast<ptrdiff_t>(to),
                                 [](const Trial &trial) { return !trial.valid(); });
        };
        qInfo("%td of the first 16 failed, %td of the last 32", failed(0, 16), failed(64, 96));
        QVERIFY(failed(0, 16) >= 5);
        QVERIFY(failed(64, 96) <= 8);
        QVERIFY(result.best && result.trials[*result.best].valid());
    }

    void allFailuresEndWithoutABest() {
        Run run(matmulDag());
        run.measurer.fault = [](const Steps &) { return TrialError::CompileHost; };
        const SearchResult result = run();
        QCOMPARE(result.trials.size(), size_t(24));
        QVERIFY(!result.best);
        QVERIFY(run.measurer.compared.empty());
    }

    void smallSpacesAreExhaustedWithANote_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("one number") << 0;
        QTest::newRow("elementwise") << 1;
    }
    void smallSpacesAreExhaustedWithANote() {
        QFETCH(int, which);
        Run run(which == 0 ? matmulDag(1, 1, 1) : elementwiseDag(1024, 1024), quickSearch(2000));
        run.options.trialsPerRound = 64;
        const SearchResult result = run();
        QVERIFY(!result.trials.empty() && result.trials.size() < 2000);
        QVERIFY(result.best);
        QCOMPARE(run.listener.all<SearchNote>().size(), size_t(1));
        const std::set<std::string> distinct(run.measurer.measured.begin(), run.measurer.measured.end());
        QCOMPARE(distinct.size(), run.measurer.measured.size());
    }

    void everyKindOfWorkloadIsSearched_data() {
        QTest::addColumn<int>("which");
        int number = 0;
        for (const char *name : {"2039 cubed", "one row", "softmax", "depthwise", "argmax", "row min", "conv bn relu"})
            QTest::newRow(name) << number++;
    }
    void everyKindOfWorkloadIsSearched() {
        QFETCH(int, which);
        const std::vector<std::function<DagPtr()>> dags = {[] { return matmulDag(2039, 2039, 2039); },
                                                           [] { return matmulDag(1, 1000, 512); },
                                                           [] { return softmaxDag(); },
                                                           [] { return depthwiseNhwcDag(); },
                                                           [] { return argmaxDag(); },
                                                           [] { return rowMinDag(); },
                                                           [] { return convBnReluNhwcDag(); }};
        Run run(dags[static_cast<size_t>(which)](), quickSearch(12));
        const SearchResult result = run();
        QCOMPARE(result.trials.size(), size_t(12));
        QVERIFY(result.best);
        for (const auto &trial : result.trials) {
            const auto state = replay(run.task.dag, trial.steps.unpack());
            QVERIFY2(state.ok() && state->concrete(), state.ok() ? "open" : state.why().c_str());
        }
    }
};

LOOPSCOPE_TEST(TunerTest)
#include "tuner_test.moc"
