// Memory that kernels give back is there for the next run, and no more of it is kept than was said.

#include "codegen/runtime/scratch_memory.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

constexpr size_t kMiB = size_t{1} << 20;

} // namespace

class ScratchMemoryTest : public QObject {
    Q_OBJECT
  private slots:
    void whatIsGivenBackIsTakenAgain();
    void nobodySharesABlock();
    void keepsNoMoreThanItMay();
    void smallBlocksAreNotKept();
    void aSmallRequestTakesNoLargeBlock();
};

void ScratchMemoryTest::whatIsGivenBackIsTakenAgain() {
    ScratchMemory memory;
    void *first = memory.take(3 * kMiB);
    void *second = memory.take(2 * kMiB);
    QCOMPARE(reinterpret_cast<uintptr_t>(first) % 64, uintptr_t{0});
    QCOMPARE(memory.kept(), size_t{0});
    memory.giveBack(first);
    memory.giveBack(second);
    QCOMPARE(memory.kept(), 5 * kMiB);
    QCOMPARE(memory.take(2 * kMiB - 5), second); // the smaller of the two that are large enough
    QCOMPARE(memory.take(2 * kMiB), first);
    QCOMPARE(memory.kept(), size_t{0});
    memory.giveBack(first);
    memory.giveBack(second);
}

void ScratchMemoryTest::nobodySharesABlock() {
    ScratchMemory memory;
    void *first = memory.take(kMiB);
    memory.giveBack(first);
    void *again = memory.take(kMiB);
    void *other = memory.take(kMiB);
    QCOMPARE(again, first);
    QVERIFY(other != first);
    memory.giveBack(again);
    memory.giveBack(other);
}

void ScratchMemoryTest::keepsNoMoreThanItMay() {
    ScratchMemory memory(3 * kMiB);
    void *oldest = memory.take(2 * kMiB);
    void *newer = memory.take(kMiB);
    void *newest = memory.take(2 * kMiB);
    memory.giveBack(oldest);
    memory.giveBack(newer);
    QCOMPARE(memory.kept(), 3 * kMiB);
    memory.giveBack(newest);
    QCOMPARE(memory.kept(), 3 * kMiB);
    void *taken = memory.take(2 * kMiB);
    QCOMPARE(taken, newest);
    QCOMPARE(memory.kept(), kMiB);
    memory.giveBack(taken);
}

void ScratchMemoryTest::smallBlocksAreNotKept() {
    ScratchMemory memory;
    void *small = memory.take(100);
    QCOMPARE(reinterpret_cast<uintptr_t>(small) % 64, uintptr_t{0});
    memory.giveBack(small);
    QCOMPARE(memory.kept(), size_t{0});
    void *none = memory.take(0);
    QVERIFY(none != nullptr);
    memory.giveBack(none);
}

void ScratchMemoryTest::aSmallRequestTakesNoLargeBlock() {
    ScratchMemory memory;
    void *large = memory.take(8 * kMiB);
    memory.giveBack(large);
    void *small = memory.take(kMiB);
    QVERIFY(small != large);
    QCOMPARE(memory.kept(), 8 * kMiB);
    memory.giveBack(small);
}

LOOPSCOPE_TEST(ScratchMemoryTest)
#include "scratch_memory_test.moc"
