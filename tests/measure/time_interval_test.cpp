// The interval of a median: exact ranks, cover as promised, and nothing made up from too few samples.

#include "measure/time_interval.h"

#include "random.h"

#include <QtTest>
#include <cmath>

using namespace loopscope;

class TimeIntervalTest : public QObject {
    Q_OBJECT

  private slots:
    void ranks() {
        QVERIFY(!medianInterval({}).known());
        QCOMPARE(medianInterval({2}), (TimeInterval{2, 2, 2}));
        QCOMPARE(medianInterval({3, 1}), (TimeInterval{2, 1, 3}));
        QCOMPARE(medianInterval({5, 1, 4, 2, 3, 6}), (TimeInterval{3.5, 1, 6})); // 97 % from end to end
        QCOMPARE(medianInterval({1, 2, 3, 4, 5, 6, 7, 8, 9}), (TimeInterval{5, 2, 8}));
        QCOMPARE(medianInterval({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), (TimeInterval{6, 2, 10}));
        QCOMPARE(medianInterval({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 100}).high, 1.0); // one disturbed sample says nothing
    }

    void coversTheMedianNineteenTimesInTwenty() {
        Random random(3, 0);
        int covered = 0;
        constexpr int kTimes = 4000;
        for (int time = 0; time < kTimes; ++time) {
            std::vector<double> samples;
            for (int i = 0; i < 11; ++i) samples.push_back(std::exp(3 * random.uniform())); // skewed, median e^1.5
            const TimeInterval interval = medianInterval(samples);
            covered += interval.low <= std::exp(1.5) && std::exp(1.5) <= interval.high ? 1 : 0;
        }
        QVERIFY2(covered > kTimes * 0.95 && covered < kTimes * 0.999, qPrintable(QString::number(covered)));
    }

    void overlap() {
        QVERIFY((TimeInterval{2, 1, 3}).overlaps({3, 2.5, 4}));
        QVERIFY((TimeInterval{2, 1, 3}).overlaps({2, 2, 2}));
        QVERIFY(!(TimeInterval{2, 1, 3}).overlaps({4, 3.5, 5}));
        QVERIFY(!(TimeInterval{4, 3.5, 5}).overlaps({2, 1, 3}));
    }
};

QTEST_GUILESS_MAIN(TimeIntervalTest)
#include "time_interval_test.moc"
