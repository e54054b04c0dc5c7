// What kernels ask for, each limit with its sentence, and occupancy before and after registers are known.

#include "codegen/kernel_limits/kernel_limits.h"
#include "harness/kernel_maker.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

Target ampere() { return parseTarget("cuda -arch=sm_80"); }

QString refused(const LoopProgram &program, const Target &target = ampere()) {
    const std::optional<Refusal> limit = exceededLimit(program, target);
    return limit ? QString::fromStdString(limit->sentence) : QStringLiteral("none");
}

/// C[..] = 1 in so many blocks and threads.
LoopProgram filled(LoopKind outer, int64_t outerExtent, LoopKind inner, int64_t innerExtent) {
    KernelMaker k;
    Buffer &c = k.output("C", {outerExtent, innerExtent});
    const Expr i = makeVar("i");
    const Expr j = makeVar("j");
    return k.program(
        {KernelMaker::loop(outer, i, outerExtent,
                           {KernelMaker::loop(inner, j, innerExtent, {KernelMaker::store(c, {i, j}, makeFloat(1))})})});
}

/// A tile in shared memory, of one block.
LoopProgram tiled(int64_t elements) {
    OneBlock k;
    Buffer &c = k.output("C", {32});
    Buffer &tile = k.buffer("tile", {elements}, MemoryScope::Shared);
    return k.of({makeAllocate(
        tile, makeBlock(std::vector<Stmt>{KernelMaker::store(tile, {k.t}, makeFloat(1)), makeBarrier(),
                                          KernelMaker::store(c, {k.t}, KernelMaker::load(tile, {k.t}))}))});
}

LoopProgram looped(LoopKind kind, int64_t extent) {
    OneBlock k;
    Buffer &c = k.output("C", {32, extent});
    const Expr v = makeVar("v");
    return k.of({KernelMaker::loop(kind, v, extent, {KernelMaker::store(c, {k.t, v}, makeFloat(1))})});
}

} // namespace

class KernelLimitsTest : public QObject {
    Q_OBJECT
  private slots:
    void whatIsAskedFor();
    void everyLimit();
    void registersLimitToo();
    void noLaunch();
};

void KernelLimitsTest::whatIsAskedFor() {
    const std::vector<KernelLimits> all = limitsOf(filled(LoopKind::BlockX, 300, LoopKind::ThreadX, 96), ampere());
    QCOMPARE(all.size(), size_t(1));
    QCOMPARE(all[0].kernel, std::string("kernel_kernel0"));
    QCOMPARE(all[0].computes, (std::vector<std::string>{"C"}));
    QCOMPARE(all[0].grid, (std::array<int64_t, 3>{300, 1, 1}));
    QCOMPARE(all[0].block, (std::array<int64_t, 3>{96, 1, 1}));
    QCOMPARE(all[0].threads, int64_t(96));
    QVERIFY(!all[0].resources.has_value());
    QCOMPARE(all[0].occupancy.blocks, 21); // of 3 warps, 64 of which a multiprocessor holds
    QCOMPARE(all[0].occupancy.warps, 63);
    QCOMPARE(all[0].refused, std::string());
    QCOMPARE(limitsOf(tiled(1000), ampere()).front().sharedBytes, int64_t(4000));
    QCOMPARE(limitsOf(tiled(1001), ampere()).front().sharedBytes, int64_t(4016)); // whole words
}

void KernelLimitsTest::everyLimit() {
    QCOMPARE(refused(filled(LoopKind::BlockY, 65535, LoopKind::ThreadX, 32)), QStringLiteral("none"));
    QCOMPARE(
        refused(filled(LoopKind::BlockY, 65536, LoopKind::ThreadX, 32)),
        QStringLiteral("kernel_kernel0 has 65536 iterations bound to blockIdx.y, which runs 65535 at most: shorten "
                       "the loop, or bind it to another axis"));
    QCOMPARE(
        refused(filled(LoopKind::BlockZ, 70000, LoopKind::ThreadX, 32)),
        QStringLiteral("kernel_kernel0 has 70000 iterations bound to blockIdx.z, which runs 65535 at most: shorten "
                       "the loop, or bind it to another axis"));
    QCOMPARE(refused(filled(LoopKind::BlockX, 70000, LoopKind::ThreadZ, 64)), QStringLiteral("none"));
    QCOMPARE(refused(filled(LoopKind::BlockX, 2, LoopKind::ThreadZ, 65)),
             QStringLiteral("kernel_kernel0 has 65 iterations bound to threadIdx.z, which runs 64 at most: shorten the "
                            "loop, or bind it to another axis"));
    QCOMPARE(
        refused(filled(LoopKind::ThreadY, 64, LoopKind::ThreadX, 32)),
        QStringLiteral("kernel_kernel0 has 2048 threads in a block, of which the target runs 1024 at most: shorten "
                       "the loops bound to threadIdx"));
    Target small = ampere();
    small.gpu.sharedPerBlockOptIn = small.hardware.maxSharedMemoryPerBlock = 49152;
    QCOMPARE(refused(tiled(12288), small), QStringLiteral("none"));
    QCOMPARE(refused(tiled(12289), small),
             QStringLiteral("kernel_kernel0 keeps 49168 bytes in shared memory, of which a block of the target has "
                            "49152: shorten the tiles that are fetched"));
    QCOMPARE(refused(looped(LoopKind::VThread, 8)), QStringLiteral("none"));
    QCOMPARE(
        refused(looped(LoopKind::VThread, 16)),
        QStringLiteral("kernel_kernel0 has 16 virtual threads (v), of which 8 are allowed (maxVthreadExtent of the "
                       "target): make a serial loop of some of them"));
    QCOMPARE(refused(looped(LoopKind::Vectorized, 4)), QStringLiteral("none"));
    QCOMPARE(refused(looped(LoopKind::Vectorized, 8)),
             QStringLiteral("kernel_kernel0 vectorizes v over 32 bytes, of which a thread moves 16 at once: split the "
                            "loop"));
    Target crowded = ampere();
    crowded.gpu.sharedPerMultiprocessor = 32 * 1024;
    QCOMPARE(refused(tiled(10000), crowded),
             QStringLiteral("not one block of kernel_kernel0 fits on a multiprocessor of the target: there is not "
                            "enough of its shared memory"));
}

/// 128 registers of each of 256 threads: two blocks in the 65536 of a multiprocessor.
void KernelLimitsTest::registersLimitToo() {
    std::vector<KernelLimits> all = limitsOf(filled(LoopKind::BlockX, 300, LoopKind::ThreadX, 256), ampere());
    QCOMPARE(all[0].occupancy.blocks, 8);
    KernelResources resources;
    resources.kernel = "another";
    addResources(all, {resources}, ampere());
    QVERIFY(!all[0].resources.has_value());
    resources.kernel = "kernel_kernel0";
    resources.registers = 128;
    addResources(all, {resources}, ampere());
    QCOMPARE(all[0].occupancy.blocks, 2);
    QCOMPARE(all[0].occupancy.fraction, 0.25);
    QVERIFY(all[0].occupancy.limiter == OccupancyLimiter::Registers);
}

void KernelLimitsTest::noLaunch() {
    QVERIFY(refused(filled(LoopKind::ThreadX, 32, LoopKind::ThreadX, 16))
                .startsWith(QStringLiteral("loop `j` is bound to "
                                           "threadIdx.x")));
}

LOOPSCOPE_TEST(KernelLimitsTest)
#include "kernel_limits_test.moc"
