// The peaks of this machine: in an order that physics demands, soon cancelled, and the same after JSON.

#include <QTest>

#include "base/isolate/sandbox.h"
#include "measure/timing/least_time.h"
#include "test_program.h"

#include <QFile>
#include <chrono>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace loopscope;

class MachinePeaksTest : public QObject {
    Q_OBJECT
  private slots:
    void peaksAreMeasuredInShortTime() {
        const Target target = parseTarget("llvm");
        const auto start = std::chrono::steady_clock::now();
        const auto peaks = measureMachinePeaks(target);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        QVERIFY(peaks.ok());
        qInfo("%.2f s: %s", seconds, machinePeaksText(*peaks).c_str());
        QCOMPARE(peaks->threads, target.hardware.numCores);
        QVERIFY(peaks->gflops1 > 0.1);
        QVERIFY(peaks->gflopsAll > 0.5 * peaks->gflops1);
        QVERIFY(peaks->memory.size() >= 2);
        QCOMPARE(peaks->memory.back().name, "DRAM");
        for (size_t i = 0; i < peaks->memory.size(); ++i) {
            QVERIFY(peaks->memory[i].gbps1 > 0.01 && peaks->memory[i].gbpsAll > 0.01);
            if (i > 0) QVERIFY(peaks->memory[i].bytes > peaks->memory[i - 1].bytes);
        }
        QVERIFY(peaks->memory.front().gbps1 > peaks->memory.back().gbps1);
        const auto again = machinePeaksFromText(machinePeaksText(*peaks));
        QVERIFY(again.ok());
        QCOMPARE(machinePeaksText(*again), machinePeaksText(*peaks));
    }

    void cancelAnswersSoon() {
        std::atomic<bool> cancel = false;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            cancel = true;
        });
        const auto peaks = measureMachinePeaks(parseTarget("llvm -num-cores=2"), &cancel);
        canceller.join();
        QVERIFY(!peaks.ok()); // it would have gone on to its end otherwise, with peaks
        QCOMPARE(peaks.why(), "measuring the machine was cancelled");
    }

    /// On threads of their own, where an exception that nobody catches ends the program.
    void memoryThatRunsOutIsASentence() {
        if (!kMemoryCanBeLimited) QSKIP("this sanitizer's allocator cannot be limited");
        Target target = parseTarget("llvm -num-cores=4");
        target.l1Bytes = 16 << 10;
        target.l2Bytes = 96 << 20; // half of it fits once, not four times
        target.l3Bytes = 0;
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_DATA, &before), 0);
        struct Restore {
            rlimit limit;
            ~Restore() { ::setrlimit(RLIMIT_DATA, &limit); }
        } const restore{before};
        QFile statm("/proc/self/statm");
        QVERIFY(statm.open(QIODevice::ReadOnly));
        const auto used =
            statm.readAll().split(' ')[5].toULongLong() * static_cast<qulonglong>(::sysconf(_SC_PAGESIZE));
        const rlimit little{used + (100ULL << 20), before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_DATA, &little), 0);
        const auto peaks = measureMachinePeaks(target);
        ::setrlimit(RLIMIT_DATA, &before);
        QVERIFY(!peaks.ok());
        QVERIFY2(QString::fromStdString(peaks.why()).startsWith("measuring the machine ran out of memory"),
                 peaks.why().c_str());
    }

    /// Two cores with a private and a shared cache.
    void noKernelIsFasterThanTheMachine() {
        MachinePeaks peaks;
        peaks.threads = 2;
        peaks.gflops1 = 50;
        peaks.gflopsAll = 80;
        peaks.memory = {{"L2", 500'000, 100, 200}, {"L3", 10'000'000, 40, 50}, {"DRAM", 64'000'000, 10, 20}};
        QCOMPARE(computingSeconds(80e9, peaks), 1.0);
        QCOMPARE(computingSeconds(50e9, peaks, 1), 1.0);
        QCOMPARE(computingSeconds(80e9, peaks, 16), 1.0); // there are two
        QCOMPARE(computingSeconds(0, peaks), 0.0);
        // Each thread has its share in a cache of its own, twice what that was measured with.
        QCOMPARE(movingSeconds(2e6, peaks), 2e6 / 200e9);
        QCOMPARE(movingSeconds(1e6, peaks, 1), 1e6 / 100e9);
        // What does not go in comes from the next, which all share, and the rest from memory.
        QCOMPARE(movingSeconds(5e6, peaks), 2e6 / 200e9 + 3e6 / 50e9);
        QCOMPARE(movingSeconds(30e6, peaks), 2e6 / 200e9 + 20e6 / 50e9 + 8e6 / 20e9);
        QCOMPARE(movingSeconds(1e6, MachinePeaks()), 0.0); // nobody measured
    }

    void otherTextIsRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing") << "";
        QTest::newRow("another object") << R"({"model": "x"})";
        QTest::newRow("wrong type") << R"({"model": 1, "cpu": "", "vector_bytes": 32, "threads": 1})";
        QTest::newRow("a list") << "[]";
    }
    void otherTextIsRefused() {
        QFETCH(QString, text);
        const auto peaks = machinePeaksFromText(text.toStdString());
        QVERIFY(!peaks.ok());
        QVERIFY(peaks.why().starts_with("these are not the peaks of a machine"));
    }
};

LOOPSCOPE_TEST(MachinePeaksTest)
#include "machine_peaks_test.moc"
