// Schedules that nobody chose, through NVIDIA's compilers: of small operators as the search draws them, and random ones
// of random DAGs. Both generators' code compiles without a warning, what is known of a kernel beforehand is what ptxas
// finds in it, and ptxas gives out registers by the rules that occupancy is computed by. LOOPSCOPE_LONG_TESTS draws
// thirty times as many, LOOPSCOPE_FIRST=n starts at stream n of the random DAGs (the number a failure names).

#include "codegen/kernel_limits/kernel_limits.h"
#include "codegen/kernel_parameters.h"
#include "codegen/loop_ir/shared_layout.h"
#include "codegen/lower/lower.h"
#include "harness/bind_schedule.h"
#include "harness/buffers_in_turn.h"
#include "harness/device_code.h"
#include "harness/drawn_schedules.h"
#include "harness/known_architectures.h"
#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "language/target/occupancy.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>

using namespace loopscope;

namespace random_machine_code_test {

namespace {

const std::vector<std::string> &legalArchitectures() {
    static const std::vector<std::string> list =
        knownArchitectures({"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"});
    return list;
}

bool takesMany() { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS"); }

/// What differs between what is known of the kernels and what ptxas tells; empty: nothing. `allUsed`: no compiler finds
/// that it can do without a shared buffer, as of a tile that one thread alone fetches and reads.
std::string mismatch(const LoopProgram &program, const Target &target, const DeviceCode &code, bool allUsed) {
    std::vector<KernelLimits> limits = limitsOf(program, target);
    addResources(limits, code.kernels, target);
    const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
    if (code.kernels.size() != limits.size()) return fmt::format("{} kernels", code.kernels.size());
    for (size_t i = 0; i < limits.size(); ++i) {
        const KernelLimits &one = limits[i];
        if (!one.resources) return one.kernel + " is not among what ptxas tells";
        if (!one.refused.empty()) return one.refused;
        const KernelResources &found = *one.resources;
        if (found.registers <= 0 || found.registers > target.gpu.registersPerThread)
            return fmt::format("{} takes {} registers", one.kernel, found.registers);
        if (one.sharedBytes != kernels[i].launch.sharedBytes)
            return fmt::format("{}: {} bytes of shared memory are told, {} are launched", one.kernel, one.sharedBytes,
                               kernels[i].launch.sharedBytes);
        // From Hopper on ptxas counts what the system keeps of each block's. Behind the last buffer it rounds nothing
        // up.
        const int64_t declared = one.sharedBytes <= kDeclaredSharedBytes ? one.sharedBytes : 0;
        const int64_t least = allUsed ? declared - kSharedPieceAlignment + 1 : 0;
        const auto agrees = [&](int64_t bytes) { return bytes <= declared && bytes >= least; };
        if (!agrees(found.sharedBytes) && !agrees(found.sharedBytes - target.gpu.sharedReservedPerBlock))
            return fmt::format("{}: ptxas finds {} bytes of shared memory, {} are declared", one.kernel,
                               found.sharedBytes, declared);
    }
    return {};
}

/// The kernel with the demand that so many of its blocks run on a multiprocessor at once.
std::string demanding(const std::string &ptx, const std::string &kernel, int blocks) {
    const size_t entry = ptx.find(".entry " + kernel + "(");
    const size_t body = entry == std::string::npos ? entry : ptx.find('{', entry);
    if (body == std::string::npos) return {};
    std::string text = ptx;
    text.insert(body, fmt::format(".minnctapersm {}\n", blocks));
    return text;
}

const KernelResources *resourcesOf(const std::vector<KernelResources> &all, const std::string &kernel) {
    const auto found = std::ranges::find(all, kernel, &KernelResources::kernel);
    return found == all.end() ? nullptr : &*found;
}

} // namespace

class RandomMachineCodeTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void operators_data();
    void operators();
    void occupancyAgreesWithPtxas();
    void buffersInTurn();
    void randomDags();
    void cleanupTestCase();

  private:
    /// Both ways on one architecture; empty or what is wrong.
    std::string compile(const DagPtr &dag, const LoopState &state, const std::string &architecture, int layouts,
                        bool allUsed);

    void noteSharing(const LoopProgram &program);

