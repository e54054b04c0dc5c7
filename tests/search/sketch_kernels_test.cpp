// GPU sketches with tile sizes and threads drawn at random become kernels that compute what the reference interpreter
// computes, without races, or are refused in a sentence.

#include "base/check.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/bind_schedule.h"
#include "harness/executed_kernels.h"
#include "harness/program_interpreter.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "schedule/steps_json.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

/// Every open length a random divisor of what is left.
Steps filled(Steps steps, Random &random) {
    for (Step &step : steps) {
        auto *split = std::get_if<SplitStep>(&step);
        if (split == nullptr) continue;
        int64_t left = split->extent;
        for (int64_t &length : split->lengths) {
            if (length != kUnfilled) continue;
            std::vector<int64_t> divisors;
            for (int64_t d = 1; d <= left; ++d)
                if (left % d == 0) divisors.push_back(d);
            length = divisors[random.index(divisors.size())];
            left /= length;
        }
    }
    return steps;
}

int barriersOf(Stmt root) {
    int barriers = 0;
    forEachStmt(root, [&](Stmt s) { barriers += s->kind == StmtKind::Barrier ? 1 : 0; });
    return barriers;
}

} // namespace

class SketchKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void sketchesBecomeKernels();
};

void SketchKernelsTest::sketchesBecomeKernels() {
    const std::vector<DagPtr> dags = {
        matmulDag(16, 12, 8),   matmulBiasReluDag(8, 12, 6),
        matmulChainDag(6),      batchMatmulDag(2, 8, 6, 4),
        elementwiseDag(12, 10), conv2dBiasReluNchwDag(1, 6, 6, 4, 3, 3, 1, 1),
        argmaxDag(6, 7),        conv2dBiasReluNhwcDag(8, 6, 3, 4, 3, 2, 1),
    };
    int kernels = 0;
    int withBarriers = 0;
    int refused = 0;
    uint64_t stream = 0;
    for (const DagPtr &dag : dags)
        for (const Sketch &sketch : generateSketches(dag, gpuTarget(4)))
            for (int round = 0; round < 12; ++round, ++stream) {
                Random random(31, stream);
                const Outcome<LoopState> tiled = replay(dag, filled(sketch.state.steps(), random));
                QVERIFY2(tiled.ok(), tiled ? "" : tiled.why().c_str());
                const Outcome<LoopState> state = boundToThreads(*tiled, random, 16);
                if (!state) continue;
                const std::string story =
                    "stream " + std::to_string(stream) + " " + dag->name() + " " + stepsText(state->steps()) + "\n";
                const Outcome<LoopProgram> program = lower(*state, gpuTarget(4));
                if (!program) {
                    // What is computed at a loop outside of those that happened to be bound has no block.
                    const bool expected = program.why().find("reduces across ") != std::string::npos ||
                                          program.why().find("lies in global memory") != std::string::npos ||
                                          program.why().find("threads a block, of which") != std::string::npos;
                    QVERIFY2(expected, (story + program.why()).c_str());
                    ++refused;
                    continue;
                }
                const std::vector<TensorValue> inputs = randomInputs(*dag, stream);
                const ProgramRun run = runKernels(*program, inputs);
                const std::string wrong =
                    run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
                QVERIFY2(wrong.empty(), (story + wrong + "\n" + printProgram(*program)).c_str());
                ++kernels;
                withBarriers += barriersOf(program->root) > 0 ? 1 : 0;
            }
    qInfo("%d kernels, %d with barriers, %d refused", kernels, withBarriers, refused);
    QVERIFY(kernels > 80 && withBarriers > 30);
}

LOOPSCOPE_TEST(SketchKernelsTest)
#include "sketch_kernels_test.moc"
