// Where measured candidates come from: a chain of mutations that ends at a sketch or at a trial measured before, every
// link of which is a schedule that can be shown.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "harness/shared_data.h"
#include "records/record/record.h"
#include "schedule/steps_json.h"
#include "search/annotate/sample_population.h"
#include "search/evolve/mutation.h"
#include "test_program.h"

#include <QtTest>
#include <cmath>
#include <map>

using namespace loopscope;

namespace {

struct Heard final : SearchObserver {
    void on(const SearchEvent &event) override {
        if (const auto *trial = std::get_if<TrialFinished>(&event)) trials.push_back(*trial);
        if (const auto *made = std::get_if<SketchesMade>(&event)) sketches = made->sketches;
        if (const auto *sampled = std::get_if<PopulationSampled>(&event)) populations.push_back(*sampled);
        if (const auto *evolved = std::get_if<GenerationEvolved>(&event)) generations.push_back(*evolved);
    }
    std::vector<TrialFinished> trials;
    std::vector<Sketch> sketches;
    std::vector<PopulationSampled> populations;
    std::vector<GenerationEvolved> generations;
};

SearchResult search(const Task &task, Heard &heard, int trials, const std::vector<Trial> &resumed = {}) {
    SearchOptions options = quickSearch(trials);
    options.generations = 3;
    options.threads = 2;
    ScriptedMeasurer measurer;
    const auto model = makeXgboostModel({});
    return tune(task, options, measurer, *model, resumed, heard);
}

/// Empty, or what is wrong with the chain.
QString chainProblem(const Task &task, const Heard &heard, const TrialFinished &trial, int resumed) {
    if (!trial.ancestry) return "no ancestry";
    if (stepsText(trial.ancestry->steps()) != stepsText(trial.trial.steps.unpack()))
        return "the first link is another schedule";
    if (trial.sketch != trial.ancestry->sketch) return "the chain began with another sketch";
    if (!std::isfinite(trial.predicted)) return "no prediction";
    const Ancestor *link = trial.ancestry.get();
    for (; link->parent; link = link->parent.get()) {
        if (link->mutation.empty()) return "a change without a name";
        if (link->parent2 != nullptr && link->mutation != "crossover") return "a second parent without a crossover";
        if (link->round != trial.round) return "bred in another round";
        if (link->parent->generation >= link->generation) return "older than its parent";
        if (!std::isfinite(link->score)) return "a link without a score";
        if (!replay(task.dag, link->steps())) return "a link that does not replay";
        if (link->steps() == link->parent->steps()) return "a change that changed nothing";
    }
    if (!link->mutation.empty()) return "a mutation of nothing";
    if (link->trial == 0) {
        if (link->sketch < 0 || sketchOf(link->steps(), heard.sketches) != link->sketch) return "not of its sketch";
        return {};
    }
    if (link->trial >= trial.number) return "descends from a later trial";
    if (link->trial > resumed &&
        heard.trials[static_cast<size_t>(link->trial - resumed - 1)].trial.steps.unpack() != link->steps())
        return "descends from a trial with other steps";
    return {};
}

} // namespace

class AncestryTest : public QObject {
    Q_OBJECT
  private slots:
    void copiesShareWhatTheOriginalsShare() {
        const Steps first = {SplitStep{StageId(2), IterId(0), 64, {8}, true}, ComputeRootStep{StageId(1)}};
        Steps second = first;
        std::get<SplitStep>(second[0]).lengths = {4};
        auto origin = makeOrigin(first);
        origin->trial = 7;
        origin->score = 0.5F;
        const auto parent = makeDescendant(origin, first, second);
        const auto a = makeDescendant(parent, second, first);
        const auto b = makeDescendant(parent, second, second);
        b->parent2 = origin;
        b->mutation = "crossover";
        AncestorCopies copies;
        StepSkeletons skeletons;
        QVERIFY(!copies.of(nullptr, skeletons));
        const auto copyA = copies.of(a, skeletons);
        const auto copyB = copies.of(b, skeletons);
        QVERIFY(copyA != a && copyA->parent != parent && copyB->parent2 != origin);
        QCOMPARE(copyA->parent, copyB->parent);
        QCOMPARE(copyB->parent2, copyB->parent->parent);
        QCOMPARE(copies.of(a, skeletons), copyA);
        for (const auto &[copy, steps] : {std::pair(copyA, first), std::pair(copyB, second)})
            QCOMPARE(stepsText(copy->steps()), stepsText(steps));
        QCOMPARE(copyB->mutation, std::string_view("crossover"));
        QCOMPARE(copyB->parent2->score, 0.5F);
        QCOMPARE(copyB->parent2->trial, 7);
        copies.forgetRound(); // a measured origin stays the same over rounds
        QCOMPARE(copies.of(makeDescendant(origin, first, second), skeletons)->parent, copyB->parent2);
        QVERIFY(copies.of(a, skeletons) != copyA);
    }

