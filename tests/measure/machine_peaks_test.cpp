// The peaks of this machine: in an order that physics demands, soon cancelled, and the same after JSON.

#include <QTest>

#include "measure/machine_peaks.h"

#include <chrono>
#include <thread>

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
        QVERIFY(seconds < 20); // most of it elsewhere, where it takes that long
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
        std::chrono::steady_clock::time_point cancelled;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            cancelled = std::chrono::steady_clock::now();
            cancel = true;
        });
        const auto peaks = measureMachinePeaks(parseTarget("llvm -num-cores=2"), &cancel);
        canceller.join();
        QVERIFY(!peaks.ok());
        QCOMPARE(peaks.why(), "measuring the machine was cancelled");
        QVERIFY(std::chrono::steady_clock::now() - cancelled < std::chrono::milliseconds(400));
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

QTEST_GUILESS_MAIN(MachinePeaksTest)
#include "machine_peaks_test.moc"
