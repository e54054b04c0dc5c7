// Memory of one thread for kernels: a stack that is kept.
#include "deploy/plan/workspace.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cstring>

using namespace loopscope;

class WorkspaceTest : public QObject {
    Q_OBJECT

  private slots:
    void isAStack() {
        Workspace workspace;
        workspace.reserve(1024);
        void *a = workspace.take(100);
        void *b = workspace.take(1);
        QCOMPARE(static_cast<char *>(b) - static_cast<char *>(a), 128 + 64);
        QVERIFY(reinterpret_cast<uintptr_t>(a) % 64 == 0);
        workspace.giveBack(b);
        QCOMPARE(workspace.take(500), b);
        workspace.giveBack(b);
        workspace.giveBack(a);
        QCOMPARE(workspace.take(900), a);
        QCOMPARE(workspace.reserved(), size_t{1024});
        workspace.giveBack(a);
    }

    /// Kernels give back what nobody reads any more, in whatever order that is.
    void anyOrderOfGivingBackIsRight() {
        Workspace workspace;
        workspace.reserve(4096);
        void *const first = workspace.take(64);
        workspace.giveBack(first);
        for (const auto &order : {std::array{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            void *pieces[3];
            for (void *&piece : pieces) piece = workspace.take(64);
            QCOMPARE(pieces[0], first);
            for (const int i : order) {
                workspace.giveBack(pieces[i]);
                void *more = workspace.take(32); // does not lie where somebody still is
                for (const int j : {0, 1, 2})
                    QVERIFY(more != pieces[j] || std::find(order.begin(), std::find(order.begin(), order.end(), i) + 1,
                                                           j) != std::find(order.begin(), order.end(), i) + 1);
                workspace.giveBack(more);
            }
        }
        QCOMPARE(workspace.reserved(), size_t{4096});
        QCOMPARE(workspace.take(64), first);
        workspace.giveBack(first);
    }

    void whatIsNotReservedIsKeptOnceItWasThere() {
        Workspace workspace;
        workspace.reserve(128);
        size_t reserved = 0;
        for (int run = 0; run < 5; ++run) {
            void *a = workspace.take(100);
            void *b = workspace.take(5000);
            void *c = workspace.take(70000);
            std::memset(a, 1, 100);
            std::memset(b, 2, 5000);
            std::memset(c, 3, 70000);
            QCOMPARE(static_cast<unsigned char *>(a)[99], 1);
            QCOMPARE(static_cast<unsigned char *>(b)[4999], 2);
            workspace.giveBack(c);
            workspace.giveBack(b);
            workspace.giveBack(a);
            if (run > 0) QCOMPARE(workspace.reserved(), reserved);
            reserved = workspace.reserved();
        }
    }

    void nothingTakesNothingAway() {
        Workspace workspace;
        void *a = workspace.take(0);
        QVERIFY(a != nullptr);
        void *b = workspace.take(0);
        QVERIFY(b != a);
        workspace.giveBack(b);
        workspace.giveBack(a);
        workspace.reserve(64);
        QVERIFY(workspace.reserved() >= 64);
    }
};

LOOPSCOPE_TEST(WorkspaceTest)
#include "workspace_test.moc"
