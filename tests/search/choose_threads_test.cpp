// Threads of GPU schedules: the steps that follow a sketch, those of logged records among them, and that what is drawn
// stays within the limits.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "harness/shared_data.h"
#include "records/record/record.h"
#include "records/resolve/resolver.h"
#include "schedule/stage_facts.h"
#include "schedule/steps_json.h"
#include "search/annotate/annotate_rule.h"
#include "search/annotate/gpu_lengths.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>

using namespace loopscope;

namespace choose_threads_test {

namespace {

struct Drawing {
    explicit Drawing(uint64_t stream = 0) : target(gpuTarget()), random(5, stream) {}
    Target target;
    SearchOptions options;
    Random random;
    Scratch scratch;
    AnnotateContext context() { return {target, options, random, scratch}; }
};

/// The steps with lengths given one after the other to the open splits.
Steps withLengths(Steps steps, const std::vector<std::vector<int64_t>> &lengths) {
    size_t next = 0;
    for (Step &step : steps)
        if (auto *split = std::get_if<SplitStep>(&step);
            split != nullptr &&
            std::find(split->lengths.begin(), split->lengths.end(), kUnfilled) != split->lengths.end())
            split->lengths = lengths[next++];
    return steps;
}

LoopState boundedReplay(const DagPtr &dag, const Steps &steps) {
    Scratch scratch;
    const auto state = replay(dag, steps);
    if (!state) qFatal("%s", state.why().c_str());
    auto known = boundedState(*state, scratch);
    if (!known) qFatal("%s", known.why().c_str());
    return std::move(known).value();
}

/// What the rule adds to the sketch with these lengths, where nothing beyond Ansor is drawn.
std::string addedText(const DagPtr &dag, const Steps &sketch) {
    Drawing drawing;
    drawing.options.freeThreads = false;
    const auto bound = kChooseThreads.apply(drawing.context(), boundedReplay(dag, sketch));
    if (!bound) return bound.why();
    return stepsText({bound->steps().begin() + static_cast<ptrdiff_t>(sketch.size()), bound->steps().end()});
}

int64_t threadsOf(const LoopState &state, StageId id) {
    int64_t threads = 1;
    for (const Iter &iter : state.stage(id).iters)
        if (iter.annotation == Annotation::ThreadX) threads *= iter.extent;
    return threads;
}

} // namespace

class ChooseThreadsTest : public QObject {
    Q_OBJECT
  private slots:
    void tiledNestsHaveTheirOuterLevelsBound() {
        const DagPtr dag = matmulDag();
        const auto sketches = generateSketches(dag, gpuTarget());
        QCOMPARE(sketches.size(), size_t{1});
        const Steps sketch = withLengths(sketches[0].state.steps(), {{1, 16, 2, 2}, {2, 8, 4, 1}, {4, 2}});
        const std::string expected =
            std::string(R"([["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], )"
                        R"(["FU", 5, [2, 3]], ["AN", 5, 2, 6], )"
                        R"(["FU", 3, [0, 1]], ["SP", 3, 0, 512, [1], 1], ["AN", 3, 1, 2], )"
                        R"(["FFSP", 3, 0, [2, 1], 1, 1], ["AN", 3, 1, 6], )"
                        R"(["FU", 1, [0, 1]], ["SP", 1, 0, 512, [1], 1], ["AN", 1, 1, 2], )"
                        R"(["FFSP", 1, 0, [2, 1], 1, 1], ["AN", 1, 1, 6]])");
        const std::string added = addedText(dag, sketch);
        QVERIFY2(added == expected, added.c_str());
    }

    void whatNothingTilesIsCutIntoBlocksOfAWarp() {
        const DagPtr dag = elementwiseDag(64, 8);
        const Steps sketch = generateSketches(dag, gpuTarget()).front().state.steps();
        QCOMPARE(addedText(dag, sketch), std::string(R"([["FU", 3, [0, 1]], ["SP", 3, 0, 512, [32], 1], )"
                                                     R"(["AN", 3, 0, 5], ["AN", 3, 1, 6]])"));
        // No more than a warp of iterations: threads without blocks.
        const DagPtr small = elementwiseDag(4, 8);
        QCOMPARE(addedText(small, generateSketches(small, gpuTarget()).front().state.steps()),
                 std::string(R"([["FU", 3, [0, 1]], ["AN", 3, 0, 6]])"));
    }

    void reductionsAcrossThreadsGetBlocks() {
        const DagPtr dag = rowMinDag(10, 1024);
        const auto sketches = generateSketches(dag, gpuTarget());
        QCOMPARE(sketches.size(), size_t{2});
        QCOMPARE(addedText(dag, sketches[0].state.steps()), std::string(R"([["AN", 1, 0, 5]])"));
        QCOMPARE(addedText(dag, sketches[1].state.steps()), std::string(R"([["AN", 1, 0, 6]])"));
    }

    void limitsAreNamed() {
        const DagPtr dag = matmulDag();
        const Steps sketch = generateSketches(dag, gpuTarget()).front().state.steps();
        QCOMPARE(addedText(dag, withLengths(sketch, {{4, 16, 1, 1}, {4, 2, 1, 1}, {4, 2}})),
                 std::string("C has 16 virtual threads, of which the target's limit is 8"));
        QCOMPARE(addedText(dag, withLengths(sketch, {{1, 4, 1, 1}, {1, 4, 1, 1}, {4, 2}})),
                 std::string("C has blocks of 16 threads, fewer than a warp of 32"));
        QCOMPARE(addedText(dag, withLengths(sketch, {{1, 64, 1, 1}, {1, 32, 1, 1}, {4, 2}})),
                 std::string("C has blocks of 2048 threads, of which the target's limit is 1024"));
    }

    void drawnSchedulesAreWithinTheLimits_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("matmul") << 0;
        QTest::newRow("matmul of primes") << 1;
        QTest::newRow("conv2d") << 2;
        QTest::newRow("chain") << 3;
        QTest::newRow("softmax") << 4;
        QTest::newRow("small") << 5;
    }
    void drawnSchedulesAreWithinTheLimits() {
        QFETCH(int, which);
        const std::vector<DagPtr> dags = {matmulDag(),         matmulDag(251, 509, 127), conv2dBiasReluNhwcDag(),
                                          matmulChainDag(128), softmaxDag(64, 1000),     matmulDag(4, 4, 8)};
        const DagPtr &dag = dags[static_cast<size_t>(which)];
        const auto sketches = generateSketches(dag, gpuTarget());
        int drawn = 0;
        int legal = 0;
        for (const Sketch &sketch : sketches)
            for (uint64_t stream = 0; stream < 40; ++stream, ++drawn) {
                Drawing drawing(stream);
                const auto state = annotate(drawing.context(), sketch.state);
                if (!state) continue;
                const auto program = lower(boundedReplay(dag, state->steps()), drawing.target);
                if (program || program.why().find("reductions across threads") != std::string::npos) ++legal;
                const LoopState bounded = boundedReplay(dag, state->steps());
                for (size_t s = 0; s < bounded.stageCount(); ++s) QVERIFY(threadsOf(bounded, StageId(s)) <= 1024);
            }
        qInfo("%d of %d lower", legal, drawn);
        QVERIFY(legal * 2 > drawn);
    }

    void sameStreamSameSchedule() {
        const auto sketches = generateSketches(conv2dBiasReluNhwcDag(), gpuTarget());
        for (const Sketch &sketch : sketches) {
            Drawing a(3);
            Drawing b(3);
            const auto first = annotate(a.context(), sketch.state);
            const auto second = annotate(b.context(), sketch.state);
            QCOMPARE(first.ok(), second.ok());
            if (first.ok()) QVERIFY(first->steps() == second->steps());
        }
    }

    void lengthsToDrawFrom() {
        const Target target = gpuTarget();
        QVERIFY((threadCounts(1000000, target) == std::vector<int64_t>{32, 64, 128, 256, 512, 1024}));
        QVERIFY((threadCounts(100, target) == std::vector<int64_t>{32, 64}));
        QVERIFY((threadCounts(7, target) == std::vector<int64_t>{32}));
        QVERIFY((fetchVectors(64, DType::Float32, target) == std::vector<int64_t>{1, 2, 4}));
        QVERIFY((fetchVectors(6, DType::Float32, target) == std::vector<int64_t>{1, 2}));
        QVERIFY((fetchVectors(64, DType::Float16, target) == std::vector<int64_t>{1, 2, 4, 8}));
        QVERIFY((fetchVectors(7, DType::Float64, target) == std::vector<int64_t>{1}));
    }

    /// Of a schedule made by hand only what is open is bound.
    void boundLoopsStayAsTheyAre() {
        const DagPtr dag = elementwiseDag(64, 8);
        const LoopState state =
            replay(dag, stepsFromJson(nlohmann::json::parse(
                            R"([["CI",1],["CI",2],["FU",3,[0,1]],["SP",3,0,512,[64],1],["AN",3,0,5],["AN",3,1,6]])")))
                .value();
        Drawing drawing;
        const auto complete = annotateOpen(drawing.context(), state);
        QVERIFY2(complete.ok(), complete.ok() ? "" : complete.why().c_str());
        QCOMPARE(stepsText(complete->steps()), stepsText(state.steps()));
        const auto naive = annotateOpen(drawing.context(), LoopState(matmulDag()));
        QVERIFY2(naive.ok(), naive.ok() ? "" : naive.why().c_str());
        QCOMPARE(threadsOf(*naive, StageId(2)) % 32, 0);
    }

    /// The steps behind the sketch of every record follow from its lengths.
    void stepsOfLoggedRecordsAreDerived() {
        const auto path = sharedDataFile("tvm-resnet18-nhwc-cuda.json");
        if (!path) QSKIP("the published log is not present");
        const Resolver resolver;
        int derived = 0;
        for (const Record &record : loadRecordLog(*path).records) {
            const Steps steps = record.trial.steps.unpack();
            const auto found = resolver.resolve(record.key, steps);
            QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
            // The rule's first step binds or fuses the last root stage; what stands before is the sketch.
            bool matches = false;
            for (size_t sketch = 0; sketch < steps.size() && !matches; ++sketch) {
                Drawing drawing;
                drawing.options.freeThreads = false;
                const Steps prefix(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(sketch));
                const auto replayed = replay((*found)->dag, prefix);
                if (!replayed) continue;
                const auto bounded = boundedState(*replayed, drawing.scratch);
                if (!bounded) continue;
                const auto bound = kChooseThreads.apply(drawing.context(), *bounded);
                if (!bound) continue;
                const auto unrolled = kChooseUnroll.apply(drawing.context(), *bound);
                if (!unrolled || unrolled->steps().size() != steps.size()) continue;
                matches = true;
                for (size_t i = sketch; i < steps.size(); ++i) {
                    Step made = unrolled->steps()[i];
                    // Lengths and unrolling were drawn and mutated; a mutated tile leaves a stale extent behind.
                    if (auto *split = std::get_if<SplitStep>(&made))
                        if (const auto *logged = std::get_if<SplitStep>(&steps[i]);
                            logged != nullptr && logged->lengths.size() == split->lengths.size()) {
                            split->lengths = logged->lengths;
                            split->extent = logged->extent;
                        }
                    if (auto *pragma = std::get_if<PragmaStep>(&made))
                        if (const auto *logged = std::get_if<PragmaStep>(&steps[i])) pragma->text = logged->text;
                    matches = matches && made == steps[i];
                }
            }
            QVERIFY2(matches, stepsText(steps).c_str());
            ++derived;
        }
        QCOMPARE(derived, 24);
    }
};

LOOPSCOPE_TEST(ChooseThreadsTest)

} // namespace choose_threads_test
#include "choose_threads_test.moc"
