// The interval of a lower quartile: exact ranks, cover as promised, and nothing made up from too few samples.

#include "measure/timing/sampling.h"
#include "measure/timing/time_interval.h"

#include "base/random.h"
#include "test_program.h"

#include <QtTest>
#include <cmath>

using namespace loopscope;

class TimeIntervalTest : public QObject {
    Q_OBJECT

  private slots:
    void ranks() {
        QVERIFY(!quartileInterval({}).known());
        QCOMPARE(quartileInterval({2}), (TimeInterval{2, 2, 2}));
        QCOMPARE(quartileInterval({3, 1}), (TimeInterval{1.5, 1, 3}));
        QCOMPARE(quartileInterval({5, 1, 4, 2, 3}), (TimeInterval{2, 1, 5})); // not as sure, even from end to end
        QCOMPARE(quartileInterval({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), (TimeInterval{3.5, 1, 7}));
    }

    /// Four of eleven samples beside other work: as in a trial, whose time comes from its best samples, they say
    /// nothing.
    void disturbedSamplesTellOfTheMachine() {
        const std::vector<double> samples = {1.01, 1.9, 1.02, 1, 1.03, 2.4, 1.01, 1.7, 1.02, 1.02, 3};
        const TimeInterval time = quartileInterval(samples);
        QCOMPARE(time.seconds, 1.015);
        QCOMPARE(time.low, 1.0);
        QCOMPARE(time.high, 1.03);
        QVERIFY(!time.wide());
        QVERIFY(std::fabs(time.seconds - agreedSeconds(samples)) < 0.01);
    }

    void aWideIntervalSaysSo() {
        QVERIFY(!(TimeInterval{1, 0.98, 1.06}).wide());
        QVERIFY((TimeInterval{1, 0.95, 1.1}).wide());
        QVERIFY(!TimeInterval{}.wide());
    }

    void coversTheQuartileNineteenTimesInTwenty() {
        Random random(3, 0);
        int covered = 0;
        constexpr int kTimes = 4000;
        for (int time = 0; time < kTimes; ++time) {
            std::vector<double> samples;
            // Skewed, the quartile e^0.75.
            for (int i = 0; i < 11 + time % 10; ++i) samples.push_back(std::exp(3 * random.uniform()));
            const TimeInterval interval = quartileInterval(samples);
            covered += interval.low <= std::exp(0.75) && std::exp(0.75) <= interval.high ? 1 : 0;
        }
        QVERIFY2(covered > kTimes * 0.945 && covered < kTimes * 0.999, qPrintable(QString::number(covered)));
    }

    void overlap() {
        QVERIFY((TimeInterval{2, 1, 3}).overlaps({3, 2.5, 4}));
        QVERIFY((TimeInterval{2, 1, 3}).overlaps({2, 2, 2}));
        QVERIFY(!(TimeInterval{2, 1, 3}).overlaps({4, 3.5, 5}));
        QVERIFY(!(TimeInterval{4, 3.5, 5}).overlaps({2, 1, 3}));
    }
};

LOOPSCOPE_TEST(TimeIntervalTest)
#include "time_interval_test.moc"
