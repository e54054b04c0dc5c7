// Each annotation rule on states small enough to know the answer.

#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "language/te/workload.h"
#include "schedule/stage_facts.h"
#include "search/annotate/annotate_rule.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QtTest>
#include <fmt/format.h>
#include <set>

using namespace loopscope;

namespace {

struct Drawing {
    explicit Drawing(uint64_t stream = 0, int cores = 2) : target(processorTarget(cores)), random(7, stream) {}
    Target target;
    SearchOptions options;
    Random random;
    Scratch scratch;
    AnnotateContext context() { return {target, options, random, scratch}; }
};

LoopState bounded(const LoopState &state) {
    Scratch scratch;
    return boundedState(state, scratch).value();
}

LoopState naive(const DagPtr &dag) { return bounded(LoopState(dag)); }

/// The steps of `after` that are not in `before`.
Steps added(const LoopState &before, const LoopState &after) {
    return {after.steps().begin() + static_cast<ptrdiff_t>(before.steps().size()), after.steps().end()};
}

LoopState applied(const AnnotateRule &rule, Drawing &drawing, const LoopState &state) {
    auto result = rule.apply(drawing.context(), state);
    if (!result) qFatal("%s", result.why().c_str());
    return std::move(result).value();
}

int countAnnotations(const LoopState &state, Annotation wanted) {
    int count = 0;
    for (size_t s = 0; s < state.stageCount(); ++s)
        for (const auto &iter : state.stage(StageId(s)).iters) count += iter.annotation == wanted ? 1 : 0;
    return count;
}

} // namespace

class AnnotateTest : public QObject {
    Q_OBJECT
  private slots:
    void openLengthsAreFilledAndGivenOnesKept() {
        Drawing drawing;
        const Steps sketch = {SplitStep{StageId(2), IterId(0), 512, {kUnfilled, kUnfilled, kUnfilled}, true},
                              SplitStep{StageId(2), IterId(4), 512, {4, 2, 8}, true},
                              ReorderStep{StageId(2), {IterId(1), IterId(0)}}};
        const Steps filled = fillTileSizes(drawing.context(), sketch);
        QCOMPARE(filled.size(), sketch.size());
        int64_t product = 1;
        for (const int64_t length : std::get<SplitStep>(filled[0]).lengths) product *= length;
        QVERIFY(product > 0 && 512 % product == 0);
        QVERIFY(filled[1] == sketch[1] && filled[2] == sketch[2]);
    }

    void outerLoopsAreFusedUntilThereAreEnough() {
        Drawing drawing;
        // 8 * 8 > 16 * 2 cores: the third loop is left alone.
        DagBuilder b;
        const Tensor &in = b.placeholder("in", {8, 8, 8});
        const auto s = axes({"i", "j", "k"}, {8, 8, 8});
        const Tensor &out = b.compute("out", s, load(in, {s[0].var, s[1].var, s[2].var}) + 1);
        const LoopState state = naive(b.build({&out}));
        const LoopState parallel = applied(kChooseParallel, drawing, state);
        const Steps expected = {FuseStep{StageId(1), {IterId(0), IterId(1)}},
                                AnnotateStep{StageId(1), IterId(0), Annotation::Parallel}};
        QVERIFY(added(state, parallel) == expected);
    }

    void parallelStopsAtReductions() {
        Drawing drawing;
        const LoopState state = naive(rowMinDag(10, 1024));
        const LoopState parallel = applied(kChooseParallel, drawing, state);
        const Steps expected = {AnnotateStep{StageId(1), IterId(0), Annotation::Parallel}};
        QVERIFY(added(state, parallel) == expected);
    }

    void loopsOfOneIterationAreNotParallel() {
        Drawing drawing;
        const LoopState state = naive(elementwiseDag(1, 1));
        QVERIFY(added(state, applied(kChooseParallel, drawing, state)).empty());
    }

    void parallelGoesIntoStagesAttachedBelowTrivialLoops() {
        Drawing drawing;
        // C(1, 64) = relu(A*B) with the product computed inside the only row: the row is one iteration.
        const LoopState state = bounded(
            LoopState(matmulBiasReluDag(1, 64, 64)).apply(ComputeAtStep{StageId(2), StageId(4), IterId(0)}).value());
        const LoopState parallel = applied(kChooseParallel, drawing, state);
        QVERIFY(countAnnotations(parallel, Annotation::Parallel) >= 2);
        QVERIFY(!nestsParallelLoops(parallel));
    }

    void unrollLimitsOfStagesThatReduce() {
        const LoopState state = naive(matmulBiasReluDag(64, 64, 64));
        std::set<std::string> seen;
        for (uint64_t stream = 0; stream < 64; ++stream) {
            Drawing drawing(stream);
            const Steps steps = added(state, applied(kChooseUnroll, drawing, state));
            QCOMPARE(steps.size(), size_t(1));
            const auto &pragma = std::get<PragmaStep>(steps.front());
            QCOMPARE(pragma.stage.value, 2);
            QCOMPARE(pragma.iter.value, 0);
            seen.insert(pragma.text);
        }
        const std::set<std::string> expected = {"auto_unroll_max_step$0", "auto_unroll_max_step$16",
                                                "auto_unroll_max_step$64", "auto_unroll_max_step$512"};
        QVERIFY(seen == expected);
    }

