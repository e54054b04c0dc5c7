// Random DAGs x random legal step lists, lowered, compiled and run between guard pages: the kernel computes what the
// interpreter computes. In turn for this machine's widest vectors, for plain SSE2 and, compiled only, for AVX-512.
// LOOPSCOPE_LONG_TESTS runs ten thousand, LOOPSCOPE_FIRST=n starts at stream n (the number a failure names).
#include "base/outcome.h"
#include "codegen/lower/lower.h"
#include "harness/kernel_check.h"
#include "harness/ordered_dags.h"
#include "harness/random_dag.h"
#include "harness/random_op.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "harness/transposed_dag.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QtTest>

#include <unistd.h>

#include <csignal>
#include <cstring>

using namespace loopscope;

namespace {

uint64_t rounds(uint64_t few, uint64_t many) { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? many : few; }
uint64_t firstStream() { return qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong(); }

/// What runs now, for the handler: a kernel that faults takes the process with it.
char running[128];

void nameTheKernel(int) {
    [[maybe_unused]] const auto ignored = write(STDERR_FILENO, running, std::strlen(running));
    _exit(1);
}

/// Loops here are short; nearly all of them are to run on threads nevertheless.
Target hostTarget() {
    Target target = parseTarget("llvm");
    target.minParallelStores = 0;
    return target;
}

Target plainTarget() {
    Target target = hostTarget();
    target.cpu = "x86-64";
    target.features.clear();
    target.vectorBytes = 16;
    target.vectorRegisters = 16;
    return target;
}

Target wideTarget() {
    Target target = parseTarget("llvm");
    target.cpu = "skylake-avx512";
    target.features.clear();
    target.vectorBytes = 64;
    target.vectorRegisters = 32;
    return target;
}

} // namespace

class KernelPropertyTest : public QObject {
    Q_OBJECT

    Target m_host = hostTarget();
    Target m_plain = plainTarget();
    Target m_wide = wideTarget();
    std::unique_ptr<CodeGenerator> m_plainCompiler = codeGeneratorFor(m_plain);
    std::unique_ptr<CodeGenerator> m_wideCompiler = codeGeneratorFor(m_wide);

    std::string check(const DagPtr &dag, const LoopState &state, uint64_t stream) {
        const bool plain = stream % 4 == 3;
        const Target &target = plain ? m_plain : m_host;
        LowerOptions options;
        options.layoutRewrite = int(stream % 3);
        const Outcome<LoopProgram> program = lower(state, target, options);
        if (!program) return program.why().find("carries a reduction") != std::string::npos ? "" : program.why();
        std::string wrong =
            checkKernel(*program, *dag, plain ? *m_plainCompiler : hostCompiler(), stream, stream % 2 == 0);
        if (wrong.empty() && stream % 8 == 0) {
            const Outcome<LoopProgram> wide = lower(state, m_wide, options);
            if (!wide) return wide.why();
            const Outcome<MachineCode> code = m_wideCompiler->compile(*wide);
            if (!code) return code.why();
        }
        return wrong.empty() ? "" : wrong + stepsText(state.steps());
    }

  private slots:
    void initTestCase() {
        for (int signal : {SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGABRT}) std::signal(signal, nameTheKernel);
    }

    /// Of a tile whose vectors run over its rows the first dimension lies fastest: whole tiles and ragged ones.
    void tilesLaidOutAlongTheirVectors() {
        uint64_t stream = 0;
        for (const int64_t rows : {16, 19})
            for (const int64_t columns : {24, 23}) {
                const DagPtr dag = matmulBiasReluDag(rows, columns, 8);
                const Outcome<LoopState> state =
                    replay(dag, {SplitStep{StageId(2), IterId(0), rows, {8}, true},
                                 SplitStep{StageId(2), IterId(2), columns, {4}, true},
                                 ReorderStep{StageId(2), {IterId(0), IterId(2), IterId(4), IterId(3), IterId(1)}},
                                 AnnotateStep{StageId(2), IterId(4), Annotation::Vectorize},
                                 ComputeInlineStep{StageId(4)}, FollowSplitStep{StageId(5), IterId(0), StepId(0), 1},
                                 FollowSplitStep{StageId(5), IterId(2), StepId(1), 1},
                                 ReorderStep{StageId(5), {IterId(0), IterId(2), IterId(1), IterId(3)}},
                                 ComputeAtStep{StageId(2), StageId(5), IterId(1)}});
                QVERIFY2(state.ok(), state ? "" : state.why().c_str());
                const Outcome<LoopProgram> program = lower(*state, m_host);
                QVERIFY(program.ok());
                const std::string text = printProgram(*program);
                QVERIFY2(text.find("dimension 0 fastest") != std::string::npos, text.c_str());
                for (int round = 0; round < 8; ++round, ++stream) {
                    const std::string wrong = check(dag, *state, stream);
                    QVERIFY2(wrong.empty(), wrong.c_str());
                }
            }
    }

