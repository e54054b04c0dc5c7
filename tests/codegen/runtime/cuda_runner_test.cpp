// The runner of GPU kernels on a driver that is none (mock_cuda_driver.cpp): what it launches, what it times, what it
// notices, and what it says when the driver fails.

#include <QtTest>

#include "base/outcome.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "codegen/runtime/cuda_detection.h"
#include "codegen/runtime/runner.h"
#include "harness/environment.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <array>

using namespace loopscope;

namespace {

constexpr int64_t kN = 6;
constexpr int64_t kM = 8;
constexpr int64_t kK = 4;

BuiltKernel builtFor(const DagPtr &dag, const char *steps, const char *target = "cuda -arch=sm_80") {
    const Target parsed = parseTarget(target);
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), parsed);
    if (!program) throw std::runtime_error(program.why());
    program->name = "sample";
    auto generator = makeCodeGenerator(parsed);
    if (!generator) throw std::runtime_error(generator.why());
    Outcome<MachineCode> code = (*generator)->compile(*program, {});
    if (!code) throw std::runtime_error(code.why());
    return std::move(code).value().kernel;
}

/// C = A B of float32, a row a block.
BuiltKernel product(const char *target = "cuda -arch=sm_80") {
    return builtFor(matmulDag(kN, kM, kK), R"([["AN",2,0,5],["AN",2,1,6]])", target);
}

struct Inputs {
    std::vector<float> a = std::vector<float>(kN * kK, 2);
    std::vector<float> b = std::vector<float>(kK * kM, 3);
    [[nodiscard]] ArgumentData data() const {
        return {{reinterpret_cast<const std::byte *>(a.data()), reinterpret_cast<const std::byte *>(b.data()), nullptr},
                0xff};
    }
};

template <typename Work> QString thrownBy(const Work &work) {
    try {
        work();
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
    return QStringLiteral("nothing");
}

} // namespace

class CudaRunnerTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_log = m_folder.filePath(QStringLiteral("calls"));

    QStringList calls() const {
        QFile file(m_log);
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
    }

    static std::unique_ptr<Runner> runnerOf(const BuiltKernel &kernel) {
        Outcome<std::unique_ptr<Runner>> runner = makeRunner(kernel);
        if (!runner) throw Error(runner.why());
        return std::move(runner).value();
    }

  private slots:
    void init() {
        QFile::remove(m_log);
        qputenv("LOOPSCOPE_CUDA_DRIVER", LOOPSCOPE_MOCK_CUDA);
        qputenv("LOOPSCOPE_MOCK_CUDA_LOG", m_log.toLocal8Bit());
    }

    void aRightAnswerIsCopiedBack() {
        const Environment answer("LOOPSCOPE_MOCK_CUDA_ANSWER", "matmul:6,8,4");
        const Inputs inputs;
        const auto runner = runnerOf(product());
        QVERIFY(runner->runsOn() == RunsOn::Device);
        runner->prepare(4);
        const auto timed = runner->bind(inputs.data());
        for (const GuardSide side : {GuardSide::End, GuardSide::Start}) {
            const auto guarded = runner->bindGuarded(*timed, side);
            QVERIFY(guarded->guards().empty());
            guarded->run();
            QCOMPARE(guarded->trespass(), std::string());
            for (int64_t i = 0; i < kN * kM; ++i) QCOMPARE(reinterpret_cast<const float *>(guarded->data(2))[i], 24.0F);
        }
        QVERIFY(std::isnan(*reinterpret_cast<const float *>(timed->data(2)))); // its own was not run
        QCOMPARE(*reinterpret_cast<const float *>(timed->data(1)), 3.0F);
        QCOMPARE(calls(), QStringList(2, QStringLiteral("launch sample_kernel0 6,1,1 x 8,1,1 shared 0 pointers 3")));
    }

    /// Intermediates are allocated and handed from the kernel that writes them to the one that reads them.
    void kernelsAreLaunchedInOrder() {
        const BuiltKernel built = builtFor(matmulChainDag(8), R"([["AN",2,0,6],["AN",4,0,5],["AN",4,1,6]])");
        QCOMPARE(built.launch.intermediates.size(), size_t{1});
        QCOMPARE(built.launch.intermediates[0].bytes, int64_t{8 * 8 * 4});
        const int between = static_cast<int>(built.launch.args.size());
        QCOMPARE(built.launch.parameters[0].back(), between);
        QCOMPARE(built.launch.parameters[1].back(), between);
        const std::vector<float> ones(64, 1);
        ArgumentData data;
        for (const KernelArg &arg : built.launch.args)
            data.inputs.push_back(arg.output ? nullptr : reinterpret_cast<const std::byte *>(ones.data()));
        {
            const auto runner = runnerOf(built);
            const auto call = runner->bind(data);
            call->run();
            QCOMPARE(call->time(3), 3 * 2 * 0.25e-3); // the cache's fills do not count
        }
        QStringList expected;
        const QStringList both = {QStringLiteral("launch sample_kernel0 1,1,1 x 8,1,1 shared 0 pointers 3"),
                                  QStringLiteral("launch sample_kernel1 8,1,1 x 8,1,1 shared 0 pointers 3")};
        expected << both;
        for (int i = 0; i < 3; ++i) expected << QStringLiteral("fill of 2097152 bytes") << both;
        expected << QStringLiteral("released with 0 pieces of memory left");
        QCOMPARE(calls(), expected);
    }

    void ofManyCallsTheFirstThousandStandForAll() {
        const Inputs inputs;
        const auto runner = runnerOf(product());
        const auto call = runner->bind(inputs.data());
        QCOMPARE(call->time(5000), 5000 * 0.25e-3);
        QCOMPARE(calls().filter(QStringLiteral("launch")).size(), 1000);
    }

    void trespassesAreNoticed_data() {
        QTest::addColumn<QByteArray>("writes");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("before") << QByteArray("2:-5") << "it wrote 5 bytes before the start of output `C`";
        QTest::newRow("after") << QByteArray::number(2).append(":194") << "it wrote 3 bytes past the end of output `C`";
        QTest::newRow("after an input") << QByteArray("1:128") << "it wrote 1 bytes past the end of input `B`";
        QTest::newRow("into an input") << QByteArray("0:7") << "it wrote into its input `A`";
        QTest::newRow("into its output") << QByteArray("2:7") << QString();
    }
    void trespassesAreNoticed() {
        QFETCH(const QByteArray, writes);
        QFETCH(const QString, sentence);
        const Environment writing("LOOPSCOPE_MOCK_CUDA_WRITES", writes.constData());
        const Inputs inputs;
        const auto runner = runnerOf(product());
        const auto timed = runner->bind(inputs.data());
        for (const GuardSide side : {GuardSide::End, GuardSide::Start}) {
            const auto guarded = runner->bindGuarded(*timed, side);
            guarded->run();
            QCOMPARE(QString::fromStdString(guarded->trespass()), sentence);
        }
    }

    /// Of an intermediate, too, which no program ever sees.
    void intermediatesAreGuarded() {
        const Environment writing("LOOPSCOPE_MOCK_CUDA_WRITES", "2:-1");
        const BuiltKernel built = builtFor(matmulChainDag(8), R"([["AN",2,0,6],["AN",4,0,5],["AN",4,1,6]])");
        const std::vector<float> ones(64, 1);
        ArgumentData data;
        for (const KernelArg &arg : built.launch.args)
            data.inputs.push_back(arg.output ? nullptr : reinterpret_cast<const std::byte *>(ones.data()));
        const auto runner = runnerOf(built);
        const auto timed = runner->bind(data);
        const auto guarded = runner->bindGuarded(*timed, GuardSide::End);
        guarded->run();
        QCOMPARE(QString::fromStdString(guarded->trespass()),
                 QStringLiteral("it wrote 1 bytes before the start of intermediate `D`"));
    }

    void muchSharedMemoryIsAskedForAtTheLaunch() {
        BuiltKernel built = product();
        built.launch.grids[0].sharedBytes = 96 * 1024;
        const Inputs inputs;
        runnerOf(built)->bind(inputs.data())->run();
        QVERIFY(calls().contains(QStringLiteral("launch sample_kernel0 6,1,1 x 8,1,1 shared 98304 pointers 3")));
        built.launch.grids[0].sharedBytes = 200 * 1024;
        QCOMPARE(thrownBy([&] { runnerOf(built); }),
                 QStringLiteral("the GPU has no room for kernel sample_kernel0 of 6 x 1 x 1 blocks with 8 x 1 x 1 "
                                "threads and 204800 bytes of shared memory each: CUDA_ERROR_INVALID_VALUE (the mock "
                                "says no)"));
    }

    void whatTheDriversCompilerSaysIsTold() {
        BuiltKernel built = product();
        built.object = {'x'};
        QCOMPARE(thrownBy([&] { runnerOf(built); }),
                 QStringLiteral("the CUDA driver does not take its PTX: CUDA_ERROR_INVALID_PTX (the mock says no): "
                                "ptxas application ptx input, line 1; fatal   : Missing .version directive; ptxas "
                                "fatal   : given up"));
        QVERIFY(thrownBy([&] {
                    runnerOf(product("cuda -arch=sm_90"));
                }).contains(QStringLiteral("SM version specified by .target is higher")));
        built = product();
        built.launch.entry = "elsewhere";
        QCOMPARE(thrownBy([&] { runnerOf(built); }),
                 QStringLiteral("the code has no kernel elsewhere_kernel0: CUDA_ERROR_NOT_FOUND (the mock says "
                                "no)"));
    }

    void failures_data() {
        QTest::addColumn<QByteArray>("fail");
        QTest::addColumn<QString>("sentence");
        const QString kernel =
            QStringLiteral("kernel sample_kernel0 of 6 x 1 x 1 blocks with 8 x 1 x 1 threads and 0 "
                           "bytes of shared memory each: CUDA_ERROR_INVALID_VALUE (the mock says no)");
        QTest::newRow("launch") << QByteArray("cuLaunchKernel:1")
                                << QStringLiteral("the GPU does not launch ") + kernel;
        QTest::newRow("end") << QByteArray("cuCtxSynchronize:1") << QStringLiteral("the GPU stopped ") + kernel;
        QTest::newRow("upload") << QByteArray("cuMemcpyHtoD:2")
                                << "input `A` cannot be copied to the GPU: CUDA_ERROR_OUT_OF_MEMORY (the mock says no)";
        QTest::newRow("memory") << QByteArray("cuMemAlloc:2")
                                << "the GPU has no 96 bytes for input `A`: CUDA_ERROR_OUT_OF_MEMORY (the mock says no)";
        QTest::newRow("context") << QByteArray("cuDevicePrimaryCtxRetain:2")
                                 << "the GPU cannot be used: CUDA_ERROR_OUT_OF_MEMORY (the mock says no)";
        QTest::newRow("event") << QByteArray("cuEventCreate:2")
                               << "no event to time by: CUDA_ERROR_OUT_OF_MEMORY (the mock says no)";
        QTest::newRow("end of a timing")
            << QByteArray("cuEventSynchronize:1")
            << "the GPU failed while the kernel was timed: CUDA_ERROR_INVALID_VALUE (the mock says no)";
    }
    void failures() {
        QFETCH(const QByteArray, fail);
        QFETCH(const QString, sentence);
        const Environment failing("LOOPSCOPE_MOCK_CUDA_FAIL", fail.constData());
        const Inputs inputs;
        QCOMPARE(thrownBy([&] {
                     const auto runner = runnerOf(product());
                     const auto call = runner->bind(inputs.data());
                     call->run();
                     call->time(2);
                 }),
                 sentence);
    }

    void withoutADriverOrAGpu() {
        const auto refusal = [](const char *variable, const char *value) {
            const Environment changed(variable, value);
            const auto runner = makeRunner(product());
            const auto gpu = askCudaDriver();
            if (runner || gpu) return std::string("no refusal");
            return runner.why() == gpu.why() ? gpu.why() : "one of them says: " + runner.why();
        };
        QCOMPARE(refusal("LOOPSCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1"),
                 std::string("the CUDA driver cannot be opened (/nowhere/libcuda.so.1: cannot open shared object file: "
                             "No such file or directory)"));
        QCOMPARE(refusal("LOOPSCOPE_CUDA_DRIVER", "libm.so.6"),
                 std::string("the CUDA driver libm.so.6 has no cuInit; one of CUDA 11 or newer has"));
        QCOMPARE(refusal("LOOPSCOPE_MOCK_CUDA_DEVICES", "0"), std::string("the CUDA driver finds no GPU"));
        QCOMPARE(refusal("LOOPSCOPE_MOCK_CUDA_FAIL", "cuInit:100"), std::string("the CUDA driver finds no GPU"));
        QCOMPARE(refusal("LOOPSCOPE_MOCK_CUDA_FAIL", "cuInit:999"),
                 std::string("the CUDA driver cannot be started: CUDA_ERROR_UNKNOWN (the mock says no)"));
    }

    void ofSeveralGpusTheFirstIsShown() {
        const Environment two("CUDA_VISIBLE_DEVICES", "3,1");
        QVERIFY(askCudaDriver().ok());
        QCOMPARE(qgetenv("CUDA_VISIBLE_DEVICES"), QByteArray("3"));
        const Environment none("CUDA_VISIBLE_DEVICES", nullptr);
        QVERIFY(askCudaDriver().ok());
        QCOMPARE(qgetenv("CUDA_VISIBLE_DEVICES"), QByteArray("0"));
    }

    void theGpuIsDescribed() {
        const Environment arch("LOOPSCOPE_MOCK_CUDA_ARCH", "89");
        const auto gpu = askCudaDriver();
        QVERIFY2(gpu.ok(), gpu.ok() ? "" : gpu.why().c_str());
        QCOMPARE(gpu->name, std::string("Mock GPU"));
        QCOMPARE(gpu->arch, std::string("sm_89"));
        QCOMPARE(gpu->limits.multiprocessors, 7);
        QCOMPARE(gpu->limits.sharedPerMultiprocessor, int64_t{164 * 1024});
        QCOMPARE(gpu->limits.sharedPerBlockOptIn, int64_t{163 * 1024});
        QCOMPARE(gpu->limits.clockGHz, 1.5);
        QCOMPARE(gpu->limits.memoryGBs, 256.0);
        QCOMPARE(gpu->limits.floatsPerCycle, 128); // of the architecture; no driver says it
        QCOMPARE(gpu->l2Bytes, int64_t{1 << 20});
    }
};

LOOPSCOPE_TEST(CudaRunnerTest)
#include "cuda_runner_test.moc"
