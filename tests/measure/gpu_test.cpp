// Kernels on the GPU of this machine, where there is one: the only test that a real driver takes part in. Everything it
// finds out, the mock's tests and the executor's find without a GPU; what it adds is that a driver agrees.

#include <QTest>

#include "codegen/nvidia/gpu_worker.h"
#include "codegen/runtime/runner.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "quick_measuring.h"
#include "test_program.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace loopscope;

namespace gpu_test {

namespace {

constexpr const char *kTiledProduct = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

/// Writes to address 0.
constexpr const char *kAstray = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry astray_kernel0(.param .u64 p0)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    mov.u32 %r1, 7;
    mov.u64 %rd1, 0;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";

BuiltKernel astrayKernel() {
    BuiltKernel kernel;
    const std::string_view text = kAstray;
    kernel.object.assign(text.begin(), text.end());
    kernel.launch.kind = TargetKind::Cuda;
    kernel.launch.entry = "astray";
    kernel.launch.args = {{"A", true, DType::Float32, 4, {4}, {}}};
    kernel.launch.grids = {{}};
    kernel.launch.parameters = {{0}};
    return kernel;
}

/// What a run of the kernel says, in a process of its own.
std::string saidByRun(const BuiltKernel &kernel) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
        std::string said = "nothing";
        try {
            auto runner = makeRunner(kernel);
            if (runner)
                (*runner)->bind({{nullptr}, 0})->run();
            else
                said = runner.why();
        } catch (const Error &error) {
            said = error.what();
        }
        ::_exit(::write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
    }
    ::close(ends[1]);
    std::string said(1000, '\0');
    const ssize_t size = ::read(ends[0], said.data(), said.size());
    said.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return said;
}

} // namespace

class GpuTest : public QObject {
    Q_OBJECT

    Target m_target;

    std::vector<Trial> measured(const DagPtr &dag, const std::vector<Steps> &candidates) {
        const auto measurer = makeWorkerMeasurer(makeTask(dag, m_target), quickMeasuring());
        std::vector<Trial> trials;
        measurer->measure(candidates, [&](size_t, const Trial &trial) { trials.push_back(trial); });
        return trials;
    }

  private slots:
    void initTestCase() {
        qunsetenv("LOOPSCOPE_CUDA_DRIVER"); // which keeps the other tests from the GPU
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
        const Outcome<DetectedGpu> gpu = gpuOfThisMachine();
        if (!gpu) QSKIP(gpu.why().c_str());
        setGpuDetector(gpuOfThisMachine);
        m_target = parseTarget("cuda -arch=native");
        qInfo("%s", m_target.text().c_str());
    }

    void tilesInSharedMemory() {
        const DagPtr dag = matmulDag(16, 24, 12);
        for (const Trial &trial : measured(dag, {stateOf(dag, kTiledProduct).steps(), {}})) {
            QVERIFY2(trial.valid(), trial.reason.c_str());
            QVERIFY(trial.maxError <= 1 && !trial.seconds.empty() && trial.cost() > 0 && trial.cost() < 1);
        }
    }

    void kernelsWithAnIntermediate() {
        const DagPtr dag = matmulChainDag(64);
        const Steps rows = stateOf(dag, R"([["AN",2,0,5],["AN",2,1,6],["AN",4,0,5],["AN",4,1,6]])").steps();
        const Trial trial = measured(dag, {rows}).at(0);
        QVERIFY2(trial.valid(), trial.reason.c_str());
    }

    void aKernelThatGoesAstrayIsNamed() {
        const std::string said = saidByRun(astrayKernel());
        QVERIFY2(said.starts_with("the GPU stopped kernel astray_kernel0 of 1 x 1 x 1 blocks with 1 x 1 x 1 threads") &&
                     said.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos,
                 said.c_str());
    }

    void whatTheDriversCompilerSaysIsTold() {
        BuiltKernel kernel = astrayKernel();
        const std::string_view text = ".version 6.3\n.target sm_75\n.address_size 64\nnonsense\n";
        kernel.object.assign(text.begin(), text.end());
        const std::string said = saidByRun(kernel);
        QVERIFY2(said.starts_with("the CUDA driver does not take its PTX: CUDA_ERROR_INVALID_PTX") &&
                     said.find("line 4") != std::string::npos,
                 said.c_str());
    }
};

LOOPSCOPE_TEST(GpuTest)

} // namespace gpu_test
#include "gpu_test.moc"
