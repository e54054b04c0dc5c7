// The memory kernels of processors run on, and what runs them.

#include <QtTest>

#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "outcome.h"
#include "runtime/kernel_arguments.h"
#include "runtime/runner.h"

#include <cstring>
#include <set>

using namespace loopscope;

namespace {

/// C = A B of float32 matrices of ones, the inputs in `a` and `b`.
struct Matmul {
    static constexpr int64_t n = 5, m = 7, k = 3;
    std::vector<float> a = std::vector<float>(n * k, 1);
    std::vector<float> b = std::vector<float>(k * m, 1);
    std::vector<KernelArg> args = {{"A", false, DType::Float32, n *k, {n, k}, {}},
                                   {"B", false, DType::Float32, k *m, {k, m}, {}},
                                   {"C", true, DType::Float32, n *m, {n, m}, {}}};
    [[nodiscard]] ArgumentData data() const {
        return {{reinterpret_cast<const std::byte *>(a.data()), reinterpret_cast<const std::byte *>(b.data()), nullptr},
                0xff};
    }
    static BuiltKernel built() {
        const LoopProgram program = naiveProgram(matmulDag(n, m, k), {.outermost = LoopKind::Parallel});
        auto code = hostCompiler().compile(program);
        if (!code) throw Error(code.why());
        return std::move(code).value().kernel;
    }
};

} // namespace

class CpuRunnerTest : public QObject {
    Q_OBJECT

  private slots:
    void packsWeights() {
        // A 3 x 4 matrix as [4/2 columns][3 rows padded to 4][2 columns].
        const KernelArg arg{"w", false, DType::Int8, 16, {3, 4}, {{1, 2, 2}, {0, 1, 4}, {1, 1, 2}}};
        const QByteArray from("\x00\x01\x02\x03\x10\x11\x12\x13\x20\x21\x22\x23", 12);
        QByteArray to(16, '?');
        packElements(arg, reinterpret_cast<const std::byte *>(from.data()), reinterpret_cast<std::byte *>(to.data()));
        QCOMPARE(to, QByteArray("\x00\x01\x10\x11\x20\x21\0\0\x02\x03\x12\x13\x22\x23\0\0", 16));
        const TimingArguments memory({arg}, {{reinterpret_cast<const std::byte *>(from.data())}, 0xff});
        QCOMPARE(QByteArray(reinterpret_cast<const char *>(memory.bytes(0)), 16), to);
    }

    void guardedArgumentsNoticeTrespass() {
        const Matmul task;
        const TimingArguments timing(task.args, task.data());
        for (const GuardSide side : {GuardSide::End, GuardSide::Start}) {
            GuardedArguments guarded(task.args, {timing.bytes(0), timing.bytes(1), timing.bytes(2)}, side);
            QCOMPARE(guarded.guards().size(), size_t{6});
            for (size_t i = 0; i < task.args.size(); ++i) {
                const auto first = reinterpret_cast<uintptr_t>(guarded.pointers()[i]);
                const size_t bytes = argBytes(task.args[i]);
                QCOMPARE(first % 64, uintptr_t{0});
                QVERIFY(first - guarded.guards()[2 * i].end < 4096);
                QVERIFY(guarded.guards()[2 * i + 1].begin - (first + bytes) < 4096);
                if (side == GuardSide::End)
                    QVERIFY(guarded.guards()[2 * i + 1].begin - (first + bytes) < 64);
                else
                    QCOMPARE(guarded.guards()[2 * i].end, first);
            }
            QCOMPARE(std::memcmp(guarded.pointers()[0], task.a.data(), argBytes(task.args[0])), 0);
            QCOMPARE(static_cast<unsigned char *>(guarded.pointers()[2])[0], static_cast<unsigned char>(0xff));
            QVERIFY(guarded.trespass().empty());
            auto *input = static_cast<char *>(guarded.pointers()[1]);
            input[3] = static_cast<char>(input[3] ^ 1);
            QCOMPARE(guarded.trespass(), std::string("it wrote into its input `B`"));
            input[3] = static_cast<char>(input[3] ^ 1);
            static_cast<char *>(guarded.pointers()[2])[argBytes(task.args[2]) + 1] = 0;
            QCOMPARE(guarded.trespass(), std::string("it wrote 2 bytes past the end of output `C`"));
        }
    }

    void timingBuffersStartAtDifferentPlacesOfAPage() {
        const Matmul task;
        const TimingArguments timing(task.args, task.data());
        std::set<uintptr_t> offsets;
        for (size_t i = 0; i < task.args.size(); ++i) {
            offsets.insert(reinterpret_cast<uintptr_t>(timing.pointers()[i]) % 4096);
            QCOMPARE(reinterpret_cast<uintptr_t>(timing.pointers()[i]) % 64, uintptr_t{0});
        }
        QCOMPARE(offsets.size(), task.args.size());
    }

    void aBuiltKernelRunsOnBothArrangements() {
        const Matmul task;
        const auto runner = makeRunner(Matmul::built());
        QVERIFY2(runner.ok(), runner.ok() ? "" : runner.why().c_str());
        (*runner)->prepare(2);
        const auto timed = (*runner)->bind(task.data());
        QVERIFY(timed->guards().empty());
        for (const GuardSide side : {GuardSide::End, GuardSide::Start}) {
            const auto guarded = (*runner)->bindGuarded(*timed, side);
            QCOMPARE(guarded->guards().size(), size_t{6});
            guarded->run();
            QCOMPARE(guarded->trespass(), std::string());
            for (int64_t i = 0; i < Matmul::n * Matmul::m; ++i)
                QCOMPARE(reinterpret_cast<const float *>(guarded->data(2))[i], 3.0F);
            guarded->data(0)[0] ^= std::byte{1};
            QCOMPARE(guarded->trespass(), std::string("it wrote into its input `A`"));
        }
        QVERIFY(std::isnan(*reinterpret_cast<const float *>(timed->data(2)))); // its own was not run
        QVERIFY(timed->time(3) > 0);
        QCOMPARE(*reinterpret_cast<const float *>(timed->data(2)), 3.0F);
    }

    void theEntryIsLookedForByItsName() {
        BuiltKernel kernel = Matmul::built();
        kernel.launch.entry = "elsewhere";
        try {
            (void)makeRunner(kernel);
            QFAIL("loaded");
        } catch (const Error &error) {
            QVERIFY2(std::string(error.what()).find("elsewhere") != std::string::npos, error.what());
        }
    }
};

QTEST_GUILESS_MAIN(CpuRunnerTest)
#include "cpu_runner_test.moc"
