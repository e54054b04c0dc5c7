// Random DAGs x random schedules with blocks, threads and shared memory: what lowering makes of them for a GPU computes
// what the reference interpreter computes, without races, or is refused in a sentence. LOOPSCOPE_LONG_TESTS runs ten
// times as many, LOOPSCOPE_FIRST=n starts at stream n (the number a failure names).

#include "base/check.h"
#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/bind_schedule.h"
#include "harness/executed_kernels.h"
#include "harness/ordered_dags.h"
#include "harness/program_interpreter.h"
#include "harness/random_dag.h"
#include "harness/random_op.h"
#include "harness/random_schedule.h"
#include "harness/sample_targets.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>

using namespace loopscope;

namespace kernel_property_test {

namespace {

struct Lowered {
    std::string wrong;
    std::string refused;
    int barriers = 0;
    bool shuffles = false;
    bool packed = false;
    bool reuses = false; // shared buffers at the bytes of others
    int threads = 1;     // in all thread loops
};

int count(const LoopProgram &program, StmtKind kind) {
    int found = 0;
    forEachStmt(program.root, [&](Stmt s) { found += s->kind == kind ? 1 : 0; });
    return found;
}

Lowered lowerAndRun(const DagPtr &dag, const LoopState &state, uint64_t seed, bool extreme = false) {
    Lowered result;
    const std::vector<TensorValue> inputs = extreme ? extremeInputs(*dag, seed) : randomInputs(*dag, seed);
    const std::vector<TensorValue> expected = interpret(*dag, inputs);
    const auto story = [&](const std::string &wrong) {
        return wrong + "\n" + dag->text(DagTextMode::Normal) + stepsText(state.steps()) + "\n" + state.text(false);
    };
    try {
        LowerOptions lowerOptions;
        lowerOptions.layoutRewrite = seed % 2 == 0 ? 0 : 2;
        const Outcome<LoopProgram> program = lower(state, gpuTarget(), lowerOptions);
        if (program)
            for (const ProgramArg &arg : program->args) result.packed = result.packed || !arg.packing.empty();
        if (!program) {
            result.refused = program.why();
            return result;
        }
        result.barriers = count(*program, StmtKind::Barrier);
        forEachStmt(program->root, [&](Stmt s) {
            result.reuses = result.reuses || (s->kind == StmtKind::Allocate && allocatedAt(s) >= 0);
        });
        result.shuffles = printProgram(*program).find("shuffle_xor(") != std::string::npos;
        forEachStmt(program->root, [&](Stmt s) {
            if (s->kind == StmtKind::For && s->loop >= LoopKind::ThreadX && s->loop <= LoopKind::ThreadZ)
                result.threads = std::max(result.threads, static_cast<int>(constantExtent(s)));
        });
        const ProgramRun run = runKernels(*program, inputs);
        const std::string wrong = run.failure.empty() ? compareOutputs(run.outputs, expected) : run.failure;
        if (!wrong.empty()) result.wrong = story(wrong) + "\n" + printProgram(*program);
    } catch (const InternalError &error) {
        result.wrong = story(error.what());
    }
    return result;
}

uint64_t rounds(uint64_t few) { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? few * 10 : few; }
uint64_t firstStream() { return qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong(); }

} // namespace

class KernelPropertyTest : public QObject {
    Q_OBJECT
  private slots:
    void randomDags();
    void valuesThatWrap();
    void scansAndScatters();
    void reductionsAroundAScatterMeet();
};

void KernelPropertyTest::randomDags() {
    int ran = 0;
    int parallel = 0;
    int withBarriers = 0;
    int packed = 0;
    int withShuffles = 0;
    int refused = 0;
    int reusing = 0;
    for (uint64_t stream = firstStream(); stream < firstStream() + rounds(4000); ++stream) {
        Random random(21, stream);
        const DagPtr dag = randomDag(random, {.maxWork = 3000, .ordered = stream % 4 == 1});
        const Outcome<LoopState> state =
            boundToThreads(randomSchedule(dag, random, optionsOfKernels(stream)), random, 16);
        if (!state) continue;
        const Lowered lowered = lowerAndRun(dag, *state, stream);
        QVERIFY2(lowered.wrong.empty(), ("stream " + std::to_string(stream) + " " + lowered.wrong).c_str());
        if (!lowered.refused.empty()) {
            ++refused;
            continue;
        }
        ++ran;
        parallel += lowered.threads > 1 ? 1 : 0;
        withShuffles += lowered.shuffles ? 1 : 0;
        packed += lowered.packed ? 1 : 0;
        reusing += lowered.reuses ? 1 : 0;
        withBarriers += lowered.barriers > 0 ? 1 : 0;
    }
    const QString told = QStringLiteral("%1 ran, %2 with threads, %3 with barriers, %4 refused, %5 packed, %6 shuffle, "
                                        "%7 reuse shared memory")
                             .arg(ran)
                             .arg(parallel)
                             .arg(withBarriers)
                             .arg(refused)
                             .arg(packed)
                             .arg(withShuffles)
                             .arg(reusing);
    qInfo("%s", qPrintable(told));
    QVERIFY2(ran > refused * 10 && parallel * 2 > ran && withBarriers * 12 > ran && withShuffles * 12 > ran &&
                 packed > 20 && reusing > 10,
             qPrintable(told));
}

void KernelPropertyTest::valuesThatWrap() {
    int ran = 0;
    // A read outside of its tensor under a condition that never holds; a cache of what nobody reads.
    std::vector<uint64_t> streams = {2787, 5302};
    for (uint64_t stream = firstStream(); stream < firstStream() + rounds(600); ++stream) streams.push_back(stream);
    for (const uint64_t stream : streams) {
        Random random(25, stream);
        try {
            const DagPtr dag = randomOp(random, {.wraps = true, .floats = false});
            const auto isScalar = [](const OpPtr &op) { return !op->isPlaceholder() && op->axes.empty(); };
            if (std::ranges::any_of(dag->ops(), isScalar)) continue; // has no loop to bind to threads
            const Outcome<LoopState> state =
                boundToThreads(randomSchedule(dag, random, optionsOfKernels(stream)), random, 16);
            if (!state) continue;
            const Lowered lowered = lowerAndRun(dag, *state, stream, true);
            QVERIFY2(lowered.wrong.empty(), ("stream " + std::to_string(stream) + " " + lowered.wrong).c_str());
            ran += lowered.refused.empty() ? 1 : 0;
        } catch (const Error &) { // it divides by zero
        }
    }
    qInfo("%d programs", ran);
    QVERIFY(ran > int(rounds(600)) / 3);
}

/// Whatever is bound to threads: what a scan computes in order, and the terms of a scatter that may meet, stay one
/// thread's.
void KernelPropertyTest::scansAndScatters() {
    int ran = 0;
    int parallel = 0;
    int refused = 0;
    uint64_t stream = 0;
    for (const DagPtr &dag : orderedDags())
        for (uint64_t round = 0; round < rounds(60); ++round, ++stream) {
            Random random(22, stream);
            const Outcome<LoopState> state =
                boundToThreads(randomSchedule(dag, random, optionsOfKernels(stream)), random, 16);
            if (!state) continue;
            const Lowered lowered = lowerAndRun(dag, *state, stream);
            QVERIFY2(lowered.wrong.empty(),
                     (dag->name() + " round " + std::to_string(round) + " " + lowered.wrong).c_str());
            refused += lowered.refused.empty() ? 0 : 1;
            ran += lowered.refused.empty() ? 1 : 0;
            parallel += lowered.refused.empty() && lowered.threads > 1 ? 1 : 0;
        }
    const QString told = QStringLiteral("%1 ran, %2 with threads, %3 refused").arg(ran).arg(parallel).arg(refused);
    qInfo("%s", qPrintable(told));
    QVERIFY2(ran > refused * 10 && parallel * 2 > ran, qPrintable(told));
}

/// The threads of a block share out the sum over rows of counts that the block has made itself.
void KernelPropertyTest::reductionsAroundAScatterMeet() {
    const DagPtr dag = orderedDags()[4];
    const StageId rows(1), h(2);
    const auto state =
        replay(dag, {SplitStep{h, IterId(1), 7, {7}, true}, AnnotateStep{h, IterId(0), Annotation::BlockX},
                     AnnotateStep{h, IterId(2), Annotation::ThreadX}, ComputeAtStep{rows, h, IterId(1)}});
    QVERIFY2(state.ok(), state ? "" : state.why().c_str());
    const Lowered lowered = lowerAndRun(dag, *state, 1);
    QVERIFY2(lowered.wrong.empty() && lowered.refused.empty(), (lowered.wrong + lowered.refused).c_str());
    QVERIFY(lowered.threads > 1 && lowered.barriers > 0);
}

LOOPSCOPE_TEST(KernelPropertyTest)

} // namespace kernel_property_test
#include "kernel_property_test.moc"
