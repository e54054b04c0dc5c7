// A run allocates nothing, on one thread and on several: every way to memory is counted in this program.
#include "deploy/network/build.h"
#include "deploy/network/small_network.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_runner.h"
#include "test_program.h"

#include <QtTest>

#include <atomic>
#include <cstdlib>

using namespace loopscope;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOOPSCOPE_OWN_MALLOC 0
#else
#define LOOPSCOPE_OWN_MALLOC 1
#endif

namespace {
std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;

} // namespace

#if LOOPSCOPE_OWN_MALLOC
namespace {
void count() {
    if (counting) ++allocations;
}
} // namespace

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void *malloc(size_t bytes) {
    count();
    return __libc_malloc(bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
    count();
    return __libc_memalign(alignment, bytes);
}
}
#endif

class RunAllocationsTest : public QObject {
    Q_OBJECT

  private slots:
    void aRunAllocatesNothing_data() {
        QTest::addColumn<int>("threads");
        QTest::newRow("one") << 1;
        QTest::newRow("two") << 2;
    }
    void aRunAllocatesNothing() {
        if (LOOPSCOPE_OWN_MALLOC == 0) QSKIP("a sanitizer has the allocation functions");
        QFETCH(int, threads);
        const auto function = withSeededWeights(*smallNetwork(), 5).function;
        BuildOptions options;
        options.defaults = {.seed = 2, .population = 24, .generations = 0, .keep = 1};
        Target target = parseTarget("llvm -num-cores=2");
        target.minParallelStores = 16; // so that small kernels have parallel loops
        const auto built = buildPlan(*function, partitionFunction(*function, FusionMode::Compatible), target, options);
        QVERIFY2(built.ok(), built.ok() ? "" : built.why().c_str());
        PlanRunner runner(built->plan, {.threads = threads});
        runner.setInput(0, seededInputs(*function, InputKind::Uniform, 1)[0]);
        runner.run();
        const HostTensor first = runner.output(0);
        allocations = 0;
        counting = true;
        void *volatile seen = std::malloc(16);
        counting = false;
        std::free(seen);
        QCOMPARE(allocations.load(), 1);
        allocations = 0;
        counting = true;
        for (int i = 0; i < 20; ++i) runner.run();
        counting = false;
        QCOMPARE(allocations.load(), 0);
        QVERIFY(runner.output(0).sameAs(first));
    }
};

LOOPSCOPE_TEST(RunAllocationsTest)
#include "run_allocations_test.moc"
