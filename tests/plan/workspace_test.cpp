// Memory of one thread for kernels: a stack that is kept.
#include "plan/workspace.h"

#include <QtTest>

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
        QCOMPARE(static_cast<char *>(b) - static_cast<char *>(a), 128);
        QVERIFY(reinterpret_cast<uintptr_t>(a) % 64 == 0);
        workspace.giveBack(b);
        QCOMPARE(workspace.take(500), b);
        workspace.giveBack(b);
        workspace.giveBack(a);
        QCOMPARE(workspace.take(1024), a);
        QCOMPARE(workspace.reserved(), size_t{1024});
        workspace.giveBack(a);
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

QTEST_GUILESS_MAIN(WorkspaceTest)
#include "workspace_test.moc"
