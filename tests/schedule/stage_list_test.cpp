// Copies of a list share its stages until one of them changes a stage; nobody sees another's changes, whoever copies
// whom and when, and a list that nobody copied changes in place.

#include <QTest>

#include "schedule/stage_list.h"
#include "test_program.h"

#include <thread>

using namespace loopscope;

namespace {

StageList<int> threeStages() {
    StageList<int> list;
    for (int i = 0; i < 3; ++i) list.insert(list.size(), i);
    return list;
}

} // namespace

class StageListTest : public QObject {
    Q_OBJECT

  private slots:
    void changesInPlaceWhatItMade() {
        StageList<int> list = threeStages();
        const int *const before = &list[1];
        list.edit(1) = 7;
        QCOMPARE(&list[1], before);
        QCOMPARE(list[1], 7);
        const StageList<int> moved = std::move(list);
        QCOMPARE(&moved[1], before);
    }

    void copiesOnceAfterBeingCopied() {
        StageList<int> list = threeStages();
        const StageList<int> copy = list;
        QCOMPARE(&copy[1], &list[1]);
        list.edit(1) = 7;
        QCOMPARE(copy[1], 1);
        QCOMPARE(list[1], 7);
        const int *const own = &list[1];
        list.edit(1) = 8;
        QCOMPARE(&list[1], own);
        QCOMPARE(&copy[2], &list[2]);
    }

    void copyLeavesItsOriginalAlone() {
        const StageList<int> list = threeStages();
        StageList<int> copy = list;
        copy.edit(0) = 9;
        QCOMPARE(list[0], 0);
        QCOMPARE(&copy[1], &list[1]);
    }

    /// The count of a stage's users falls back to one when a copy ends; what was copied stays copied all the same.
    void ownsNothingThatWasCopiedOnce() {
        StageList<int> list = threeStages();
        const int *const before = &list[1];
        {
            StageList<int> copy = list;
            copy.edit(0) += 1;
        }
        list.edit(1) = 7;
        QVERIFY(&list[1] != before);
    }

    void assignsAndMovesWithWhatIsOwned() {
        StageList<int> list = threeStages(), other = threeStages();
        other = list;
        other.edit(2) = 5;
        list.edit(2) = 6;
        QCOMPARE(other[2], 5);
        QCOMPARE(list[2], 6);
        const StageList<int> copy = list;
        StageList<int> moved = std::move(list);
        moved.edit(2) = 4;
        QCOMPARE(copy[2], 6);
        other = std::move(moved);
        const int *const own = &other[2];
        other.edit(2) = 3;
        QCOMPARE(&other[2], own);
    }

    void insertedStagesAreOwned() {
        const StageList<int> list = threeStages();
        StageList<int> copy = list;
        copy.insert(1, 10);
        const int *const own = &copy[1];
        copy.edit(1) = 11;
        copy.edit(2) = 12;
        QCOMPARE(&copy[1], own);
        QCOMPARE(copy.size(), size_t{4});
        QCOMPARE(list[1], 1);
        QCOMPARE(copy[3], 2);
    }

    /// For the thread sanitizer: many copy one list, change their copies and let go of them.
    void manyThreadsCopyOne() {
        const StageList<int> list = threeStages();
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&list, t] {
                for (int i = 0; i < 1000; ++i) {
                    StageList<int> copy = list;
                    copy.edit(static_cast<size_t>(i % 3)) = 100 * t + i;
                }
            });
        for (std::thread &thread : threads) thread.join();
        for (int i = 0; i < 3; ++i) QCOMPARE(list[static_cast<size_t>(i)], i);
    }
};

LOOPSCOPE_TEST(StageListTest)
#include "stage_list_test.moc"
