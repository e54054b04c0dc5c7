// Turns on the machine: between threads, between processes, and with work that waits in between.

#include <QTest>

#include "harness/environment.h"
#include "measure/timing/machine_use.h"

#include <QProcess>
#include <QTemporaryDir>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace loopscope;

namespace {

using Kind = MachineUse::Kind;

/// Another process that has the machine until it is killed.
class OtherProcess {
  public:
    explicit OtherProcess(const char *kind) {
        m_process.start(QCoreApplication::applicationFilePath(), {"--hold", kind});
        m_holds = m_process.waitForStarted() && m_process.waitForReadyRead(20000);
    }
    ~OtherProcess() { end(); }
    [[nodiscard]] bool holds() const { return m_holds; }
    [[nodiscard]] qint64 pid() const { return m_process.processId(); }
    void end() {
        m_process.kill();
        m_process.waitForFinished();
    }

  private:
    QProcess m_process;
    bool m_holds = false;
};

/// Begins a use on a thread of its own; whether it has its turn yet, and then ends it.
class Waiter {
  public:
    explicit Waiter(Kind kind)
        : m_thread([this, kind] {
              const auto use = MachineUse::begin(kind, &cancel);
              m_had = use.has_value();
              m_done = true;
          }) {}
    ~Waiter() {
        cancel = true; // a check that failed leaves it waiting
        m_thread.join();
    }
    std::atomic<bool> cancel = false;
    [[nodiscard]] bool done() const { return m_done; }
    [[nodiscard]] bool had() const { return m_had; }

  private:
    std::atomic<bool> m_had = false;
    std::atomic<bool> m_done = false;
    std::thread m_thread;
};

} // namespace

class MachineUseTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingRunsBesideATiming_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        QTest::addColumn<bool>("waits");
        QTest::newRow("timing, timing") << int(Kind::Timing) << int(Kind::Timing) << true;
        QTest::newRow("timing, work") << int(Kind::Timing) << int(Kind::Work) << true;
        QTest::newRow("work, timing") << int(Kind::Work) << int(Kind::Timing) << true;
        QTest::newRow("work, work") << int(Kind::Work) << int(Kind::Work) << false;
    }
    void nothingRunsBesideATiming() {
        QFETCH(int, first);
        QFETCH(int, second);
        QFETCH(bool, waits);
        auto use = MachineUse::begin(Kind(first));
        QVERIFY(use.has_value());
        Waiter waiter{Kind(second)};
        if (waits) {
            QTRY_VERIFY_WITH_TIMEOUT(use->wanted(), 20000);
            QTest::qWait(100);
            QVERIFY(!waiter.done());
        } else {
            QTRY_VERIFY_WITH_TIMEOUT(waiter.done(), 20000);
        }
        use.reset();
        QTRY_VERIFY_WITH_TIMEOUT(waiter.done(), 20000);
        QVERIFY(waiter.had());
    }

    void aWaitCanBeCancelled() {
        const auto use = MachineUse::begin(Kind::Timing);
        Waiter waiter(Kind::Work);
        QTest::qWait(30);
        waiter.cancel = true;
        QTRY_VERIFY_WITH_TIMEOUT(waiter.done(), 20000);
        QVERIFY(!waiter.had());
    }

    /// Whoever comes back at once does not overtake the one who waits. Both end their turn only once the other waits
    /// for his, so that the order is certain whatever the system's scheduler does.
    void turnsAreTaken() {
        constexpr int kTurns = 10;
        std::mutex mutex;
        QByteArray order;
        std::atomic<int> ended = 0;
        const auto takeTurns = [&](char name) {
            for (int i = 0; i < kTurns; ++i) {
                const auto use = MachineUse::begin(Kind::Timing);
                size_t taken = 0;
                {
                    const std::lock_guard lock(mutex);
                    order.append(name);
                    taken = static_cast<size_t>(order.size());
                }
                while (taken < 2 * kTurns - 1 && ended == 0 && !use->wanted())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            ++ended;
        };
        {
            const std::jthread other(takeTurns, 'b');
            takeTurns('a');
        }
        const QByteArray fromA = QByteArray("ab").repeated(kTurns);
        QVERIFY2(order == fromA || order == QByteArray("ba").repeated(kTurns), order.constData());
    }

    void workGivesWay() {
        auto work = MachineUse::begin(Kind::Work);
        QVERIFY(!work->wanted());
        std::atomic<bool> timed = false;
        std::thread timing([&] {
            const auto use = MachineUse::begin(Kind::Timing);
            timed = true;
        });
        QTRY_VERIFY_WITH_TIMEOUT(work->wanted(), 20000);
        QVERIFY(!timed);
        QVERIFY(work->giveWay()); // returns when the timing is over
        QVERIFY(timed);
        timing.join();
        Waiter waiter(Kind::Timing);
        work->rest();
        QTRY_VERIFY_WITH_TIMEOUT(waiter.done(), 20000);
        QVERIFY(work->giveWay());
    }

    /// A job that measures does not wait for itself.
    void aTimingWithinWorkHasTheMachine() {
        const auto work = MachineUse::begin(Kind::Work);
        const auto inner = MachineUse::begin(Kind::Work);
        Waiter waiter(Kind::Work);
        {
            QTRY_VERIFY_WITH_TIMEOUT(waiter.done(), 20000);
            const auto timing = MachineUse::begin(Kind::Timing);
            QVERIFY(timing.has_value());
            const auto part = MachineUse::begin(Kind::Work);
            QVERIFY(part.has_value());
            Waiter beside(Kind::Work);
            QTest::qWait(100);
            QVERIFY(!beside.done());
            beside.cancel = true;
        }
        // The work has its share again: no timing of others.
        Waiter other(Kind::Timing);
        QTest::qWait(100);
        QVERIFY(!other.done());
        other.cancel = true;
    }

    void anotherProcessIsWaitedForAndNamed() {
        OtherProcess other("timing");
        QVERIFY(other.holds());
        std::mutex mutex;
        std::vector<std::string> told;
        onMachineWait([&](const std::string &holder) {
            const std::lock_guard lock(mutex);
            told.push_back(holder);
        });
        Waiter waiter(Kind::Work);
        const auto count = [&] {
            const std::lock_guard lock(mutex);
            return told.size();
        };
        QTRY_VERIFY_WITH_TIMEOUT(count() == 1, 20000);
        QVERIFY(!waiter.done());
        other.end(); // killed: the system gives its turn back
        QTRY_VERIFY_WITH_TIMEOUT(waiter.done(), 20000);
        onMachineWait(nullptr);
        QVERIFY(waiter.had());
        QCOMPARE(told.size(), size_t(2));
        QVERIFY2(QString::fromStdString(told[0]).startsWith("machine_use_test (process "), told[0].c_str());
        QVERIFY(told[1].empty());
    }

    void workOfAnotherProcessIsShared() {
        OtherProcess other("work");
        QVERIFY(other.holds());
        Waiter work(Kind::Work);
        QTRY_VERIFY_WITH_TIMEOUT(work.done(), 20000);
        Waiter timing(Kind::Timing);
        QTest::qWait(100);
        QVERIFY(!timing.done());
        other.end();
        QTRY_VERIFY_WITH_TIMEOUT(timing.done(), 20000);
    }

    /// A folder that cannot be used is said; the threads of a process keep out of each other's way all the same.
    void withoutAFolderOnlyThisProcessCounts() {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LOOPSCOPE_LOCK_FOLDER", "/proc/none/such");
        process.setProcessEnvironment(environment);
        process.start(QCoreApplication::applicationFilePath(), {"--without-folder"});
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(process.readAllStandardOutput(), QByteArray("/proc/none/such: No such file or directory\n"));
    }
};

int main(int argc, char **argv) {
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.contains("--hold")) {
        const auto use = MachineUse::begin(arguments.contains("timing") ? Kind::Timing : Kind::Work);
        std::puts("has it");
        std::fflush(stdout);
        ::pause();
        return 0;
    }
    if (arguments.contains("--without-folder")) {
        const auto use = MachineUse::begin(Kind::Timing);
        std::puts(machineLockProblem().c_str());
        Waiter waiter(Kind::Work);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const bool waited = !waiter.done();
        waiter.cancel = true;
        return waited ? 0 : 1;
    }
    QTemporaryDir folder; // of this test alone
    const Environment locks("LOOPSCOPE_LOCK_FOLDER", folder.path().toUtf8().constData());
    MachineUseTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "machine_use_test.moc"