    void axesThatAskForItAreUnrolled() {
        DagBuilder b;
        const Tensor &in = b.placeholder("in", {16, 4, 4});
        const auto s = axes({"p", "eps", "nu"}, {16, 4, 4});
        const Tensor &out = b.compute("out", s, load(in, {s[0].var, s[1].var, s[2].var}) * 2,
                                      {{"auto_scheduler_always_unroll_inner", std::vector<std::string>{"eps", "nu"}}});
        Drawing drawing;
        const LoopState unrolled = applied(kChooseUnroll, drawing, naive(b.build({&out})));
        const auto &iters = unrolled.stage(StageId(1)).iters;
        QVERIFY(iters[0].annotation == Annotation::None);
        QVERIFY(iters[1].annotation == Annotation::Unroll);
        QVERIFY(iters[2].annotation == Annotation::Unroll);
    }

    void innermostLoopsBecomeVectors() {
        Drawing drawing;
        const LoopState state = naive(elementwiseDag(64, 8));
        const LoopState vectorised = applied(kChooseVectorize, drawing, state);
        for (const int stage : {1, 2, 3}) {
            const auto &iters = vectorised.stage(StageId(stage)).iters;
            QVERIFY(iters.back().annotation == Annotation::Vectorize);
            QCOMPARE(iters.back().extent, 8);
        }
    }

    void vectorsAreNeitherLongNorReductionsNorTrivial() {
        Drawing drawing;
        drawing.options.splitForVectors = false;
        const LoopState tooLong = naive(elementwiseDag(64, 17));
        QVERIFY(added(tooLong, applied(kChooseVectorize, drawing, tooLong)).empty());
        const LoopState reduces = naive(rowMinDag(10, 8));
        QVERIFY(added(reduces, applied(kChooseVectorize, drawing, reduces)).empty());
        const LoopState trivial = naive(elementwiseDag(64, 1));
        QCOMPARE(countAnnotations(applied(kChooseVectorize, drawing, trivial), Annotation::Vectorize), 0);
    }

    /// Beyond Ansor. Lengths divide where one fills a machine vector; else the rest is guarded, or the row stays whole.
    void longRowsAreSplitIntoVectors() {
        struct Case {
            int64_t columns;
            bool guarded;
            std::set<int64_t> lengths; // 0: whole
        };
        for (const Case &test : {Case{1024, true, {0, 4, 8, 16, 32, 64}}, Case{100, true, {0, 16}},
                                 Case{100, false, {0, 4}}, Case{17, true, {17}}, Case{16, true, {16}}}) {
            std::set<int64_t> lengths;
            for (uint64_t stream = 0; stream < 200; ++stream) {
                Drawing drawing(stream);
                drawing.target.vectorBytes = 64;
                drawing.options.guardedTiles = test.guarded;
                const LoopState state = naive(elementwiseDag(8, test.columns));
                const LoopState split = bounded(applied(kChooseVectorize, drawing, state));
                const Iter &last = split.stage(StageId(1)).iters.back();
                lengths.insert(last.annotation == Annotation::Vectorize ? last.extent : 0);
            }
            QVERIFY2(lengths == test.lengths, qPrintable(QString::number(test.columns)));
        }
    }