    std::unique_ptr<CudaCompiler> m_compiler;
    size_t m_turn = 0; // architectures take turns, so that all of them meet many programs
    int m_programs = 0;
    int m_kernels = 0;
    int m_refused = 0;
    int m_spilling = 0;
    int m_sharing = 0;         // kernels in which shared buffers have the same bytes
    int64_t m_sharedBytes = 0; // of these
    int64_t m_apartBytes = 0;  // if every buffer had its own
};

void RandomMachineCodeTest::initTestCase() {
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    if (foundNvidiaTools().ptxas.empty()) QSKIP(missingTool("ptxas").c_str());
    m_compiler = std::make_unique<CudaCompiler>(
        foundNvidiaTools(), CudaCompilerOptions{.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker"});
}

std::string RandomMachineCodeTest::compile(const DagPtr &dag, const LoopState &state, const std::string &architecture,
                                           int layouts, bool allUsed) {
    const Target target = parseTarget("cuda -arch=" + architecture);
    LowerOptions options;
    options.layoutRewrite = layouts;
    const Outcome<LoopProgram> program = lower(state, target, options);
    if (!program) {
        ++m_refused;
        return program.why().empty() ? "refused without a reason" : "";
    }
    if (exceededLimit(*program, target)) {
        ++m_refused;
        return {};
    }
    ++m_programs;
    noteSharing(*program);
    for (const bool llvm : {false, true}) {
        const DeviceCode code = llvm ? throughLlvm(*program, target) : throughCuda(*program, target, *m_compiler);
        std::string wrong = code.problem.empty() ? mismatch(*program, target, code, allUsed) : code.problem;
        if (!wrong.empty())
            return fmt::format("{} through {}: {}\n{}{}\n{}{}", architecture, llvm ? "LLVM" : "CUDA", wrong,
                               dag->text(DagTextMode::Normal), stepsText(state.steps()), printProgram(*program),
                               code.ptx);
        m_kernels += static_cast<int>(code.kernels.size());
        for (const KernelResources &kernel : code.kernels) m_spilling += kernel.spillStoreBytes > 0 ? 1 : 0;
    }
    return {};
}

void RandomMachineCodeTest::noteSharing(const LoopProgram &program) {
    for (const GpuKernel &kernel : gpuKernelsOf(program)) {
        if (!kernel.shared.reused) continue;
        ++m_sharing;
        m_sharedBytes += kernel.shared.bytes;
        for (const Buffer *buffer : kernel.sharedBuffers) m_apartBytes += sharedSizeOf(*buffer);
    }
}

void RandomMachineCodeTest::operators_data() {
    QTest::addColumn<QString>("parameters");
    for (const auto &[sample, parameters] : smallOperators()) QTest::newRow(sample) << QString::fromUtf8(parameters);
}

void RandomMachineCodeTest::operators() {
    QFETCH(const QString, parameters);
    const DagPtr dag = sampleDag(QTest::currentDataTag(), parameters.toStdString());
    const size_t most = takesMany() ? 60 : 2;
    std::vector<Candidate> drawn = drawnCandidates(dag, gpuTarget(), static_cast<int>(most) * 2, 29);
    QVERIFY(!drawn.empty());
    if (drawn.size() > most) drawn.resize(most);
    for (const Candidate &candidate : drawn) {
        const Outcome<LoopState> state = replay(dag, candidate.steps);
        QVERIFY2(state.ok(), state ? "" : state.why().c_str());
        const std::string &architecture = legalArchitectures()[m_turn++ % legalArchitectures().size()];
        const std::string wrong = compile(dag, *state, architecture, m_turn % 2 == 0 ? 0 : 2, true);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
}

/// ptxas is told how many blocks are to run at once. As many as we say that fit need no register less, though ptxas,
/// which schedules anew then, takes a few less now and then; where registers are what is short, one block more does.
void RandomMachineCodeTest::occupancyAgreesWithPtxas() {
    int asked = 0;
    int limited = 0;
    int fewer = 0;
    std::string told;
    const DagPtr dag = sampleDag("matmul", "N=512 M=512 K=512");
    for (const std::string &architecture : legalArchitectures()) {
        const Target target = parseTarget("cuda -arch=" + architecture);
        std::vector<Candidate> drawn = drawnCandidates(dag, target, takesMany() ? 24 : 4, 31);
        for (const Candidate &candidate : drawn) {
            const Outcome<LoopProgram> program = lower(*replay(dag, candidate.steps), target);
            if (!program || exceededLimit(*program, target)) continue;
            const DeviceCode code = throughLlvm(*program, target);
            QVERIFY2(code.problem.empty(), code.problem.c_str());
            for (const KernelLimits &kernel : limitsOf(*program, target)) {
                const KernelResources *own = resourcesOf(code.kernels, kernel.kernel);
                QVERIFY(own != nullptr);
                const auto threads = static_cast<int>(kernel.threads);
                const Occupancy occupancy = occupancyOf(target, threads, own->registers, 0);
                QVERIFY2(occupancy.blocks > 0, kernel.kernel.c_str());
                const bool byRegisters = occupancy.limiter == OccupancyLimiter::Registers;
                for (const int more : {0, 1}) {
                    if (more == 1 && !byRegisters) continue;
                    const std::string ptx = demanding(code.ptx, kernel.kernel, occupancy.blocks + more);
                    QVERIFY(!ptx.empty());
                    const Outcome<AssembledPtx> again = assemblePtx(ptx, architecture);
                    QVERIFY2(again.ok(), again ? "" : again.why().c_str());
                    const KernelResources *then = resourcesOf(again->kernels, kernel.kernel);
                    QVERIFY(then != nullptr);
                    const std::string story = fmt::format(
                        "{}: {} threads of {} registers, {} blocks fit; asked for {}, ptxas gives {}", architecture,
                        threads, own->registers, occupancy.blocks, occupancy.blocks + more, then->registers);
                    if (more == 1) QVERIFY2(then->registers < own->registers, story.c_str());
                    ++asked;
                    limited += more;
                    if (more == 1 || then->registers >= own->registers) continue;
                    ++fewer;
                    told += story + "\n";
                }
            }
        }
    }
    qInfo("%d kernels assembled with a number of blocks asked for, %d of them with one more than registers allow; %d "
          "took "
          "fewer than they might",
          asked, limited, fewer);
    QVERIFY(limited > 4);
    QVERIFY2(fewer * 16 <= asked - limited, told.c_str());
}

/// Of a piece of shared memory that buffers share, ptxas counts each byte once.
void RandomMachineCodeTest::buffersInTurn() {
    const int before = m_sharing;
    const DagPtr dag = matmulChainDag(16);
    for (const std::string &architecture : legalArchitectures()) {
        const std::string wrong = compile(dag, stateOf(dag, kTwoProducts), architecture, 0, true);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
    QCOMPARE(m_sharing - before, static_cast<int>(legalArchitectures().size()));
}

void RandomMachineCodeTest::randomDags() {
    const uint64_t first = qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong();
    const uint64_t count = takesMany() ? 900 : 30;
    for (uint64_t stream = first; stream < first + count; ++stream) {
        Random random(41, stream);
        const DagPtr dag = randomDag(random, {.maxWork = 3000, .ordered = stream % 3 == 1});
        const Outcome<LoopState> state =
            boundToThreads(randomSchedule(dag, random, optionsOfKernels(stream)), random, 64);
        if (!state) continue;
        const std::string wrong = compile(dag, *state, legalArchitectures()[stream % legalArchitectures().size()],
                                          stream % 3 == 0 ? 2 : 0, false);
        QVERIFY2(wrong.empty(), fmt::format("stream {} on {}", stream, wrong).c_str());
    }
}

void RandomMachineCodeTest::cleanupTestCase() {
    if (m_programs == 0) return;
    qInfo("%d programs, %d kernels compiled, %d of them spill; %d programs refused", m_programs, m_kernels, m_spilling,
          m_refused);
    qInfo("%d kernels give shared buffers the same bytes: %lld bytes of %lld", m_sharing,
          static_cast<long long>(m_sharedBytes), static_cast<long long>(m_apartBytes));
}

LOOPSCOPE_TEST(RandomMachineCodeTest)

} // namespace random_machine_code_test
#include "random_machine_code_test.moc"
