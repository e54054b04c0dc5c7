// Schedules that the search draws for every sample become machine code for several architectures, without a GPU: what
// is written compiles, as CUDA text and as PTX of LLVM, and what is known of a kernel beforehand is what ptxas finds in
// it.

#include "codegen/kernel_limits/kernel_limits.h"
#include "codegen/kernel_limits/machine_code.h"
#include "codegen/lower/lower.h"
#include "harness/known_architectures.h"
#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "schedule/steps_json.h"
#include "search/annotate/sample_population.h"
#include "test_program.h"

#include <QDir>
#include <QTest>

#include <algorithm>

using namespace loopscope;

namespace {

const std::vector<std::string> &legalArchitectures() {
    static const std::vector<std::string> list =
        knownArchitectures({"sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"});
    return list;
}

Target gpuOf(const std::string &architecture) { return parseTarget("cuda -arch=" + architecture); }

std::vector<Steps> drawn(const DagPtr &dag, const Target &target, int count) {
    const Task task = makeTask(dag, target);
    SearchOptions options;
    options.population = std::max(count, 64); // most draws of some operators ask for too much
    options.seed = 7;
    ThreadPool pool(1);
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    const auto unknown = [](const StateKey &) { return false; };
    std::vector<Steps> steps;
    for (const Candidate &one :
         samplePopulation(task, generateSketches(dag, target), options, 1, unknown, pool, scratch).candidates)
        if (static_cast<int>(steps.size()) < count) steps.push_back(one.steps);
    return steps;
}

} // namespace

class CompiledKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void samples_data();
    void samples();
    void throughLlvmToo();
};

void CompiledKernelsTest::samples_data() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(LOOPSCOPE_SOURCE_DIR) + QStringLiteral("/samples"));
    for (const QString &name : folder.entryList({QStringLiteral("*.te")}, QDir::Files, QDir::Name))
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
    // Scans and scatters.
    for (const char *name : {"pipelines/histogram_equalize.te", "pipelines/iir_blur.te", "pipelines/bilateral_grid.te"})
        QTest::newRow(name) << folder.filePath(QString::fromLatin1(name));
}

void CompiledKernelsTest::samples() {
    QFETCH(QString, path);
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    if (foundNvidiaTools().ptxas.empty()) QSKIP(missingTool("ptxas").c_str());
    static CudaCompiler compiler(
        foundNvidiaTools(), {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker", .timeout = 280, .debugLines = true});
    static size_t turn = 0; // architectures take turns, so that all of them meet many samples
    const bool all = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS");
    const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(path.toStdString()));
    const std::vector<Steps> schedules = drawn(dag, gpuOf("sm_80"), all ? 8 : 1);
    QVERIFY(!schedules.empty());
    for (const Steps &steps : schedules) {
        const Outcome<LoopState> state = replay(dag, steps);
        QVERIFY2(state.ok(), state ? "" : state.why().c_str());
        std::vector<std::string> architectures = legalArchitectures();
        if (!all) architectures = {legalArchitectures()[turn++ % legalArchitectures().size()]};
        for (const std::string &architecture : architectures) {
            const Target target = gpuOf(architecture);
            const std::string story = architecture + " " + stepsText(steps) + "\n";
            const Outcome<LoopProgram> program = lower(*state, target);
            QVERIFY2(program.ok(), program ? "" : (story + program.why()).c_str());
            std::vector<KernelLimits> limits = limitsOf(*program, target);
            const Outcome<GpuMachineCode> code = gpuMachineCode(*program, target, compiler);
            QVERIFY2(code.ok(), code ? "" : (story + code.why()).c_str());
            QVERIFY2(code->unassembled.empty(), (story + code->unassembled).c_str());
            addResources(limits, code->resources, target);
            for (const KernelLimits &kernel : limits) {
                QVERIFY2(kernel.resources.has_value(), (story + kernel.kernel).c_str());
                QVERIFY2(kernel.refused.empty(), (story + kernel.refused).c_str());
                QVERIFY2(kernel.resources->registers > 0 && kernel.resources->registers <= 255, story.c_str());
                const bool declared = kernel.sharedBytes <= 48 * 1024;
                // From Hopper on ptxas counts what the system keeps of each block's.
                const int64_t found = kernel.resources->sharedBytes;
                const bool same = found <= kernel.sharedBytes + 1024 && (!declared || found >= kernel.sharedBytes - 64);
                QVERIFY2(same, (story + kernel.kernel + ": " + std::to_string(found) + " bytes of shared memory, not " +
                                std::to_string(kernel.sharedBytes))
                                   .c_str());
            }
            QVERIFY2(!code->ptx.links.empty(), story.c_str());
        }
    }
}

/// Without NVRTC PTX is LLVM's, and whoever asks is told.
void CompiledKernelsTest::throughLlvmToo() {
    NvidiaTools tools = foundNvidiaTools();
    if (tools.ptxas.empty()) QSKIP(missingTool("ptxas").c_str());
    tools.nvrtc.clear();
    CudaCompiler unused(tools);
    const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/matmul.te"));
    const Target target = gpuOf("sm_80");
    for (const Steps &steps : drawn(dag, target, 2)) {
        const Outcome<LoopProgram> program = lower(*replay(dag, steps), target);
        QVERIFY2(program.ok(), program ? "" : program.why().c_str());
        const Outcome<GpuMachineCode> code = gpuMachineCode(*program, target, unused, tools);
        QVERIFY2(code.ok(), code ? "" : code.why().c_str());
        QVERIFY2(code->compilers.starts_with("LLVM, ptxas "), code->compilers.c_str());
        std::vector<KernelLimits> limits = limitsOf(*program, target);
        addResources(limits, code->resources, target);
        QVERIFY(limits.front().resources.has_value());
        const Outcome<SassText> sass = sassOf(*code, tools);
        if (tools.nvdisasm.empty()) QSKIP(missingTool("nvdisasm").c_str());
        QVERIFY2(sass.ok(), sass ? "" : sass.why().c_str());
        QVERIFY(!sass->code.links.empty());
    }
}

LOOPSCOPE_TEST(CompiledKernelsTest)
#include "compiled_kernels_test.moc"
