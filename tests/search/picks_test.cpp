// Which candidates are measured: not one relative after the other, and the neighbours of the fastest among them.

#include "harness/sample_dags.h"
#include "harness/scripted_measurer.h"
#include "sampled_task.h"
#include "schedule/steps_json.h"
#include "search/evolve/neighbours.h"
#include "search/pick_candidates.h"
#include "search/tuner.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

using namespace loopscope;

namespace picks_test {

namespace {

/// A schedule of three splits; each differs from others by the lengths.
Candidate made(int sketch, std::array<int64_t, 3> lengths, float score) {
    Candidate candidate;
    candidate.sketch = sketch;
    candidate.score = score;
    for (size_t i = 0; i < lengths.size(); ++i)
        candidate.steps.emplace_back(SplitStep{StageId(2), IterId(i), 64, {lengths[i]}, true});
    candidate.key = {static_cast<uint64_t>(sketch),
                     static_cast<uint64_t>(lengths[0] * 10000 + lengths[1] * 100 + lengths[2])};
    return candidate;
}

std::vector<float> scoresOf(const std::vector<Candidate> &candidates) {
    std::vector<float> scores;
    for (const auto &candidate : candidates) scores.push_back(candidate.score);
    return scores;
}

struct Finished final : SearchObserver {
    void on(const SearchEvent &event) override {
        if (const auto *trial = std::get_if<TrialFinished>(&event)) trials.push_back(*trial);
        if (const auto *trained = std::get_if<ModelTrained>(&event)) reports.push_back(*trained);
    }
    std::vector<TrialFinished> trials;
    std::vector<ModelTrained> reports;
};

SearchOptions quick(int trials) {
    SearchOptions options;
    options.trials = trials;
    options.population = 256;
    options.generations = 2;
    options.threads = 2;
    return options;
}

Finished search(const Task &task, const SearchOptions &options, ScriptedMeasurer &measurer,
                const std::vector<Trial> &resumed = {}) {
    Finished heard;
    const auto model = makeXgboostModel({});
    tune(task, options, measurer, *model, resumed, heard);
    return heard;
}

/// Made of a measured one by a single change.
bool isNeighbour(const TrialFinished &trial) {
    return trial.ancestry->parent && !trial.ancestry->parent2 && !trial.ancestry->parent->parent &&
           trial.ancestry->parent->trial > 0;
}

struct Sampled : SampledTask {
    explicit Sampled(const DagPtr &dag, int threads = 1) : SampledTask(dag, threads, 64) {}
    std::vector<Candidate> beside(const std::vector<Candidate> &parents, const std::set<StateKey> &known = {}) {
        return neighboursOf(
            parents, task, options, 2, 96, [&](const StateKey &key) { return known.contains(key); }, pool, scratch);
    }
};

} // namespace

class PicksTest : public QObject {
    Q_OBJECT
  private slots:
    void stepsThatDifferAreCounted() {
        const Candidate one = made(0, {2, 4, 8}, 1);
        QCOMPARE(stepsApart(one, one), size_t(0));
        QCOMPARE(stepsApart(one, made(0, {2, 4, 16}, 1)), size_t(1));
        QCOMPARE(stepsApart(one, made(0, {4, 4, 16}, 1)), size_t(2));
        QCOMPARE(stepsApart(one, made(1, {2, 4, 8}, 1)), size_t(3)); // of another sketch all do
        Candidate longer = one;
        longer.steps.emplace_back(ComputeRootStep{StageId(1)});
        QCOMPARE(stepsApart(one, longer), size_t(1));
        QCOMPARE(stepsApart(longer, one), size_t(1));
    }

    void relativesGiveWayToOthersThatPromiseNearlyAsMuch() {
        const std::vector<Candidate> from = {made(0, {2, 4, 8}, 1.0F), made(0, {2, 4, 16}, 0.99F),
                                             made(0, {2, 8, 8}, 0.98F), made(1, {2, 4, 8}, 0.96F),
                                             made(0, {8, 8, 32}, 0.95F)};
        DiversePicks alike(0, 0);
        alike.pick(from, 3);
        QCOMPARE(scoresOf(alike.take()), (std::vector<float>{1.0F, 0.99F, 0.98F}));
        DiversePicks diverse(0.2, 0); // the relatives lose 0.1, the others 0.05
        diverse.pick(from, 3);
        QCOMPARE(scoresOf(diverse.take()), (std::vector<float>{1.0F, 0.96F, 0.95F}));
        DiversePicks few(0.02, 0); // a relative that much better is picked all the same
        few.pick(from, 2);
        QCOMPARE(scoresOf(few.take()), (std::vector<float>{1.0F, 0.99F}));
    }

