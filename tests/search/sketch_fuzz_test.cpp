// Random DAGs through both sketch generators: whatever the ops, their attributes and who reads whom, the derivation
// ends soon and without an internal error, its sketches replay, and schedules drawn from them are valid or refused in
// words, in no more than 2 GiB. LOOPSCOPE_LONG_TESTS derives ten thousand DAGs, LOOPSCOPE_FIRST=n starts at stream n
// (the number a failure names).

#include "base/check.h"
#include "base/isolate/sandbox.h"
#include "harness/random_dag.h"
#include "schedule/steps_json.h"
#include "search/annotate/annotate_rule.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <array>
#include <sys/resource.h>

using namespace loopscope;

namespace {

/// Small machines, so that small DAGs meet the limits large ones meet on real ones.
Target drawTarget(Random &random, bool gpu) {
    constexpr std::array<int, 4> few = {1, 2, 4, 32};
    Target target;
    target.hardware.numCores = few[random.index(few.size())];
    if (!gpu) return target;
    target.kind = TargetKind::Cuda;
    target.keys = "cuda,gpu";
    target.hardware = {-1, 16, 64, 49152, 2147483647, few[random.index(few.size())] * 32, 8, 32};
    target.hardware.warpSize = few[random.index(few.size())];
    return target;
}

/// Empty, or what went wrong.
std::string derive(const DagPtr &dag, const Target &target, bool more, Random &random, size_t &sketchCount) {
    const auto check = [&]() -> std::string {
        SketchOptions sketchOptions;
        sketchOptions.inlineMore = sketchOptions.packInputs = sketchOptions.vectorizeWeights =
            sketchOptions.keepPrologues = more;
        const auto sketches = generateSketches(dag, target, sketchOptions);
        if (sketches.empty()) return "no sketch";
        sketchCount += sketches.size();
        for (size_t i = 0; i < sketches.size() && i < 64; ++i) {
            const Steps &steps = sketches[i].state.steps(); // RF needs the length that the sketch leaves open
            if (std::any_of(steps.begin(), steps.end(),
                            [](const Step &step) { return std::holds_alternative<RfactorStep>(step); }))
                continue;
            const Outcome<LoopState> again = replay(dag, steps);
            if (!again) return "sketch " + std::to_string(i) + " does not replay: " + again.why();
        }
        const SearchOptions options;
        Scratch scratch;
        for (int attempt = 0; attempt < 3; ++attempt) {
            const size_t chosen = random.index(sketches.size());
            const Outcome<LoopState> drawn = annotate({target, options, random, scratch}, sketches[chosen].state);
            if (!drawn) {
                if (drawn.why().empty()) return "an attempt is refused without a reason";
                continue;
            }
            Candidate candidate;
            candidate.steps = drawn->steps();
            std::string reason;
            if (!evaluate(dag, target, candidate, scratch, reason) && reason.empty())
                return "a schedule is invalid without a reason: " + stepsText(candidate.steps);
        }
        return {};
    };
    try {
        return check();
    } catch (const std::exception &error) {
        return error.what();
    }
}

} // namespace

class SketchFuzzTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void randomDags();
};

/// A derivation that takes more fails at once, as std::bad_alloc, instead of taking the machine with it.
void SketchFuzzTest::initTestCase() {
    if (!kMemoryCanBeLimited) return;
    const rlimit limit{rlim_t{2} << 30, rlim_t{2} << 30};
    QCOMPARE(::setrlimit(RLIMIT_DATA, &limit), 0);
}

void SketchFuzzTest::randomDags() {
    const uint64_t first = qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong();
    const uint64_t count = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 10000 : 400;
    size_t onCpu = 0;
    size_t onGpu = 0;
    for (uint64_t stream = first; stream < first + count; ++stream) {
        Random random(83, stream);
        const DagPtr dag = randomDag(random, {.maxOps = 7, .hints = true, .ordered = stream % 3 == 0});
        for (const bool gpu : {false, true}) {
            QElapsedTimer timer;
            timer.start();
            const Target target = drawTarget(random, gpu);
            const std::string wrong = derive(dag, target, stream % 2 == 1, random, gpu ? onGpu : onCpu);
            QVERIFY2(wrong.empty(), (std::string(gpu ? "cuda" : "llvm") + " stream " + std::to_string(stream) + ": " +
                                     wrong + "\n" + dag->text(DagTextMode::Normal))
                                        .c_str());
            // Thousands of unfinished sketches take seconds; a derivation without end takes minutes.
            QVERIFY2(timer.elapsed() < 120000,
                     ("stream " + std::to_string(stream) + " took " + std::to_string(timer.elapsed()) + " ms").c_str());
        }
    }
    QVERIFY(onCpu > count && onGpu > count);
}

LOOPSCOPE_TEST(SketchFuzzTest)
#include "sketch_fuzz_test.moc"
