// Loaded kernels, the pool behind parallel loops, guarded memory.
#include "base/outcome.h"
#include "codegen/runtime/loaded_kernel.h"
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "test_program.h"

#include <QtTest>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace loopscope;

namespace {

/// Signal a child dies of when it does this; 0 when it does not die.
int signalOf(const std::function<void()> &action) {
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        action();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

} // namespace

class RuntimeTest : public QObject {
    Q_OBJECT

  private slots:
    void guardsFaultOnBothSides() {
        const GuardedBuffer back(100, false);
        const GuardedBuffer front(100, true);
        QCOMPARE(reinterpret_cast<uintptr_t>(front.data()) % 64, uintptr_t(0));
        const auto poke = [](const GuardedBuffer &buffer, ptrdiff_t at) {
            return signalOf([&] { static_cast<volatile char *>(buffer.data())[at] = 1; });
        };
        QCOMPARE(poke(back, 0), 0);
        QCOMPARE(poke(back, 99), 0);
        QCOMPARE(poke(back, 100), SIGSEGV);
        QCOMPARE(poke(front, 99), 0);
        QCOMPARE(poke(front, -1), SIGSEGV);
    }

    void guardedBufferMoves() {
        GuardedBuffer first(4096, false);
        static_cast<char *>(first.data())[4095] = 7;
        GuardedBuffer second(std::move(first));
        QCOMPARE(static_cast<char *>(second.data())[4095], char(7));
        first = GuardedBuffer(10, true);
        first = std::move(second);
        QCOMPARE(static_cast<char *>(first.data())[4095], char(7));
    }

    void parallelForCoversEachIndexOnce_data() {
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("count");
        for (int threads : {1, 2, 3})
            for (int count : {0, 1, 2, 7, 100}) QTest::addRow("%d on %d", count, threads) << threads << count;
    }
    void parallelForCoversEachIndexOnce() {
        QFETCH(int, threads);
        QFETCH(int, count);
        struct Seen {
            std::vector<std::atomic<int>> times;
            std::mutex mutex;
            std::set<std::thread::id> ids;
        } seen;
        seen.times = std::vector<std::atomic<int>>(size_t(count));
        setKernelThreads(threads);
        kernelRuntime().parallelFor(
            [](int64_t begin, int64_t end, void *context) {
                auto &all = *static_cast<Seen *>(context);
                for (int64_t i = begin; i < end; ++i) ++all.times[size_t(i)];
                const std::lock_guard lock(all.mutex);
                all.ids.insert(std::this_thread::get_id());
            },
            count, &seen);
        setKernelThreads(0);
        for (const auto &times : seen.times) QCOMPARE(times.load(), 1);
        QCOMPARE(int(seen.ids.size()), std::min(threads, count));
    }

    void allocationIsAligned() {
        for (int64_t bytes : {1, 63, 64, 100000}) {
            void *memory = kernelRuntime().allocate(bytes);
            QCOMPARE(reinterpret_cast<uintptr_t>(memory) % 64, uintptr_t(0));
            std::memset(memory, 1, size_t(bytes));
            kernelRuntime().release(memory);
        }
    }

    void brokenObjectIsAnError() {
        const std::vector<char> rubbish(200, 'x');
        QVERIFY_THROWS_EXCEPTION(Error, LoadedKernel kernel(rubbish));
    }

    // What a kernel misses is named: the object of another machine's math library, say.
    void missingSymbolIsNamed() {
        const DagPtr dag = elementwiseDag(4, 16);
        Outcome<MachineCode> code = hostCompiler().compile(naiveProgram(dag, {LoopKind::Serial}));
        QVERIFY(code.ok());
        std::vector<char> object = code->kernel.object;
        const std::string known = "expf";
        const auto at = std::search(object.begin(), object.end(), known.begin(), known.end());
        QVERIFY(at != object.end());
        std::copy_n("zzzz", 4, at);
        try {
            const LoadedKernel kernel(object);
            QFAIL("loaded");
        } catch (const Error &error) {
            QVERIFY2(std::string(error.what()).find("zzzz") != std::string::npos, error.what());
        }
    }

    void kernelsComeAndGo() {
        const DagPtr dag = matmulDag(8, 8, 8);
        for (int i = 0; i < 20; ++i) {
            const std::string problem =
                checkKernel(naiveProgram(dag, {LoopKind::Vectorized, LoopKind::Parallel}), *dag, hostCompiler(), 1);
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }

    void theCallerHasAProcessorOfItsOwnWhileItTimes() {
        const auto mine = [] {
            cpu_set_t allowed;
            CPU_ZERO(&allowed);
            sched_getaffinity(0, sizeof allowed, &allowed);
            std::vector<int> all;
            for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
                if (CPU_ISSET(cpu, &allowed)) all.push_back(cpu);
            return all;
        };
        const std::vector<int> before = mine();
        if (before.size() < 2) QSKIP("one processor: nowhere to move");
        setKernelThreads(2);
        {
            const CallerStays staysThere;
            QCOMPARE(mine(), std::vector<int>{before.front()});
            std::atomic<int> ownPlace = -1;
            kernelRuntime().parallelFor(
                [](int64_t begin, int64_t end, void *place) {
                    for (int64_t i = begin; i < end; ++i)
                        if (i == 1) *static_cast<std::atomic<int> *>(place) = sched_getcpu();
                },
                2, &ownPlace);
            QCOMPARE(ownPlace.load(), before[1]);
        }
        QCOMPARE(mine(), before); // a thread made now may go anywhere
        setKernelThreads(1);
        {
            const CallerStays staysThere;
            QCOMPARE(mine(), before);
        }
        setKernelThreads(0);
    }
};

LOOPSCOPE_TEST(RuntimeTest)
#include "runtime_test.moc"
