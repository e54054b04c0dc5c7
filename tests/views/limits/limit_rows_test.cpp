// What a kernel asks for beside what it may have, in words, and what would let another block run.

#include "test_program.h"
#include "views/limits/limit_rows.h"
#include "views/limits/limits_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace loopscope;

namespace {

/// As published of an A100, with the 48 KiB a block has without asking.
Target a100() {
    Target target = parseTarget("cuda -arch=sm_80");
    target.hardware.maxSharedMemoryPerBlock = 48 * 1024;
    target.hardware.maxThreadsPerBlock = 1024;
    target.hardware.warpSize = 32;
    target.gpu = GpuLimits();
    target.gpu.model = "NVIDIA A100";
    return target;
}

KernelFacts kernel(const Target &target, int64_t threads, int64_t sharedBytes, int registers) {
    KernelFacts facts;
    KernelLimits &limits = facts.limits;
    limits.kernel = "mm_kernel0";
    limits.grid = {8, 16, 1};
    limits.block = {threads, 1, 1};
    limits.threads = threads;
    limits.sharedBytes = sharedBytes;
    limits.occupancy = occupancyOf(target, static_cast<int>(threads), 0, sharedBytes);
    facts.fit = blocksThatFit(target, static_cast<int>(threads), 0, sharedBytes);
    std::vector<KernelFacts> one{facts};
    if (registers > 0) {
        KernelResources resources;
        resources.kernel = "mm_kernel0";
        resources.registers = registers;
        addResources(one, {resources}, target);
    }
    return one.front();
}

QStringList lines(const KernelRows &kernel) {
    QStringList lines;
    for (const LimitRow &row : kernel.rows)
        lines << QStringLiteral("%1 | %2 | %3 | %4%5%6%7")
                     .arg(row.what, row.used, row.allowed, row.fit,
                          row.decides ? QStringLiteral(" decides") : QString(),
                          row.refused ? QStringLiteral(" refused") : QString(),
                          row.warns ? QStringLiteral(" warns") : QString());
    return lines;
}

} // namespace

class LimitRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void aKernelBesideItsLimits() {
        const Target target = a100();
        const auto rows = limitRows({kernel(target, 256, 47 * 1024, 40)}, target, QString());
        QCOMPARE(rows.size(), size_t{1});
        QCOMPARE(rows[0].launch, QStringLiteral("8 \u00d7 16 blocks of 256 threads"));
        QCOMPARE(rows[0].occupancy, QStringLiteral("37.5 %, limited by shared memory"));
        QCOMPARE(lines(rows[0]), (QStringList{QStringLiteral("Blocks of the grid | 128 | 324 at once | "),
                                              QStringLiteral("Threads a block | 256 | 1024 | 8"),
                                              QStringLiteral("Shared a block | 47.00 KiB | 48.00 KiB | 3 decides"),
                                              QStringLiteral("Registers a thread | 40 | 255 | 6"),
                                              QStringLiteral("Spills a thread | none |  | "),
                                              QStringLiteral("Blocks at once | 3 | 32 | 32"),
                                              QStringLiteral("Warps at once | 24 | 64 | ")}));
        QVERIFY(!rows[0].refused);
        // 164 KiB hold four blocks of 41 KiB, of which the system keeps one.
        QCOMPARE(rows[0].advice, QStringLiteral("with 7.000 KiB less of shared memory another block runs"));
    }

    void registersAreNotKnownBeforeCompiling() {
        const Target target = a100();
        const auto rows = limitRows({kernel(target, 256, 0, 0)}, target, QStringLiteral("compiling"));
        QCOMPARE(lines(rows[0]).filter(QStringLiteral("Registers")),
                 QStringList{QStringLiteral("Registers a thread | compiling | 255 | ")});
        QVERIFY(lines(rows[0]).filter(QStringLiteral("Spills")).isEmpty());
    }

    void whatIsTooMuchIsRefused() {
        const Target target = a100();
        const auto threads = limitRows({kernel(target, 2048, 0, 0)}, target, {});
        QVERIFY(threads[0].refused);
        QCOMPARE(lines(threads[0])[1], QStringLiteral("Threads a block | 2048 | 1024 | 0 decides refused"));
        const auto shared = limitRows({kernel(target, 64, 49 * 1024, 0)}, target, {});
        QVERIFY(shared[0].refused);
        QVERIFY2(lines(shared[0])[2].endsWith(QStringLiteral("refused")), qPrintable(lines(shared[0])[2]));
        // 1024 threads of 128 registers are twice what a block may have.
        const auto registers = limitRows({kernel(target, 1024, 0, 128)}, target, {});
        QVERIFY2(lines(registers[0])[3].endsWith(QStringLiteral("refused")), qPrintable(lines(registers[0])[3]));
    }

    void partOfAWarpIsIdle() {
        const Target target = a100();
        const auto rows = limitRows({kernel(target, 40, 0, 0)}, target, {});
        QVERIFY2(lines(rows[0])[1].endsWith(QStringLiteral("warns")), qPrintable(lines(rows[0])[1]));
        QCOMPARE(rows[0].rows[1].tip,
                 QStringLiteral("40 threads are no whole number of warps of 32: the last one runs partly idle"));
    }

    void theMachineInWords() {
        QCOMPARE(machineText(a100()), QStringLiteral("NVIDIA A100 (sm_80): 108 multiprocessors, each with 164.0 KiB of "
                                                     "shared memory, 65536 registers and room for 64 warps"));
    }

    void aKernelInALine() {
        const Target target = a100();
        QCOMPARE(kernelText(kernel(target, 256, 47 * 1024, 40)),
                 QStringLiteral("128 blocks of 256 threads \u00b7 47.00 KiB shared \u00b7 40 registers, no spills "
                                "\u00b7 occupancy 37.5 %, limited by shared memory"));
    }

    void theModelIsATree() {
        Theme theme;
        LimitsModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const Target target = a100();
        const KernelFacts first = kernel(target, 256, 0, 40);
        model.setKernels(limitRows({first, first}, target, {}));
        QCOMPARE(model.rowCount(), 2);
        const QModelIndex threads = model.index(1, LimitsModel::UsedColumn, model.index(1, 0));
        QCOMPARE(threads.data().toString(), QStringLiteral("256"));
        QCOMPARE(threads.data(LimitsModel::kShareRole).toDouble(), 0.25);
        QCOMPARE(LimitsModel::kernelOf(threads), 1);
        // Other values of the same kernels keep what is open and chosen.
        const QPersistentModelIndex kept(threads);
        model.setKernels(limitRows({first, kernel(target, 512, 0, 40)}, target, {}));
        QVERIFY(kept.isValid());
        QCOMPARE(kept.data().toString(), QStringLiteral("512"));
        const QString csv = model.text(TableFormat::Csv);
        QVERIFY2(csv.startsWith(
                     QStringLiteral("Kernel,Resource,Used,Of,Blocks that fit\nmm_kernel0,Blocks of the grid,128")),
                 qPrintable(csv));
        model.setKernels({});
        QCOMPARE(model.rowCount(), 0);
    }
};

LOOPSCOPE_WINDOW_TEST(LimitRowsTest)
#include "limit_rows_test.moc"
