// Published schedules for GPUs, where the log is present: each computes what the reference interpreter computes on
// blocks the executor runs, without a race, and becomes machine code of several architectures both ways, through CUDA
// text and through PTX of LLVM. LOOPSCOPE_LONG_TESTS takes every record and architecture and prints what they ask for;
// otherwise a few of them are taken.

#include "codegen/kernel_limits/kernel_limits.h"
#include "codegen/lower/lower.h"
#include "harness/device_code.h"
#include "harness/known_architectures.h"
#include "harness/shared_data.h"
#include "language/dag/compute_dag.h"
#include "measure/answer/reference_data.h"
#include "measure/executor_check.h"
#include "records/record/record.h"
#include "records/resolve/fit.h"
#include "records/resolve/resolver.h"
#include "test_program.h"

#include <QTest>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <unistd.h>

using namespace loopscope;

namespace logged_kernels_machine_code_test {

namespace {

const std::vector<std::string> &legalArchitectures() {
    static const std::vector<std::string> list =
        knownArchitectures({"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100"});
    return list;
}

bool takesAll() { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS"); }

struct LoggedKernel {
    size_t record = 0;
    Record logged;
    DagPtr dag;
    Outcome<LoopState> state;
};

/// Registers and spilled bytes of the kernels of a program on one architecture.
struct Taken {
    std::string registers; // "64", "64+32" of several kernels
    int64_t spilled = 0;
};

struct TableRow {
    std::string about;                               // record, workload, launches
    std::string executed;                            // blocks, error
    std::map<std::string, std::map<bool, Taken>> by; // architecture -> through LLVM
};

std::string shapesOf(const ComputeDag &dag) {
    std::string text;
    for (const Tensor *arg : dag.args())
        text += fmt::format("{}{}", text.empty() ? "" : " ", fmt::join(arg->shape, "x"));
    return text;
}

} // namespace

class LoggedKernelsMachineCodeTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void answers_data() { rows(); }
    void answers();
    void compiled_data() { rows(); }
    void compiled();
    void cleanupTestCase();

  private:
    void rows();
    std::vector<LoggedKernel> m_kernels;
    std::map<size_t, TableRow> m_table;
};

void LoggedKernelsMachineCodeTest::initTestCase() {
    const auto path = sharedDataFile("tvm-resnet18-nhwc-cuda.json");
    if (!path) QSKIP("the published log is not present");
    const Resolver resolver;
    const RecordLog log = loadRecordLog(*path);
    for (size_t i = 0; i < log.records.size(); ++i) {
        const Steps steps = log.records[i].trial.steps.unpack();
        const auto found = resolver.resolve(log.records[i].key, steps);
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        m_kernels.push_back({i, log.records[i], (*found)->dag, fit(steps, (*found)->dag)});
        QVERIFY2(m_kernels.back().state.ok(), m_kernels.back().state ? "" : m_kernels.back().state.why().c_str());
        m_table[i].about = fmt::format("{:2} {}", i, shapesOf(*m_kernels.back().dag));
    }
    QCOMPARE(m_kernels.size(), size_t{24});
}

void LoggedKernelsMachineCodeTest::rows() {
    QTest::addColumn<int>("index");
    for (size_t i = 0; i < m_kernels.size(); i += takesAll() ? 1 : 9)
        QTest::addRow("record %zu", i) << static_cast<int>(i);
}

void LoggedKernelsMachineCodeTest::answers() {
    QFETCH(const int, index);
    const LoggedKernel &kernel = m_kernels[static_cast<size_t>(index)];
    const Target target = parseTarget("cuda -arch=sm_80");
    LowerOptions options;
    options.layoutRewrite = kernel.logged.layoutRewrite;
    const Outcome<LoopProgram> program = lower(*kernel.state, target, options);
    QVERIFY2(program.ok(), program ? "" : program.why().c_str());
    const int file = makeAnonymousFile();
    fillReferenceFile(file, *kernel.dag, 0, 2);
    const ReferenceView reference(file);
    close(file);
    const ExecutorCheck check = checkOnExecutor(*program, reference, executorOptions(takesAll() ? 6 : 3, 5));
    QVERIFY2(check.error == TrialError::None, check.reason.c_str());
    QVERIFY2(check.maxError <= 1, qPrintable(QString::number(check.maxError)));
    const std::string sample = check.run.sampleText();
    m_table[kernel.record].executed =
        fmt::format("{}, error {:.2g}", sample.empty() ? fmt::format("all {} blocks", check.run.counts.blocks) : sample,
                    check.maxError);
}

void LoggedKernelsMachineCodeTest::compiled() {
    QFETCH(const int, index);
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    if (foundNvidiaTools().ptxas.empty()) QSKIP(missingTool("ptxas").c_str());
    static CudaCompiler compiler(foundNvidiaTools(), {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker"});
    const LoggedKernel &kernel = m_kernels[static_cast<size_t>(index)];
    TableRow &row = m_table[kernel.record];
    std::vector<std::string> architectures = legalArchitectures();
    if (!takesAll()) architectures = {legalArchitectures()[static_cast<size_t>(index) % legalArchitectures().size()]};
    for (const std::string &architecture : architectures) {
        const Target target = parseTarget("cuda -arch=" + architecture);
        LowerOptions options;
        options.layoutRewrite = kernel.logged.layoutRewrite;
        const Outcome<LoopProgram> program = lower(*kernel.state, target, options);
        QVERIFY2(program.ok(), program ? "" : program.why().c_str());
        for (const bool llvm : {false, true}) {
            const DeviceCode code = llvm ? throughLlvm(*program, target) : throughCuda(*program, target, compiler);
            QVERIFY2(code.problem.empty(), (architecture + (llvm ? " LLVM " : " CUDA ") + code.problem).c_str());
            std::vector<KernelLimits> limits = limitsOf(*program, target);
            addResources(limits, code.kernels, target);
            Taken &taken = row.by[architecture][llvm];
            for (const KernelLimits &one : limits) {
                QVERIFY2(one.refused.empty(), one.refused.c_str());
                QVERIFY2(one.resources.has_value(), one.kernel.c_str());
                taken.registers += (taken.registers.empty() ? "" : "+") + std::to_string(one.resources->registers);
                taken.spilled += one.resources->spillStoreBytes + one.resources->spillLoadBytes;
            }
            if (architecture == architectures.front() && !llvm)
                for (const KernelLimits &one : limits)
                    row.about += fmt::format(" | {} x {}, {} B", one.grid[0] * one.grid[1] * one.grid[2], one.threads,
                                             one.sharedBytes);
        }
    }
}

void LoggedKernelsMachineCodeTest::cleanupTestCase() {
    if (!takesAll()) return;
    std::string text = "record, shapes | blocks x threads, shared | executor | registers through CUDA/LLVM";
    for (const std::string &architecture : legalArchitectures()) text += " " + architecture;
    for (const auto &[record, row] : m_table) {
        text += "\n" + row.about + " | " + row.executed + " |";
        for (const auto &architecture : legalArchitectures()) {
            const auto found = row.by.find(architecture);
            if (found == row.by.end()) continue;
            std::vector<std::string> both;
            for (const auto &[llvm, taken] : found->second)
                both.push_back(taken.registers + (taken.spilled > 0 ? fmt::format("!{}", taken.spilled) : ""));
            text += fmt::format(" {}", fmt::join(both, "/"));
        }
    }
    qInfo("%s", text.c_str());
}

LOOPSCOPE_TEST(LoggedKernelsMachineCodeTest)

} // namespace logged_kernels_machine_code_test
#include "logged_kernels_machine_code_test.moc"