    void aSketchThatHasManyGivesWayToOneThatHasFew() {
        const std::vector<Candidate> from = {made(0, {2, 4, 8}, 1.0F), made(0, {4, 8, 16}, 0.99F),
                                             made(1, {2, 4, 8}, 0.93F), made(0, {8, 16, 32}, 0.91F),
                                             made(1, {4, 8, 16}, 0.9F)};
        DiversePicks even(0, 0.1); // second: 0.89 against 0.93; third: 0.94 against 0.85
        even.pick(from, 3);
        QCOMPARE(scoresOf(even.take()), (std::vector<float>{1.0F, 0.93F, 0.99F}));
        DiversePicks later(0, 0.1);
        later.pick({from[0], from[1]}, 2);
        later.pick({from[2], from[3]}, 1); // those picked before count
        QCOMPARE(scoresOf(later.take()), (std::vector<float>{1.0F, 0.99F, 0.93F}));
    }

    void nothingIsPickedTwice() {
        const std::vector<Candidate> from = {made(0, {2, 4, 8}, 1), made(0, {2, 4, 16}, 1), made(0, {2, 4, 8}, 0.5F)};
        DiversePicks picks(0.2, 0);
        picks.pick(from, 1);
        picks.pick(from, 5);
        picks.pick(from, 5);
        QCOMPARE(picks.size(), size_t(2));
        picks.pick({}, 3);
        QCOMPARE(picks.size(), size_t(2));
    }

    void neighboursAreAChangeAwayOrTwoOfTiles_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("conv2d bias relu") << 0;
        QTest::newRow("softmax") << 1;
    }
    void neighboursAreAChangeAwayOrTwoOfTiles() {
        QFETCH(int, which);
        Sampled sampled(which == 0 ? conv2dBiasReluNchwDag() : softmaxDag(64, 96));
        const std::vector<Candidate> parents(sampled.sampled.begin(), sampled.sampled.begin() + 4);
        const auto near = sampled.beside(parents);
        QVERIFY(near.size() > 40);
        std::set<StateKey> keys;
        std::map<std::string_view, int> kinds;
        std::set<const Ancestor *> origins;
        int oneTile = 0;
        int twoTiles = 0;
        for (const Candidate &candidate : near) {
            QVERIFY(keys.insert(candidate.key).second);
            QVERIFY(candidate.rows && !candidate.rows->empty());
            QVERIFY(replay(sampled.task.dag, candidate.steps));
            QVERIFY(candidate.ancestry->parent && candidate.ancestry->steps() == candidate.steps);
            QCOMPARE(candidate.ancestry->mutation, candidate.lineage.mutation);
            QCOMPARE(candidate.ancestry->round, 2);
            ++kinds[candidate.lineage.mutation];
            origins.insert(candidate.ancestry->parent.get());
            const auto parent = std::find_if(parents.begin(), parents.end(), [&](const Candidate &one) {
                return one.ancestry == candidate.ancestry->parent;
            });
            QVERIFY(parent != parents.end());
            QCOMPARE(candidate.sketch, parent->sketch);
            const size_t apart = stepsApart(candidate, *parent);
            if (candidate.lineage.mutation == "tile-size") {
                QVERIFY(apart == 1 || apart == 2);
                ++(apart == 1 ? oneTile : twoTiles);
            } else if (candidate.lineage.mutation != "vectorize" && candidate.lineage.mutation != "parallel") {
                QCOMPARE(apart, size_t(1));
            }
        }
        QVERIFY(oneTile > 0 && twoTiles > 0); // another shape of a register tile is two changes away
        QCOMPARE(origins.size(), size_t(4));
        QVERIFY(kinds["tile-size"] > 0 && kinds["auto-unroll"] > 0);
        QVERIFY(kinds.size() >= 4);
        // Those known are left out.
        const auto fewer = sampled.beside(parents, {near.front().key, near.back().key});
        QCOMPARE(fewer.size(), near.size() - 2);
    }

    void neighboursAreTheSameWithAnyThreads() {
        Sampled one(conv2dBiasReluNchwDag());
        const std::vector<Candidate> parents(one.sampled.begin(), one.sampled.begin() + 2);
        const auto first = one.beside(parents);
        for (const int threads : {2, 5}) {
            Sampled more(conv2dBiasReluNchwDag(), threads);
            const auto again = more.beside(parents);
            QCOMPARE(again.size(), first.size());
            for (size_t i = 0; i < first.size(); ++i) QVERIFY(again[i].key == first[i].key);
        }
        QVERIFY(one.beside({}).empty());
    }

    void aRoundTriesNeighboursOfTheFastest() {
        const Task task = plainTaskForTwoCores(matmulDag());
        ScriptedMeasurer measurer;
        const Finished heard = search(task, quick(64), measurer);
        QCOMPARE(heard.trials.size(), size_t(64));
        std::set<std::string> distinct;
        std::vector<double> fastest; // so far
        std::map<int, int> ofRound;
        for (const TrialFinished &trial : heard.trials) {
            QVERIFY(distinct.insert(stepsText(trial.trial.steps.unpack())).second);
            if (!isNeighbour(trial)) continue;
            ++ofRound[trial.round];
        }
        QCOMPARE(ofRound[1], 0); // nothing measured yet
        const int wanted = static_cast<int>(SearchOptions().refineShare * 16);
        QVERIFY(wanted > 0);
        for (int round = 2; round <= 4; ++round) QVERIFY(ofRound[round] >= wanted);
        // They are near the fastest of the rounds before.
        for (const TrialFinished &trial : heard.trials) {
            if (!isNeighbour(trial) || trial.lineage.generation != 1) continue;
            double least = 1;
            for (const TrialFinished &before : heard.trials)
                if (before.round < trial.round) least = std::min(least, before.trial.cost());
            const auto &origin = heard.trials[static_cast<size_t>(trial.ancestry->parent->trial - 1)];
            if (trial.lineage.parent < 0) QVERIFY(origin.trial.cost() <= 1.15 * least);
        }

        SearchOptions without = quick(64);
        without.refineShare = 0;
        ScriptedMeasurer other;
        int byChance = 0;
        for (const TrialFinished &trial : search(task, without, other).trials) byChance += isNeighbour(trial) ? 1 : 0;
        QVERIFY(byChance < 3 * wanted);
    }

