// Random DAGs x random legal step lists: after every pass of lowering the program is well formed and computes what the
// reference interpreter computes, with no index out of bounds and no element read before it is written.
// LOOPSCOPE_LONG_TESTS runs ten thousand, LOOPSCOPE_FIRST=n starts at stream n (the number a failure names).

#include "base/check.h"
#include "codegen/lower/lower.h"
#include "harness/ordered_dags.h"
#include "harness/program_interpreter.h"
#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

/// Empty, or everything needed to look at the failure.
std::string checkLowering(const DagPtr &dag, const LoopState &state, const Target &target, int layoutRewrite,
                          uint64_t seed) {
    const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
    const std::vector<TensorValue> expected = interpret(*dag, inputs);
    std::string failure;
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        if (!failure.empty()) return;
        std::string wrong = verifyProgram(program);
        if (wrong.empty()) {
            const ProgramRun run = runProgram(program, inputs);
            wrong = run.failure.empty() ? compareOutputs(run.outputs, expected) : run.failure;
        }
        if (wrong.empty()) return;
        failure = "after " + std::string(pass) + ": " + wrong + "\n" + dag->text(DagTextMode::Normal) +
                  stepsText(state.steps()) + "\n" + state.text(false) + "\n" + printProgram(program);
    };
    try {
        const Outcome<LoopProgram> program = lower(state, target, options);
        if (!program) return "refused: " + program.why() + "\n" + stepsText(state.steps());
    } catch (const InternalError &error) {
        if (failure.empty()) failure = std::string(error.what()) + "\n" + stepsText(state.steps());
    }
    return failure;
}

Target smallTarget(uint64_t stream) {
    Target target;
    target.vectorBytes = stream % 2 == 0 ? 32 : 64;
    target.vectorRegisters = stream % 2 == 0 ? 16 : 32;
    if (stream % 4 != 3) target.minParallelStores = 0; // these loops are short
    return target;
}

uint64_t rounds(uint64_t few, uint64_t many) { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? many : few; }
uint64_t firstStream() { return qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong(); }

} // namespace

class LowerPropertyTest : public QObject {
    Q_OBJECT
  private slots:
    void randomDags();
    void knownDags();
    void scansAndScatters();
    void tiledProductsOfCopies();
};

void LowerPropertyTest::randomDags() {
    for (uint64_t stream = firstStream(); stream < firstStream() + rounds(1500, 9000); ++stream) {
        Random random(11, stream);
        const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 4 == 1});
        RandomScheduleOptions options;
        options.maxIterations = 20000;
        options.attempts = 10 + static_cast<int>(stream % 30);
        const LoopState state = randomSchedule(dag, random, options);
        const std::string wrong = checkLowering(dag, state, smallTarget(stream), static_cast<int>(stream % 3), stream);
        QVERIFY2(wrong.empty(), ("stream " + std::to_string(stream) + " " + wrong).c_str());
    }
}

void LowerPropertyTest::knownDags() {
    uint64_t stream = 0;
    for (const DagPtr &dag : smallDags())
        for (uint64_t round = 0; round < rounds(6, 100); ++round, ++stream) {
            Random random(12, stream);
            RandomScheduleOptions options;
            options.maxIterations = 20000;
            const LoopState state = randomSchedule(dag, random, options);
            const std::string wrong =
                checkLowering(dag, state, smallTarget(stream), static_cast<int>(stream % 3), stream);
            QVERIFY2(wrong.empty(), (dag->name() + " round " + std::to_string(round) + " " + wrong).c_str());
        }
}

void LowerPropertyTest::scansAndScatters() {
    uint64_t stream = 0;
    for (const DagPtr &dag : orderedDags())
        for (uint64_t round = 0; round < rounds(40, 1000); ++round, ++stream) {
            Random random(14, stream);
            RandomScheduleOptions options;
            options.maxIterations = 20000;
            const LoopState state = randomSchedule(dag, random, options);
            const std::string wrong =
                checkLowering(dag, state, smallTarget(stream), static_cast<int>(stream % 3), stream);
            QVERIFY2(wrong.empty(), (dag->name() + " round " + std::to_string(round) + " " + wrong).c_str());
        }
}

/// Tiled products whose inputs are copied at random places: the copies that lowering lays out anew, among others.
void LowerPropertyTest::tiledProductsOfCopies() {
    int packed = 0;
    for (uint64_t stream = 0; stream < rounds(80, 2000); ++stream) {
        Random random(13, stream);
        const auto below = [&](size_t n) { return static_cast<int>(random.index(n)); };
        const auto length = [&] { return static_cast<int64_t>(1 + below(4)); };
        const DagPtr dag = batchMatmulDag(1 + below(2), 5 + below(8), 8 + below(16), 4 + below(9));
        std::vector<Step> steps = {SplitStep{StageId(2), IterId(1), 0, {length(), length()}},
                                   SplitStep{StageId(2), IterId(4), 0, {length(), 2 * length()}},
                                   SplitStep{StageId(2), IterId(7), 0, {length()}}};
        ReorderStep order{StageId(2), {}};
        for (const int loop : {0, 1, 4, 7, 2, 5, 8, 3, 6}) order.order.emplace_back(loop);
        steps.emplace_back(order);
        if (below(2) == 0) steps.emplace_back(FuseStep{StageId(2), {IterId(0), IterId(1), IterId(2)}});
        const StageId copied(below(2));
        const StageId copy(copied.value + 1);
        steps.emplace_back(CacheReadStep{copied, "global", {StageId(2)}});
        steps.emplace_back(ComputeAtStep{copy, StageId(3), IterId(below(4))});
        if (below(2) == 0) steps.emplace_back(AnnotateStep{copy, IterId(2), Annotation::Vectorize});
        const Outcome<LoopState> state = replay(dag, steps);
        QVERIFY2(state.ok(), state ? "" : state.why().c_str());
        const std::string wrong = checkLowering(dag, *state, smallTarget(stream), 0, stream);
        QVERIFY2(wrong.empty(), ("stream " + std::to_string(stream) + " " + wrong).c_str());
        std::string before;
        LowerOptions options;
        options.observer = [&](std::string_view pass, const LoopProgram &program) {
            if (pass == "rewrite layouts") before = printProgram(program);
            if (pass == "pack copies" && printProgram(program) != before) ++packed;
        };
        (void)lower(*state, smallTarget(stream), options);
    }
    QVERIFY2(packed >= 10, std::to_string(packed).c_str());
}

LOOPSCOPE_TEST(LowerPropertyTest)
#include "property_test.moc"
