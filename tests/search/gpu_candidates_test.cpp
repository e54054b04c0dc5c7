// Candidates for GPUs: their limits by name, the extents of what a block fetches, mutations, a whole search, and where
// the estimate puts logged schedules among random ones.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "harness/scripted_measurer.h"
#include "harness/shared_data.h"
#include "records/record/record.h"
#include "records/resolve/resolver.h"
#include "schedule/steps_json.h"
#include "search/annotate/annotate_rule.h"
#include "search/annotate/gpu_lengths.h"
#include "search/evolve/mutation.h"
#include "search/gpu_candidate.h"
#include "search/scheduler.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

using namespace loopscope;

namespace {

std::string whyNot(const DagPtr &dag, const Steps &steps, const Target &target) {
    Candidate candidate;
    candidate.steps = steps;
    Scratch scratch;
    std::string reason;
    return evaluate(dag, target, candidate, scratch, reason) ? "" : reason;
}

std::string tiled(const char *i, const char *j, const char *k, int vector = 1) {
    return QString(R"([["CHW",2,"local"],["SP",2,0,512,[%1],1],["SP",2,5,512,[%2],1],["SP",2,10,512,[%3],1],
["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],
["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],
["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],["FU",3,[0,1]],["SP",3,0,7,[%4],1],["AN",3,1,2],["FFSP",3,0,[2,1],1,1],
["AN",3,1,6],["FU",1,[0,1]],["SP",1,0,7,[%4],1],["AN",1,1,2],["FFSP",1,0,[2,1],1,1],["AN",1,1,6],
["PR",4,0,"auto_unroll_max_step$16"]])")
        .arg(i, j, k)
        .arg(vector)
        .toStdString();
}

Steps stepsOf(const std::string &text) { return stepsFromJson(nlohmann::json::parse(text)); }

/// Legal candidates drawn from all sketches in turn.
std::vector<Candidate> drawn(const DagPtr &dag, const Target &target, size_t count, uint64_t seed = 3,
                             bool freely = true) {
    const auto sketches = generateSketches(dag, target);
    SearchOptions options;
    options.freeThreads = freely;
    Scratch scratch;
    std::vector<Candidate> candidates;
    for (uint64_t attempt = 0; candidates.size() < count && attempt < 200 * count; ++attempt) {
        Random random(seed, attempt);
        const auto state = annotate({target, options, random, scratch}, sketches[attempt % sketches.size()].state);
        if (!state) continue;
        Candidate candidate;
        candidate.steps = state->steps();
        std::string reason;
        if (evaluate(dag, target, candidate, scratch, reason)) candidates.push_back(std::move(candidate));
    }
    return candidates;
}

} // namespace

class GpuCandidatesTest : public QObject {
    Q_OBJECT
  private slots:
    void limitsAreNamed_data() {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *name, const std::string &steps, const char *why) {
            QTest::newRow(name) << QString::fromStdString(steps) << QString(why);
        };
        row("legal", tiled("1, 16, 2, 1", "1, 16, 2, 1", "8, 1"), "");
        row("threads", tiled("1, 64, 1, 1", "1, 32, 1, 1", "2, 1"),
            "the kernel of C has more than the 1024 threads a block that the target allows (max_threads_per_block)");
        row("shared", tiled("1, 16, 2, 2", "1, 16, 2, 2", "512, 1"),
            "the kernel of C has more than the 49152 bytes of shared memory a block that the target allows "
            "(max_shared_memory_per_block)");
        row("virtual threads", tiled("4, 8, 1, 1", "4, 8, 1, 1", "2, 1"),
            "the kernel of C has more than the 8 virtual threads that the target allows (max_vthread_extent)");
        row("vectors", tiled("1, 16, 2, 1", "1, 16, 2, 1", "8, 1", 8),
            "the kernel of C has more than the 16 bytes in a vector that the target allows (vector_unit_bytes)");
    }
    void limitsAreNamed() {
        QFETCH(QString, steps);
        QFETCH(QString, why);
        QCOMPARE(QString::fromStdString(whyNot(matmulDag(), stepsOf(steps.toStdString()), gpuTarget())), why);
    }

    /// Few of their tiles make a warp of threads, but hardly a draw is lost to that.
    void smallPrimeShapesAreDrawn() {
        const DagPtr dag = matmulDag(13, 17, 11);
        const auto sketches = generateSketches(dag, gpuTarget());
        const SearchOptions options;
        Scratch scratch;
        int lost = 0;
        constexpr uint64_t kAttempts = 200;
        for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
            Random random(7, attempt);
            const auto state =
                annotate({gpuTarget(), options, random, scratch}, sketches[attempt % sketches.size()].state);
            lost += state ? 0 : 1;
        }
        QVERIFY2(lost <= 2, qPrintable(QString::number(lost)));
    }

