// Evolution of a population under a made-up model: what is kept, what is told, and that threads change nothing.

#include "harness/sample_dags.h"
#include "sampled_task.h"
#include "search/evolve/evolve_population.h"
#include "search/search_round.h"
#include "test_program.h"

#include <QtTest>
#include <cmath>
#include <malloc.h>
#include <set>

using namespace loopscope;

namespace {

/// Likes programs whose rows have large numbers, in a way that evolution can follow.
class ScriptedModel final : public CostModel {
  public:
    void predict(const FeatureMatrix &programs, std::vector<float> &scores) override {
        uint32_t row = 0;
        for (const uint32_t end : programs.programEnd) {
            double sum = 0;
            for (; row < end; ++row)
                for (size_t f = 0; f < kFeatureCount; f += 3)
                    sum +=
                        std::fmod(programs.values[row * kFeatureCount + f] * (1.0 + 0.1 * static_cast<double>(f)), 7);
            scores.push_back(static_cast<float>(sum));
        }
        predicted += programs.programs();
    }
    TrainingReport update(const std::vector<TrainingSample> &, const std::atomic<bool> *) override { return {}; }
    [[nodiscard]] bool trained() const override { return true; }
    size_t predicted = 0;
};

struct Evolution : SampledTask {
    explicit Evolution(int threads, uint64_t seed = 0) : SampledTask(conv2dBiasReluNchwDag(), threads, 96, seed) {}
    std::vector<Candidate> run(int generations = 3, size_t keep = 24) {
        events.clear();
        return evolvePopulation(
            task, options, 1, generations, sampled, keep,
            [this](std::vector<Candidate> &candidates) { scoreCandidates(candidates, model, 0, 1); },
            [this](const StateKey &key) { return known.contains(key); }, pool, scratch,
            [this](const SearchEvent &event) { events.push_back(std::get<GenerationEvolved>(event)); });
    }
    ScriptedModel model;
    std::set<StateKey> known;
    std::vector<GenerationEvolved> events;
};

} // namespace

class GenerationsTest : public QObject {
    Q_OBJECT
  private slots:
    void bestAreDistinctSortedAndBetterThanTheFirst() {
        Evolution evolution(1);
        const auto first = evolution.run(0);
        const auto best = evolution.run(4);
        QCOMPARE(best.size(), size_t(24));
        std::set<StateKey> keys;
        for (size_t i = 0; i < best.size(); ++i) {
            QVERIFY(keys.insert(best[i].key).second);
            if (i > 0) QVERIFY(best[i - 1].score >= best[i].score);
            QVERIFY(best[i].rows && !best[i].rows->empty());
        }
        QVERIFY(best.front().score > first.front().score);
        QVERIFY(best.back().score > first.back().score);
    }

    void threadsChangeNothing() {
        Evolution one(1);
        const auto expected = one.run();
        for (const int threads : {2, 3, 8}) {
            Evolution other(threads);
            const auto best = other.run();
            QCOMPARE(best.size(), expected.size());
            for (size_t i = 0; i < best.size(); ++i) {
                QVERIFY(best[i].steps == expected[i].steps);
                QCOMPARE(best[i].score, expected[i].score);
                QCOMPARE(best[i].lineage.parent, expected[i].lineage.parent);
            }
        }
    }

    void anotherSeedBreedsOthers() {
        const auto a = Evolution(1, 1).run();
        const auto b = Evolution(1, 2).run();
        QVERIFY(a.front().steps != b.front().steps);
    }

    /// Each invalid child has its reason.
    void reasonsOfInvalidChildrenAreCounted() {
        Evolution evolution(2);
        evolution.run(4);
        int lost = 0;
        for (const GenerationEvolved &event : evolution.events) {
            int told = 0;
            for (const auto &[reason, count] : event.refusals) {
                QVERIFY(!reason.empty() && count > 0);
                told += count;
            }
            QCOMPARE(told, event.invalid);
            lost += told;
        }
        QVERIFY(lost > 0);
    }

    void knownStatesAreNotOffered() {
        Evolution evolution(1);
        const auto best = evolution.run();
        for (size_t i = 0; i < 10; ++i) evolution.known.insert(best[i].key);
        const auto others = evolution.run();
        QVERIFY(!others.empty());
        for (const auto &candidate : others) QVERIFY(!evolution.known.contains(candidate.key));
    }