    /// Beyond Ansor: windows along a row, however short it is, but no sum of a row, whose neighbours lie rows apart.
    void rowsGoInsideTheirWindows() {
        struct Case {
            int64_t columns;
            std::set<int64_t> lengths; // 0: no vector
        };
        for (const Case &test : {Case{64, {0, 4, 8, 16, 32, 64}}, Case{55, {0, 16}}, Case{7, {0, 7}}, Case{1, {0}}}) {
            const std::string text = fmt::format("workload windows(J = {})\na = placeholder [8, 2*J + 1] float32\n"
                                                 "c(i < 8, j < J) = max(k < 3; a[i, 2*j + k])\n",
                                                 test.columns);
            const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "windows.te"));
            std::set<int64_t> lengths;
            for (uint64_t stream = 0; stream < 200; ++stream) {
                Drawing drawing(stream);
                drawing.target.vectorBytes = 64;
                const LoopState inside = bounded(applied(kChooseVectorize, drawing, naive(dag)));
                const std::vector<Iter> &iters = inside.stage(StageId(1)).iters;
                const bool vector = iters.back().annotation == Annotation::Vectorize;
                QCOMPARE(vector, iters.back().kind == IterKind::Spatial);
                if (vector) QVERIFY(iters[iters.size() - 2].kind == IterKind::Reduction);
                lengths.insert(vector ? iters.back().extent : 0);
            }
            QVERIFY2(lengths == test.lengths, qPrintable(QString::number(test.columns)));
        }
        for (uint64_t stream = 0; stream < 20; ++stream) {
            Drawing drawing(stream);
            const LoopState sums = naive(rowMinDag(64, 64));
            QVERIFY(added(sums, applied(kChooseVectorize, drawing, sums)).empty());
        }
    }

    void severalShortLoopsMayBecomeOneVector() {
        DagBuilder b;
        const Tensor &in = b.placeholder("in", {64, 2, 2, 2});
        const auto s = axes({"n", "i", "j", "k"}, {64, 2, 2, 2});
        const Tensor &out = b.compute("out", s, load(in, {s[0].var, s[1].var, s[2].var, s[3].var}) + 1);
        const LoopState state = naive(b.build({&out}));
        std::set<int64_t> extents;
        for (uint64_t stream = 0; stream < 32; ++stream) {
            Drawing drawing(stream);
            const LoopState vectorised = applied(kChooseVectorize, drawing, state);
            QVERIFY(vectorised.stage(StageId(1)).iters.back().annotation == Annotation::Vectorize);
            extents.insert(bounded(vectorised).stage(StageId(1)).iters.back().extent);
        }
        // One or two of the three, as Ansor draws it.
        const std::set<int64_t> expected = {2, 4};
        QVERIFY(extents == expected);
    }

    void everyPlaceOfferedIsLegal_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("conv2d") << 0;
        QTest::newRow("softmax") << 1;
        QTest::newRow("conv2d nhwc") << 2;
    }
    void everyPlaceOfferedIsLegal() {
        QFETCH(int, which);
        const DagPtr dag = which == 0 ? conv2dBiasReluNchwDag()
                                      : (which == 1 ? softmaxDag(64, 100) : conv2dNhwcDag(1, 14, 14, 16, 32, 3, 1, 1));
        int places = 0;
        for (const auto &sketch : generateSketches(dag, processorTarget()))
            for (uint64_t stream = 0; stream < 20; ++stream) {
                Drawing drawing(stream);
                const auto replayed = replay(dag, fillTileSizes(drawing.context(), sketch.state.steps()));
                QVERIFY2(replayed.ok(), replayed.ok() ? "" : replayed.why().c_str());
                const LoopState state = bounded(*replayed);
                for (size_t s = 0; s < state.stageCount(); ++s) {
                    if (state.stage(StageId(s)).op->isPlaceholder() || isTiled(state.stage(StageId(s))) ||
                        state.stage(StageId(s)).location == ComputeLocation::Inlined)
                        continue;
                    for (const auto &place : computeLocations(state, StageId(s))) {
                        const auto moved = state.apply(ComputeAtStep{StageId(s), place.stage, place.iter});
                        QVERIFY2(moved.ok(), moved.ok() ? "" : moved.why().c_str());
                        Scratch scratch;
                        const auto known = boundedState(*moved, scratch);
                        QVERIFY2(known.ok(), known.ok() ? "" : known.why().c_str());
                        ++places;
                    }
                }
            }
        QVERIFY(places > 20);
    }

    void paddingIsComputedInManyPlaces() {
        const DagPtr dag = conv2dBiasReluNchwDag();
        const auto sketches = generateSketches(dag, processorTarget());
        std::set<std::string> kinds;
        for (uint64_t stream = 0; stream < 200; ++stream) {
            Drawing drawing(stream);
            const auto state = annotate(drawing.context(), sketches.front().state);
            if (!state) continue;
            bool moved = false;
            for (const auto &step : state->steps())
                if (stageOf(step).value == 1)
                    if (const auto *at = std::get_if<ComputeAtStep>(&step)) {
                        kinds.insert("at loop " + std::to_string(at->targetIter.value));
                        moved = true;
                    }
            if (!moved) kinds.insert("root");
        }
        QVERIFY2(kinds.size() >= 4, qPrintable(QString::number(kinds.size())));
        QVERIFY(kinds.contains("root"));
    }

    void computeLocationsCanBeSwitchedOff() {
        Drawing drawing;
        drawing.options.changeComputeLocation = false;
        const LoopState state = naive(conv2dBiasReluNchwDag());
        QVERIFY(added(state, applied(kChooseComputeLocation, drawing, state)).empty());
    }

    void sameStreamSameSchedule() {
        const auto sketches = generateSketches(conv2dBiasReluNchwDag(), processorTarget());
        QVERIFY(!sketches.empty());
        for (const auto &sketch : sketches) {
            Drawing a(4);
            Drawing b(4);
            const auto first = annotate(a.context(), sketch.state);
            const auto second = annotate(b.context(), sketch.state);
            QVERIFY(first.ok() && second.ok());
            QVERIFY(first->steps() == second->steps());
        }
    }
};

LOOPSCOPE_TEST(AnnotateTest)
#include "annotate_test.moc"