    void gridsAreLimited() {
        KernelNeeds needs;
        needs.blocks = {1, 70000, 1};
        QCOMPARE(exceeds(needs, gpuTarget(), "C")->sentence,
                 std::string("the kernel of C has more than the 65535 blocks in y that the target allows (the grid's "
                             "size)"));
        needs.blocks = {70000, 1, 1};
        QVERIFY(!exceeds(needs, gpuTarget(), "C"));
        needs.threads = {1, 1, 128};
        QCOMPARE(exceeds(needs, gpuTarget(), "C")->sentence,
                 std::string("the kernel of C has more than the 64 threads a block in z that the target allows "
                             "(threadIdx.z)"));
    }

    /// The steps say 7, as after a change of a tile; the block fetches 8 x 32 elements.
    void extentsOfFetchesAreKnown() {
        Candidate candidate;
        candidate.steps = stepsOf(tiled("1, 16, 2, 1", "1, 8, 2, 1", "8, 1"));
        Scratch scratch;
        std::string reason;
        QVERIFY2(evaluate(matmulDag(), gpuTarget(), candidate, scratch, reason), reason.c_str());
        std::vector<int64_t> extents;
        for (size_t i = 0; i < candidate.steps.size(); ++i)
            if (splitsFetch(candidate.steps, i)) extents.push_back(std::get<SplitStep>(candidate.steps[i]).extent);
        QVERIFY((extents == std::vector<int64_t>{8 * 16, 8 * 32}));
        // Tiles are what they were.
        QCOMPARE(std::get<SplitStep>(candidate.steps[1]).extent, 512);
    }

    /// What passes the limits of a candidate is lowered, but for what there is no code for.
    void candidatesAreLowered() {
        int lowered = 0;
        for (const DagPtr &dag : {matmulDag(), conv2dBiasReluNhwcDag(), softmaxDag(64, 1000), matmulDag(251, 127, 61)})
            for (const Candidate &candidate : drawn(dag, gpuTarget(), 25)) {
                const auto state = replay(dag, candidate.steps);
                QVERIFY(state.ok());
                const auto program = lower(*state, gpuTarget());
                const bool expected =
                    program.ok() || program.why().find("reductions across threads") != std::string::npos;
                QVERIFY2(expected, program.ok() ? "" : (stepsText(candidate.steps) + program.why()).c_str());
                ++lowered;
            }
        QVERIFY(lowered >= 90);
    }