    void lineageAndEventsTellWhereCandidatesComeFrom() {
        Evolution evolution(1);
        const auto best = evolution.run(3);
        QCOMPARE(evolution.events.size(), size_t(4));
        for (size_t i = 0; i < evolution.events.size(); ++i) {
            QCOMPARE(evolution.events[i].generation, static_cast<int>(i));
            QVERIFY(evolution.events[i].bestScore >= evolution.events[i].medianScore);
        }
        int bred = 0;
        for (const auto &candidate : best) {
            QCOMPARE(candidate.lineage.score, candidate.score);
            QVERIFY(candidate.lineage.generation >= 0 && candidate.lineage.generation <= 3);
            if (candidate.lineage.generation == 0) continue;
            ++bred;
            QVERIFY(candidate.lineage.parent >= 0);
            QCOMPARE(candidate.lineage.parent2 >= 0, candidate.lineage.mutation == "crossover");
        }
        QVERIFY(bred > 0);
    }

    void theEstimateLeadsAsFarAsItIsLeantOn() {
        Evolution evolution(1);
        auto candidates = evolution.sampled;
        double best = candidates.front().draft;
        for (const auto &candidate : candidates) best = std::min(best, candidate.draft);
        QVERIFY(best > 0);
        scoreCandidates(candidates, evolution.model, 1e6, best);
        const auto leader = std::max_element(candidates.begin(), candidates.end(),
                                             [](const auto &a, const auto &b) { return a.score < b.score; });
        QCOMPARE(leader->draft, best);
    }

    /// A search without one would say so.
    void noTargetLacksAnEstimate() {
        const auto notes = [](TargetKind kind, double draftTrials) {
            Task task = makeTask(matmulDag(), {});
            task.target.kind = kind;
            task.target.hardware = {2, 64, 64, 49152, 2147483647, 1024, 8, 32};
            SearchOptions options;
            options.draftTrials = draftTrials;
            options.population = 8;
            ScriptedModel model;
            SearchControl control;
            SearchBudget watch(control, 0, 0);
            ScoringThreads threads(1);
            std::vector<std::string> told;
            SearchRounds rounds(
                task, 0, options, model, threads,
                [&](const SearchEvent &event) {
                    if (const auto *note = std::get_if<SearchNote>(&event)) told.push_back(note->sentence);
                },
                watch);
            return told;
        };
        QCOMPARE(notes(TargetKind::Llvm, 24).size(), size_t(0));
        QCOMPARE(notes(TargetKind::Cuda, 24).size(), size_t(0));
    }

    /// What a long search keeps of its candidates: they differ in few numbers.
    void keptCandidatesTakeLittle() {
        const auto allocated = [] { return mallinfo2().uordblks; };
        if (allocated() == 0) QSKIP("the allocator of this build does not tell what is allocated");
        Evolution evolution(1);
        const auto best = evolution.run(16, 1000);
        QVERIFY2(best.size() >= 900, qPrintable(QString::number(best.size())));
        StepSkeletons skeletons;
        std::vector<PackedSteps> kept(best.size());
        std::vector<PackedSteps> packed(best.size());
        const size_t before = allocated();
        for (size_t i = 0; i < best.size(); ++i) packed[i] = best[i].steps;
        const size_t between = allocated();
        for (size_t i = 0; i < best.size(); ++i) kept[i] = skeletons.keep(packed[i]);
        const size_t all = allocated() - between;
        for (size_t i = 0; i < best.size(); ++i) QVERIFY(kept[i].unpack() == best[i].steps);
        const auto each = [&](size_t bytes) { return static_cast<double>(bytes) / static_cast<double>(best.size()); };
        const QString said = QStringLiteral("%1 bytes each, %2 by themselves, %3 skeletons")
                                 .arg(each(all))
                                 .arg(each(between - before))
                                 .arg(skeletons.size());
        QVERIFY2(each(all) < 112, qPrintable(said));
        QVERIFY2(2 * skeletons.size() < best.size(), qPrintable(said));
    }

    void anEmptyPopulationHasNoBest() {
        Evolution evolution(1);
        evolution.sampled.clear();
        QVERIFY(evolution.run().empty());
    }
};

LOOPSCOPE_TEST(GenerationsTest)
#include "generations_test.moc"
