// The memory kernels of processors run on, and what runs them.

#include <QtTest>

#include "base/outcome.h"
#include "codegen/runtime/kernel_arguments.h"
#include "codegen/runtime/runner.h"
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "test_program.h"

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

    /// As many copies of the weights as it takes to move the bytes; all else is the same in every call.
    void weightsOfANetworkAreFarAway() {
        Matmul task;
        task.args[1].weights = true;
        ArgumentData data = task.data();
        QCOMPARE(TimingArguments(task.args, data).calls(), size_t{1});
        data.weightBytes = 9 * 128 + 1; // 84 bytes of weights, in two lines of cache
        const TimingArguments timing(task.args, data);
        QCOMPARE(timing.calls(), size_t{10});
        std::set<const void *> weights;
        for (size_t call = 0; call < timing.calls(); ++call) {
            void *const *pointers = timing.pointers() + call * task.args.size();
            QCOMPARE(pointers[0], timing.pointers()[0]);
            QCOMPARE(pointers[2], timing.pointers()[2]);
            QCOMPARE(reinterpret_cast<uintptr_t>(pointers[1]) % 64, uintptr_t{0});
            QCOMPARE(std::memcmp(pointers[1], task.b.data(), argBytes(task.args[1])), 0);
            weights.insert(pointers[1]);
        }
        QCOMPARE(weights.size(), timing.calls());
        task.args[1].weights = false;
        QCOMPARE(TimingArguments(task.args, data).calls(), size_t{1});
    }

    /// Each timed call has the weights behind those of the call before, in however many pieces the calls are asked for.
    void timedCallsTakeTurnsAmongWeights() {
        const Matmul task;
        BuiltKernel built = Matmul::built();
        built.launch.args[1].weights = true;
        ArgumentData data = task.data();
        data.weightBytes = 3 * 128;
        const auto runner = makeRunner(built);
        QVERIFY2(runner.ok(), runner.ok() ? "" : runner.why().c_str());
        (*runner)->prepare(1);
        const auto call = (*runner)->bind(data);
        // The copies follow each other in memory; the second gets other numbers.
        auto *first = call->data(1);
        size_t second = 0;
        for (size_t at = 64; second == 0 && at < 8192; at += 64)
            if (std::memcmp(first + at, task.b.data(), sizeof(float) * task.b.size()) == 0) second = at;
        QVERIFY(second > 0);
        std::fill_n(reinterpret_cast<float *>(first + second), task.b.size(), 2.0F);
        const auto answer = [&] { return reinterpret_cast<const float *>(call->data(2))[0]; };
        for (const auto &[calls, expected] : {std::pair{1, 3.0F}, {1, 6.0F}, {1, 3.0F}, {2, 6.0F}, {4, 3.0F}}) {
            QVERIFY(call->time(calls) >= 0);
            QCOMPARE(answer(), expected);
        }
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

LOOPSCOPE_TEST(CpuRunnerTest)
#include "cpu_runner_test.moc"