    void everyTrialDescendsFromASketchOrATrial_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("matmul") << 0;
        QTest::newRow("conv2d bias relu") << 1;
        QTest::newRow("softmax") << 2;
    }
    void everyTrialDescendsFromASketchOrATrial() {
        QFETCH(int, which);
        const Task task = makeTask(which == 0 ? matmulDag() : (which == 1 ? conv2dBiasReluNchwDag() : softmaxDag()),
                                   processorTarget());
        Heard heard;
        const SearchResult result = search(task, heard, 32);
        QCOMPARE(heard.trials.size(), size_t(32));
        int fromTrials = 0;
        int bred = 0;
        for (const auto &trial : heard.trials) {
            const QString problem = chainProblem(task, heard, trial, 0);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
            const Ancestor *origin = trial.ancestry.get();
            bred += origin->parent ? 1 : 0;
            while (origin->parent) origin = origin->parent.get();
            fromTrials += origin->trial > 0 ? 1 : 0;
        }
        QVERIFY(bred > 0);
        QVERIFY(fromTrials > 0);

        Heard again;
        search(task, again, 40, result.trials);
        QCOMPARE(again.trials.size(), size_t(8));
        for (const auto &trial : again.trials) {
            const QString problem = chainProblem(task, again, trial, 32);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    void eventsCountBySketchAndCarryAllScores() {
        const Task task = makeTask(conv2dBiasReluNchwDag(), processorTarget());
        Heard heard;
        search(task, heard, 16);
        for (const auto &population : heard.populations) {
            QCOMPARE(population.validOfSketch.size(), heard.sketches.size());
            int sum = 0;
            for (const int count : population.validOfSketch) sum += count;
            QCOMPARE(sum, population.valid);
        }
        QVERIFY(!heard.generations.empty());
        for (const auto &generation : heard.generations) {
            QCOMPARE(generation.scores.size(), static_cast<size_t>(generation.population));
            QCOMPARE(*std::max_element(generation.scores.begin(), generation.scores.end()), generation.bestScore);
        }
        for (const auto &trial : heard.trials) QVERIFY(trial.round == 1 || trial.round == 2);
    }

    void aDescendantGivesItsStepsBack() {
        const Steps first = {SplitStep{StageId(2), IterId(0), 512, {4, 2, 8}, true}, FuseStep{StageId(2), {IterId(0)}},
                             AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}};
        const auto origin = makeOrigin(first);
        QVERIFY(origin->steps() == first);
        Steps changed = first;
        std::get<SplitStep>(changed[0]).lengths = {4, 4, 4};
        Steps longer = changed;
        longer.emplace_back(AnnotateStep{StageId(2), IterId(9), Annotation::Vectorize});
        Steps shorter = {changed[0], changed[2]};
        for (const Steps &after : {changed, longer, shorter, Steps{}, first}) {
            const auto child = makeDescendant(origin, first, after);
            QVERIFY(child->steps() == after);
            const auto grandchild = makeDescendant(child, after, longer);
            QVERIFY(grandchild->steps() == longer);
        }
    }

    void everySampleIsOfTheSketchItWasDrawnFrom_data() {
        QTest::addColumn<int>("which");
        int number = 0;
        for (const char *name : {"matmul", "long reduction", "conv", "softmax", "elementwise", "conv bn relu"})
            QTest::newRow(name) << number++;
    }
    void everySampleIsOfTheSketchItWasDrawnFrom() {
        QFETCH(int, which);
        const std::vector<std::function<DagPtr()>> dags = {
            [] { return matmulDag(); },  [] { return matmulDag(8, 8, 512); }, [] { return conv2dBiasReluNchwDag(); },
            [] { return softmaxDag(); }, [] { return elementwiseDag(); },     [] { return convBnReluNhwcDag(); }};
        const Task task = makeTask(dags[static_cast<size_t>(which)](), processorTarget());
        SearchOptions options;
        options.population = 256;
        ThreadPool pool(1);
        std::vector<Scratch> scratch(1);
        const auto sketches = generateSketches(task.dag, task.target, options.sketch);
        const auto sampled =
            samplePopulation(task, sketches, options, 1, [](const StateKey &) { return false; }, pool, scratch);
        QVERIFY(!sampled.candidates.empty());
        int mutated = 0;
        int astray = 0;
        Random random(7, 7);
        for (const auto &candidate : sampled.candidates) {
            const int found = sketchOf(candidate.steps, sketches);
            if (found != candidate.sketch) ++astray;
            const auto child = drawMutation(task.target.kind, random)
                                   .apply({task.dag, task.target, options, random, scratch[0]}, candidate.steps);
            if (!child) continue;
            ++mutated;
            QVERIFY(sketchOf(*child, sketches) >= 0);
        }
        QVERIFY(mutated > 0 || sampled.candidates.size() < 20);
        // An annotation may place a stage where another sketch has it: the very same schedule then.
        QVERIFY2(astray * 10 <= static_cast<int>(sampled.candidates.size()), qPrintable(QString::number(astray)));
    }

    void aForeignScheduleIsOfNoSketch() {
        const auto sketches = generateSketches(matmulDag(), processorTarget());
        QCOMPARE(sketchOf({}, sketches), -1);
        QCOMPARE(sketchOf({SplitStep{StageId(2), IterId(0), 512, {7}, true}}, sketches), -1);
    }

    void loggedSchedulesFindTheirSketch() {
        const auto path = sharedDataFile("ansor-conv2d-layer-cpu.json");
        if (!path) QSKIP("the logs are not here");
        const RecordLog log = loadRecordLog(*path);
        const auto sketches = generateSketches(conv2dBiasReluNchwDag(), processorTarget());
        std::map<int, int> counts;
        for (const auto &record : log.records) ++counts[sketchOf(record.trial.steps.unpack(), sketches)];
        QVERIFY(!log.records.empty());
        QCOMPARE(counts[-1], 0);
        QVERIFY(counts.size() > 2); // beside the count of none
    }
};

LOOPSCOPE_TEST(AncestryTest)
#include "ancestry_test.moc"