    void aResumedSearchTriesThemAtOnce() {
        const Task task = plainTaskForTwoCores(matmulDag());
        ScriptedMeasurer measurer;
        std::vector<Trial> trials;
        std::set<std::string> known;
        for (const TrialFinished &trial : search(task, quick(16), measurer).trials) {
            trials.push_back(trial.trial);
            known.insert(stepsText(trial.trial.steps.unpack()));
        }
        const Finished heard = search(task, quick(32), measurer, trials);
        QCOMPARE(heard.trials.size(), size_t(16));
        int neighbours = 0;
        for (const TrialFinished &trial : heard.trials) {
            QVERIFY(!known.contains(stepsText(trial.trial.steps.unpack())));
            neighbours += isNeighbour(trial) ? 1 : 0;
        }
        QVERIFY(neighbours >= static_cast<int>(SearchOptions().refineShare * 16));
    }

    void whatIsLeftToChanceComesFirst() {
        const Task task = plainTaskForTwoCores(matmulDag());
        SearchOptions options = quick(32);
        options.epsGreedy = 1;
        ScriptedMeasurer measurer;
        for (const TrialFinished &trial : search(task, options, measurer).trials)
            QVERIFY(trial.round == 1 || !isNeighbour(trial));
    }

    void aBatchIsNotOneFamily() {
        const Task task = plainTaskForTwoCores(conv2dNhwcDag(1, 14, 14, 64, 64, 3, 1, 1));
        const auto relatives = [&](double kinship, uint64_t seed) { // pairs of a batch that differ in a single step
            SearchOptions options = quick(48);
            options.seed = seed;
            options.kinship = kinship;
            options.refineShare = 0;
            ScriptedMeasurer measurer;
            int pairs = 0;
            const Finished heard = search(task, options, measurer);
            for (size_t i = 0; i < heard.trials.size(); ++i)
                for (size_t j = 0; j < i; ++j) {
                    if (heard.trials[i].round != heard.trials[j].round) continue;
                    Candidate a;
                    Candidate b;
                    a.steps = heard.trials[i].trial.steps.unpack();
                    b.steps = heard.trials[j].trial.steps.unpack();
                    a.sketch = heard.trials[i].sketch;
                    b.sketch = heard.trials[j].sketch;
                    pairs += stepsApart(a, b) == 1 ? 1 : 0;
                }
            return pairs;
        };
        int alike = 0;
        int apart = 0;
        for (uint64_t seed = 0; seed < 4; ++seed) {
            alike += relatives(0, seed);
            apart += relatives(SearchOptions().kinship, seed);
        }
        QVERIFY2(alike >= 16 && 3 * apart <= 2 * alike, qPrintable(QStringLiteral("%1 and %2").arg(alike).arg(apart)));
    }

    void disturbedTimesTeachNothingOnceOthersAreKnown() {
        const Task task = plainTaskForTwoCores(matmulDag());
        ScriptedMeasurer measurer;
        const auto disturbed = [](const Steps &steps) { return stepsText(steps).size() % 2 == 0; };
        measurer.unstable = disturbed;
        const Finished heard = search(task, quick(64), measurer);
        QCOMPARE(heard.trials.size(), size_t(64));
        size_t learnt = 0;
        size_t sure = 0;
        for (int round = 1; round <= 4; ++round) {
            size_t all = 0;
            size_t sureNow = 0;
            for (const TrialFinished &trial : heard.trials) {
                if (trial.round != round) continue;
                ++all;
                sureNow += trial.trial.unstable ? 0 : 1;
            }
            sure += sureNow;
            learnt += sure >= 8 ? sureNow : all;
            const auto report = std::find_if(heard.reports.begin(), heard.reports.end(),
                                             [&](const auto &r) { return r.round == round; });
            if (report != heard.reports.end()) QCOMPARE(report->report.samples, learnt);
        }
        QVERIFY(learnt < 64);

        ScriptedMeasurer noisy; // nothing else is known: better than nothing
        noisy.unstable = [](const Steps &) { return true; };
        const Finished all = search(task, quick(32), noisy);
        QCOMPARE(all.reports.back().report.samples, size_t(32));
    }
};

LOOPSCOPE_TEST(PicksTest)

} // namespace picks_test
#include "picks_test.moc"
