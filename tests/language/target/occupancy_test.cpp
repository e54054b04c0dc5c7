// Blocks per multiprocessor against figures of NVIDIA's occupancy calculator (cuda_occupancy.h of CUDA 13.0).

#include "language/target/occupancy.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

/// The figures of an architecture that occupancy follows from.
Target architecture(int threads, int blocks, int sharedKiB, int optInKiB, int reserved, int unit) {
    Target target;
    target.kind = TargetKind::Cuda;
    target.hardware.maxThreadsPerBlock = 1024;
    target.hardware.warpSize = 32;
    target.gpu.threadsPerMultiprocessor = threads;
    target.gpu.blocksPerMultiprocessor = blocks;
    target.gpu.sharedPerMultiprocessor = int64_t{1024} * sharedKiB;
    target.gpu.sharedPerBlockOptIn = int64_t{1024} * optInKiB;
    target.gpu.sharedReservedPerBlock = reserved;
    target.gpu.sharedUnit = unit;
    return target;
}

Target volta() { return architecture(2048, 32, 96, 96, 0, 256); }
Target turing() { return architecture(1024, 16, 64, 64, 0, 256); }
Target a100() { return architecture(2048, 32, 164, 163, 1024, 128); }
Target ampere() { return architecture(1536, 16, 100, 99, 1024, 128); }
Target ada() { return architecture(1536, 24, 100, 99, 1024, 128); }
Target hopper() { return architecture(2048, 32, 228, 227, 1024, 128); }

} // namespace

class OccupancyTest : public QObject {
    Q_OBJECT
  private slots:
    void blocks_data() {
        QTest::addColumn<Target>("target");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("limiter");
        const auto row = [](const char *name, const Target &target, int threads, int registers, int shared, int blocks,
                            OccupancyLimiter limiter) {
            QTest::addRow("%s %d threads %d registers %d bytes", name, threads, registers, shared)
                << target << threads << registers << shared << blocks << static_cast<int>(limiter);
        };
        using enum OccupancyLimiter;
        row("sm_70", volta(), 256, 32, 0, 8, Threads);
        row("sm_70", volta(), 256, 64, 16384, 4, Registers);
        row("sm_70", volta(), 192, 37, 12288, 8, Shared);
        row("sm_70", volta(), 96, 255, 1000, 2, Registers);
        row("sm_70", volta(), 32, 16, 0, 32, Blocks);
        row("sm_70", volta(), 64, 128, 49152, 2, Shared);
        row("sm_70", volta(), 160, 80, 0, 4, Registers);
        row("sm_75", turing(), 256, 32, 0, 4, Threads);
        row("sm_75", turing(), 192, 37, 12288, 5, Threads);
        row("sm_75", turing(), 1024, 64, 0, 1, Threads);
        row("sm_75", turing(), 32, 16, 0, 16, Blocks);
        row("sm_75", turing(), 64, 128, 49152, 1, Shared);
        row("sm_80", a100(), 128, 40, 0, 12, Registers);
        row("sm_80", a100(), 192, 37, 12288, 8, Registers);
        row("sm_80", a100(), 64, 128, 49152, 3, Shared);
        row("sm_80", a100(), 512, 33, 40000, 3, Registers);
        row("sm_80", a100(), 1024, 65, 0, 0, Registers);
        row("sm_86", ampere(), 192, 37, 12288, 7, Shared);
        row("sm_86", ampere(), 256, 32, 0, 6, Threads);
        row("sm_86", ampere(), 32, 16, 0, 16, Blocks);
        row("sm_86", ampere(), 512, 33, 40000, 2, Shared);
        row("sm_89", ada(), 32, 16, 0, 24, Blocks);
        row("sm_89", ada(), 128, 40, 0, 12, Threads);
        row("sm_90", hopper(), 64, 128, 49152, 4, Shared);
        row("sm_90", hopper(), 512, 33, 40000, 3, Registers);
        row("sm_90", hopper(), 256, 64, 16384, 4, Registers);
    }
    void blocks() {
        QFETCH(Target, target);
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(int, blocks);
        QFETCH(int, limiter);
        const Occupancy occupancy = occupancyOf(target, threads, registers, shared);
        QCOMPARE(occupancy.blocks, blocks);
        QCOMPARE(static_cast<int>(occupancy.limiter), limiter);
        QCOMPARE(occupancy.warps, blocks * ((threads + 31) / 32));
        QCOMPARE(occupancy.fraction, occupancy.warps * 32.0 / target.gpu.threadsPerMultiprocessor);
    }

    void registersThatAreNotKnownDoNotLimit() {
        QCOMPARE(occupancyOf(a100(), 256, 0, 0).blocks, 8);
        QCOMPARE(occupancyOf(a100(), 256, 255, 0).blocks, 1);
    }

    void everyResourceHasRoomForSome() {
        // 256 threads: 8 of 2048; 40 registers: 51 warps; 47 KiB and what the system keeps: three of 164 KiB.
        QCOMPARE(blocksThatFit(a100(), 256, 40, 47 * 1024), (BlocksThatFit{8, 32, 3, 6}));
        QCOMPARE(blocksThatFit(a100(), 256, 0, 0)[3], kBlocksUnlimited);
        QCOMPARE(blocksThatFit(a100(), 1025, 0, 0)[0], 0);
    }

    void whatNoBlockMayHaveFitsNowhere() {
        const Occupancy threads = occupancyOf(a100(), 1025, 0, 0);
        QCOMPARE(threads.blocks, 0);
        QVERIFY(threads.limiter == OccupancyLimiter::Threads);
        const Occupancy shared = occupancyOf(a100(), 32, 0, 163 * 1024 + 1);
        QCOMPARE(shared.blocks, 0);
        QVERIFY(shared.limiter == OccupancyLimiter::Shared);
        QCOMPARE(occupancyOf(a100(), 32, 0, 163 * 1024).blocks, 1);
        const Occupancy registers = occupancyOf(a100(), 32, 256, 0);
        QCOMPARE(registers.blocks, 0);
        QVERIFY(registers.limiter == OccupancyLimiter::Registers);
        QCOMPARE(registers.fraction, 0.0);
    }

    void limitersHaveNames() {
        QCOMPARE(limiterName(OccupancyLimiter::Threads), std::string_view("threads"));
        QCOMPARE(limiterName(OccupancyLimiter::Blocks), std::string_view("blocks"));
        QCOMPARE(limiterName(OccupancyLimiter::Shared), std::string_view("shared memory"));
        QCOMPARE(limiterName(OccupancyLimiter::Registers), std::string_view("registers"));
    }
};

LOOPSCOPE_TEST(OccupancyTest)
#include "occupancy_test.moc"
