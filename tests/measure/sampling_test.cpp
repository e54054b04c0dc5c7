// When sampling stops, with made-up clocks.

#include <QTest>

#include "measure/sampling.h"

#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace {

/// Feeds seconds per call until the sampler has enough (or `limit` times); the number of calls it asked for in all.
template <typename Clock> int64_t feed(Sampler &sampler, Clock secondsPerCall, int limit = 1000) {
    int64_t all = 0;
    for (int i = 0; i < limit && sampler.nextCalls() > 0; ++i) {
        const int64_t calls = sampler.nextCalls();
        all += calls;
        sampler.add(secondsPerCall(i) * static_cast<double>(calls));
    }
    return all;
}

} // namespace

class SamplingTest : public QObject {
    Q_OBJECT

  private slots:
    void agreementLooksAtTheBestThree() {
        QVERIFY(!bestAgree({}, 0.03));
        QVERIFY(!bestAgree({1}, 0.03));
        QVERIFY(bestAgree({1, 1.02}, 0.03));
        QVERIFY(!bestAgree({1, 1.02, 1.04}, 0.03));
        QVERIFY(bestAgree({1.02, 9, 1, 7, 1.03}, 0.03));
        QVERIFY(!bestAgree({1.02, 9, 1, 7, 1.031}, 0.03));
    }

    void theAgreedTimeIsOfTheBestThree() {
        QVERIFY(std::isinf(agreedSeconds({})));
        QCOMPARE(agreedSeconds({4}), 4.0);
        QCOMPARE(agreedSeconds({4, 2}), 3.0);
        QCOMPARE(agreedSeconds({9, 1, 8, 2, 9, 3, 9}), 2.0); // four of seven were disturbed: the median would be 8
    }

    void steadyKernelTakesThreeSamples() {
        Sampler sampler({}, 1e-3);
        feed(sampler, [](int) { return 1e-3; });
        QCOMPARE(sampler.samples().size(), size_t{3});
        QCOMPARE(sampler.samples()[0], 1e-3);
        QVERIFY(!sampler.unstable());
    }

    void samplesLastAtLeastTheMinimum() {
        Sampler sampler({}, 1e-3);
        QCOMPARE(sampler.nextCalls(), int64_t{20});
        Sampler slow({}, 5.0);
        QCOMPARE(slow.nextCalls(), int64_t{1});
        Sampler empty({}, 0);
        QCOMPARE(empty.nextCalls(), int64_t{1000000});
    }

    void coldEstimateIsCorrectedAndItsShortSampleDropped() {
        Sampler sampler({}, 20e-3); // says one call per sample, but a call takes 10 us
        feed(sampler, [](int) { return 10e-6; });
        QCOMPARE(sampler.samples().size(), size_t{3});
        QVERIFY(std::fabs(sampler.samples()[0] - 10e-6) < 1e-12);
    }

    void noisyKernelGoesOnAndIsCalledUnstable() {
        Sampler sampler({}, 1e-3);
        feed(sampler, [](int i) { return 1e-3 * std::pow(1.1, 10 - i); });
        QVERIFY(sampler.samples().size() > 3);
        QVERIFY(sampler.unstable());
    }

    void oneOutlierCostsOneMoreSample() {
        Sampler sampler({}, 1e-3);
        feed(sampler, [](int i) { return i == 1 ? 5e-3 : 1e-3; });
        QCOMPARE(sampler.samples().size(), size_t{4});
        QVERIFY(!sampler.unstable());
    }

    void timeLimitEndsSampling() {
        SamplingOptions options;
        Sampler sampler(options, 1e-3);
        double spent = 0;
        for (int i = 0; sampler.nextCalls() > 0; ++i) {
            const double seconds = 1e-3 * (i % 2 == 0 ? 1 + i : 2 + i) * static_cast<double>(sampler.nextCalls());
            spent += seconds;
            sampler.add(seconds);
        }
        QVERIFY(spent < options.maxTimingSeconds * 3);
    }

    void hopelessCandidateIsGivenUpAfterTwoSamples() {
        SamplingOptions options;
        options.bestKnownSeconds = 1e-4;
        Sampler sampler(options, 5e-2);
        QCOMPARE(feed(sampler, [](int) { return 5e-2; }), int64_t{2});
        QCOMPARE(sampler.samples().size(), size_t{2});
        QVERIFY(!sampler.unstable());
    }

    void coldStartDoesNotMakeAGoodCandidateHopeless() {
        SamplingOptions options;
        options.bestKnownSeconds = 1e-3;
        Sampler sampler(options, 20e-3);
        feed(sampler, [](int) { return 1e-3; });
        QCOMPARE(sampler.samples().size(), size_t{3});
    }

    void stalledCallsDoNotMakeAGoodCandidateHopeless() {
        SamplingOptions options;
        options.bestKnownSeconds = 6e-6;
        Sampler sampler(options, 12e-3);
        feed(sampler, [](int i) { return i < 2 ? 12e-3 : 6e-6; });
        QVERIFY(*std::min_element(sampler.samples().begin(), sampler.samples().end()) < 7e-6);
    }

    void verySlowKernelIsNotSampledForever() {
        Sampler sampler({}, 3.0);
        feed(sampler, [](int i) { return i == 0 ? 3.0 : 3.5; });
        QCOMPARE(sampler.samples().size(), size_t{2});
        QVERIFY(sampler.unstable());
    }
};

QTEST_GUILESS_MAIN(SamplingTest)
#include "sampling_test.moc"