    void mutationsStayWithinTheLimits_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("matmul") << 0;
        QTest::newRow("conv2d") << 1;
        QTest::newRow("softmax") << 2;
        QTest::newRow("elementwise") << 3;
    }
    void mutationsStayWithinTheLimits() {
        QFETCH(int, which);
        const std::vector<DagPtr> dags = {matmulDag(), conv2dBiasReluNhwcDag(), softmaxDag(64, 1000),
                                          elementwiseDag(64, 1000)};
        const DagPtr &dag = dags[static_cast<size_t>(which)];
        const Target target = gpuTarget();
        const SearchOptions options;
        Scratch scratch;
        std::map<std::string, int> legal;
        int refused = 0;
        const auto parents = drawn(dag, target, 20);
        QVERIFY(!parents.empty());
        for (uint64_t i = 0; i < 400; ++i) {
            Random random(9, i);
            const Candidate &parent = parents[i % parents.size()];
            const MutationContext context{dag, target, options, random, scratch, nullptr};
            const MutatedSteps child = mutate(context, parent.steps);
            if (!child.steps) continue;
            QVERIFY(*child.steps != parent.steps);
            Random again(9, i);
            QVERIFY(mutate({dag, target, options, again, scratch, nullptr}, parent.steps).steps == child.steps);
            if (whyNot(dag, *child.steps, target).empty())
                ++legal[std::string(child.mutation)];
            else
                ++refused;
        }
        int all = 0;
        for (const auto &[name, count] : legal) all += count;
        qInfo("%d legal, %d refused", all, refused);
        QVERIFY(all > 4 * refused);
        if (which < 2) QVERIFY(legal["tile-size"] > 0);
        if (which < 3) QVERIFY(legal["auto-unroll"] > 0);
        QVERIFY(legal["threads"] > 0);
    }

    void crossoverSwapsTilesAndFetches() {
        const DagPtr dag = matmulDag();
        const Steps first = stepsOf(tiled("1, 16, 2, 1", "1, 16, 2, 1", "8, 1", 1));
        const Steps second = stepsOf(tiled("2, 8, 4, 1", "1, 32, 1, 2", "4, 2", 4));
        std::set<std::string> children;
        for (uint64_t i = 0; i < 64; ++i) {
            Random random(2, i);
            const auto child = crossover(first, second, random);
            if (child) children.insert(stepsText(*child));
        }
        QVERIFY(children.size() > 8);
    }

    void aSearchBreedsAndKeepsWithinTheLimits() {
        ScriptedMeasurer measurer;
        const auto model = makeXgboostModel({});
        SearchOptions options;
        options.trials = 32;
        options.population = 128;
        options.generations = 2;
        options.threads = 1;
        SilentObserver nobody;
        const DagPtr dag = conv2dBiasReluNhwcDag();
        const Task task = makeTask(dag, gpuTarget());
        const auto state = foundSchedule(task, {}, tune(task, options, measurer, *model, {}, nobody));
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        QVERIFY(measurer.measured.size() >= 32);
        for (const std::string &steps : measurer.measured)
            QVERIFY2(whyNot(dag, stepsOf(steps), gpuTarget()).empty(), steps.c_str());
        QCOMPARE(std::set<std::string>(measurer.measured.begin(), measurer.measured.end()).size(),
                 measurer.measured.size());
    }

    /// Logged schedules are the best of some hundred measured ones: the estimate has to see that.
    void loggedSchedulesRankAboveRandomOnes() {
        const auto path = sharedDataFile("tvm-resnet18-nhwc-cuda.json");
        if (!path) QSKIP("the published log is not present");
        const Resolver resolver;
        const Target target = parseTarget("cuda -model=v100");
        double sum = 0;
        int ranked = 0;
        for (const Record &record : loadRecordLog(*path).records) {
            const Steps steps = record.trial.steps.unpack();
            const auto found = resolver.resolve(record.key, steps);
            QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
            const DagPtr &dag = (*found)->dag;
            Candidate logged;
            logged.steps = steps;
            Scratch scratch;
            std::string reason;
            QVERIFY2(evaluate(dag, target, logged, scratch, reason), reason.c_str());
            const auto random = drawn(dag, target, 60, 17, false);
            const auto worse = std::count_if(random.begin(), random.end(),
                                             [&](const Candidate &one) { return one.draft > logged.draft; });
            const double percentile =
                random.empty() ? 1 : static_cast<double>(worse) / static_cast<double>(random.size());
            double best = logged.draft;
            for (const Candidate &one : random) best = std::min(best, one.draft);
            qInfo("%s: better than %.0f %% of %zu, %.1f us estimated, %.1f us measured, best drawn %.1f us",
                  record.key.substr(2, 8).c_str(), percentile * 100, random.size(),
                  logged.draft / target.gpu.clockGHz / 1e3, record.trial.seconds.front() * 1e6,
                  best / target.gpu.clockGHz / 1e3);
            sum += percentile;
            ++ranked;
        }
        QVERIFY(ranked == 24);
        qInfo("on average better than %.0f %%", 100 * sum / ranked);
        QVERIFY(sum / ranked > 0.75);
    }

    void candidatesASecond() {
        const DagPtr dag = conv2dBiasReluNhwcDag();
        const auto parents = drawn(dag, gpuTarget(), 20);
        Scratch scratch;
        std::string reason;
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        int evaluated = 0;
        while (Clock::now() - begin < std::chrono::milliseconds(300)) {
            Candidate candidate;
            candidate.steps = parents[static_cast<size_t>(evaluated) % parents.size()].steps;
            QVERIFY(evaluate(dag, gpuTarget(), candidate, scratch, reason));
            ++evaluated;
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        qInfo("%.0f candidates a second", evaluated / seconds);
    }
};

LOOPSCOPE_TEST(GpuCandidatesTest)
#include "gpu_candidates_test.moc"