    void randomDags() {
        for (uint64_t stream = firstStream(); stream < firstStream() + rounds(300, 9000); ++stream) {
            std::snprintf(running, sizeof running, "crashed in random DAG stream %llu\n",
                          static_cast<unsigned long long>(stream));
            Random random(21, stream);
            const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 4 == 1});
            RandomScheduleOptions options;
            options.maxIterations = 20000;
            options.attempts = 10 + int(stream % 30);
            const LoopState state = randomSchedule(dag, random, options);
            const std::string wrong = check(dag, state, stream);
            QVERIFY2(wrong.empty(), ("stream " + std::to_string(stream) + " " + wrong).c_str());
        }
    }

    /// Integers of all types that wrap, are shifted and divided: naive and scheduled.
    void valuesThatWrap() {
        int ran = 0;
        std::vector<uint64_t> streams = {995, 1271}; // guards whose sums wrapped
        for (uint64_t n = 0; n < rounds(200, 6000); ++n) streams.push_back(firstStream() + n);
        for (const uint64_t stream : streams) {
            std::snprintf(running, sizeof running, "crashed in values that wrap, stream %llu\n",
                          static_cast<unsigned long long>(stream));
            Random random(25, stream);
            std::string wrong;
            try {
                const DagPtr dag = randomOp(random, {.wraps = true, .floats = false});
                const std::vector<TensorValue> inputs = extremeInputs(*dag, stream);
                interpret(*dag, inputs); // throws where it divides by zero
                RandomScheduleOptions options;
                options.maxIterations = 20000;
                options.attempts = int(stream % 30);
                const LoopState state = stream % 3 == 0 ? LoopState(dag) : randomSchedule(dag, random, options);
                const bool plain = stream % 4 == 3;
                const Outcome<LoopProgram> program = lower(state, plain ? m_plain : m_host);
                if (!program && program.why().find("carries a reduction") != std::string::npos) continue;
                wrong = program ? checkKernel(*program, *dag, plain ? *m_plainCompiler : hostCompiler(), inputs,
                                              stream % 2 == 0)
                                : program.why();
                if (!wrong.empty())
                    wrong += printWorkload(dag->name(), dag->ops(), dag->args()) + stepsText(state.steps());
            } catch (const Error &) {
                continue;
            }
            QVERIFY2(wrong.empty(), ("stream " + std::to_string(stream) + " " + wrong).c_str());
            ++ran;
        }
        qInfo("%d programs", ran);
        QVERIFY(ran > int(rounds(200, 6000)) / 2);
    }

    void transposedConvolutions() {
        for (uint64_t stream = firstStream(); stream < firstStream() + rounds(60, 2000); ++stream) {
            std::snprintf(running, sizeof running, "crashed in transposed convolution stream %llu\n",
                          static_cast<unsigned long long>(stream));
            Random random(23, stream);
            const DagPtr dag = transposedDag(randomTransposed(random));
            const std::string wrong = check(dag, randomTransposedTiles(dag, random), stream);
            QVERIFY2(wrong.empty(), ("stream " + std::to_string(stream) + " " + wrong).c_str());
        }
    }

    void scansAndScatters() {
        uint64_t stream = 0;
        for (const DagPtr &dag : orderedDags())
            for (uint64_t round = 0; round < rounds(12, 300); ++round, ++stream) {
                std::snprintf(running, sizeof running, "crashed in scan or scatter stream %llu\n",
                              static_cast<unsigned long long>(stream));
                Random random(24, stream);
                RandomScheduleOptions options;
                options.maxIterations = 20000;
                const LoopState state = randomSchedule(dag, random, options);
                const std::string wrong = check(dag, state, stream);
                QVERIFY2(wrong.empty(), (dag->name() + " round " + std::to_string(round) + " " + wrong).c_str());
            }
    }

    void knownDags() {
        uint64_t stream = 0;
        for (const DagPtr &dag : smallDags())
            for (uint64_t round = 0; round < rounds(4, 100); ++round, ++stream) {
                std::snprintf(running, sizeof running, "crashed in known DAG stream %llu\n",
                              static_cast<unsigned long long>(stream));
                Random random(22, stream);
                RandomScheduleOptions options;
                options.maxIterations = 20000;
                const LoopState state = randomSchedule(dag, random, options);
                const std::string wrong = check(dag, state, stream);
                QVERIFY2(wrong.empty(), (dag->name() + " round " + std::to_string(round) + " " + wrong).c_str());
            }
    }
};

LOOPSCOPE_TEST(KernelPropertyTest)
#include "kernel_property_test.moc"
