// Work off the UI thread: results arrive here, cancelled work hands over nothing, failures become messages.

#include "measure/timing/machine_use.h"
#include "test_program.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"

#include <QSignalSpy>
#include <QTest>

#include <thread>

using namespace loopscope;

class JobsTest : public QObject {
    Q_OBJECT

  private slots:
    void handsTheResultOverOnThisThread() {
        Messages messages;
        Jobs jobs(messages);
        std::thread::id worked;
        std::thread::id told;
        int result = 0;
        jobs.start(
            QStringLiteral("adding"), this,
            [&](JobControl &) {
                worked = std::this_thread::get_id();
                return 20 + 22;
            },
            [&](int sum) {
                told = std::this_thread::get_id();
                result = sum;
            });
        QCOMPARE(jobs.running().size(), size_t{1});
        QCOMPARE(jobs.running()[0].title, QStringLiteral("adding"));
        QTRY_COMPARE(result, 42);
        QCOMPARE(told, std::this_thread::get_id());
        QVERIFY(worked != told);
        QVERIFY(jobs.running().empty());
    }

    /// Beside a timing nothing of ours computes, and the window says what it waits for.
    void aJobWaitsWhileAKernelIsTimed() {
        Messages messages;
        Jobs jobs(messages);
        std::atomic<bool> began{false};
        bool done = false;
        auto timing = MachineUse::begin(MachineUse::Kind::Timing);
        jobs.start(
            QStringLiteral("Compiling"), this, [&](JobControl &) { return began = true; }, [&](bool) { done = true; });
        QTRY_COMPARE(jobs.running()[0].title, QStringLiteral("Compiling, waiting while a kernel is timed"));
        QVERIFY(!began);
        timing.reset();
        QTRY_VERIFY(done);
        QVERIFY(began);
    }

    /// However many others take long.
    void whatSomebodyWaitsForIsDoneAtOnce() {
        Messages messages;
        Jobs jobs(messages);
        std::atomic<bool> released{false};
        int ended = 0;
        constexpr int kLong = 64; // more than any pool has threads
        for (int i = 0; i < kLong; ++i)
            jobs.start(
                QStringLiteral("taking long"), this,
                [&](JobControl &control) {
                    while (!released && !control.cancelled()) std::this_thread::yield();
                    return 0;
                },
                [&](int) { ++ended; });
        bool told = false;
        jobs.start(
            QStringLiteral("being quick"), this, [](JobControl &) { return 0; }, [&](int) { told = true; }, nullptr,
            Jobs::Lane::WaitedFor);
        QTRY_VERIFY_WITH_TIMEOUT(told, 60000);
        QCOMPARE(ended, 0);
        released = true;
        QTRY_COMPARE_WITH_TIMEOUT(ended, kLong, 60000);
    }

    void aJobThatMeasuresHasTheMachineMeanwhile() {
        Messages messages;
        Jobs jobs(messages);
        bool measured = false;
        jobs.start(
            QStringLiteral("Measuring"), this,
            [](JobControl &) { return MachineUse::begin(MachineUse::Kind::Timing).has_value(); },
            [&](bool had) { measured = had; });
        QTRY_VERIFY(measured);
    }

    void aWaitingJobCanBeCancelled() {
        Messages messages;
        Jobs jobs(messages);
        const auto timing = MachineUse::begin(MachineUse::Kind::Timing);
        const int id = jobs.start(
            QStringLiteral("Compiling"), this, [](JobControl &) { return 1; },
            [](int) { QFAIL("a cancelled job hands nothing over"); });
        QTRY_COMPARE(jobs.running()[0].title, QStringLiteral("Compiling, waiting while a kernel is timed"));
        jobs.cancel(id);
        QVERIFY(jobs.running().empty());
        QTest::qWait(50);
    }

    void aCancelledJobHandsNothingOver() {
        Messages messages;
        Jobs jobs(messages);
        bool told = false;
        std::atomic<bool> began{false};
        std::atomic<bool> ended{false};
        const int id = jobs.start(
            QStringLiteral("waiting"), this,
            [&](JobControl &control) {
                began = true;
                while (!control.cancelled()) std::this_thread::yield();
                ended = true;
                return 1;
            },
            [&](int) { told = true; });
        QTRY_VERIFY(began);
        QSignalSpy cancelled(&jobs, &Jobs::cancelled);
        jobs.cancel(id);
        jobs.cancel(id);
        QCOMPARE(cancelled.count(), 1);
        QVERIFY(jobs.running().empty());
        QTRY_VERIFY(ended);
        QTest::qWait(20);
        QVERIFY(!told);
        QVERIFY(messages.all().empty());
    }

    void whatItThrowsIsAMessage() {
        Messages messages;
        Jobs jobs(messages);
        jobs.start(
            QStringLiteral("Reading x"), this, [](JobControl &) -> int { throw std::runtime_error("no such file"); },
            [](int) { QFAIL("a failed job has no result"); });
        QTRY_COMPARE(messages.all().size(), size_t{1});
        QCOMPARE(messages.all()[0].text, QStringLiteral("Reading x: no such file"));
        QCOMPARE(messages.all()[0].severity, Message::Severity::Failure);
    }

    void whoAskedMayHandleTheFailure() {
        Messages messages;
        Jobs jobs(messages);
        QString heard;
        jobs.start(
            QStringLiteral("Reading x"), this, [](JobControl &) -> int { throw std::runtime_error("no such file"); },
            [](int) {}, [&](const QString &problem) { heard = problem; });
        QTRY_COMPARE(heard, QStringLiteral("no such file"));
        QVERIFY(messages.all().empty());
    }

    void aReceiverThatIsGoneHearsNothing() {
        Messages messages;
        Jobs jobs(messages);
        auto receiver = std::make_unique<QObject>();
        bool told = false;
        std::atomic<bool> go{false};
        jobs.start(
            QStringLiteral("slow"), receiver.get(),
            [&](JobControl &) {
                while (!go) std::this_thread::yield();
                return 1;
            },
            [&](int) { told = true; });
        receiver.reset();
        go = true;
        QTRY_VERIFY(jobs.running().empty());
        QVERIFY(!told);
    }

    void memoryThatIsNotThereIsASentence() {
        Messages messages;
        Jobs jobs(messages);
        jobs.start(
            QStringLiteral("Reading a large one"), this, [](JobControl &) -> int { throw std::bad_alloc(); },
            [](int) {});
        QTRY_COMPARE(messages.all().size(), size_t{1});
        const QString text = messages.all().front().text;
        QVERIFY2(text.contains(QStringLiteral("there is not enough memory for")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Reading a large one")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("iB are in use")), qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("bad_alloc")));
    }

    void endingWaitsForItsThreads() {
        Messages messages;
        std::atomic<int> ended{0};
        {
            Jobs jobs(messages);
            for (int i = 0; i < 8; ++i)
                jobs.start(
                    QStringLiteral("waiting"), this,
                    [&](JobControl &control) {
                        while (!control.cancelled()) std::this_thread::yield();
                        ++ended;
                        return 1;
                    },
                    [](int) {});
            QTest::qWait(20);
        }
        QVERIFY(ended <= 8); // those that never began need not
        const int atEnd = ended;
        QTest::qWait(20);
        QCOMPARE(ended.load(), atEnd);
    }
};

LOOPSCOPE_TEST(JobsTest)
#include "jobs_test.moc"
