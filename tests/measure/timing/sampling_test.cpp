// When sampling stops, with made-up clocks.

#include <QTest>

#include "measure/timing/sampling.h"
#include "test_program.h"

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

    /// Four of five samples lose most of their time to others; what is left is found in shorter ones.
    void disturbedSamplesDoNotCount() {
        Sampler sampler({}, 1e-3);
        int64_t calls = 0;
        for (int i = 0; i < 1000 && sampler.nextCalls() > 0; ++i) {
            calls = sampler.nextCalls();
            const double own = 1e-3 * static_cast<double>(calls);
            const double lost = i % 5 == 4 ? 0 : 9e-3;
            sampler.add(own + lost, lost);
        }
        QVERIFY(!sampler.unstable());
        QCOMPARE(calls, int64_t{2}); // of 20 ms at first
        QVERIFY(std::fabs(agreedSeconds(sampler.samples()) - 1e-3) < 1e-9);
    }

    /// All alike, and all wrong.
    void disturbedSamplesThatAgreeAreUnstable() {
        Sampler sampler({}, 1e-3);
        feed(sampler, [](int) { return 1e-3; });
        QVERIFY(!sampler.unstable());
        Sampler busy({}, 1e-3);
        for (int i = 0; i < 1000 && busy.nextCalls() > 0; ++i) {
            const double own = 1e-3 * static_cast<double>(busy.nextCalls());
            busy.add(3 * own, 2 * own);
        }
        QVERIFY(busy.nextCalls() == 0 && busy.samples().size() >= 3);
        QVERIFY(bestAgree(busy.samples(), 0.03));
        QVERIFY(busy.unstable());
        // Nor is a candidate given up for what others took from it.
        SamplingOptions options;
        options.bestKnownSeconds = 0.5e-3;
        Sampler slow(options, 3e-3);
        for (int i = 0; i < 1000 && slow.nextCalls() > 0; ++i) {
            const double own = 1e-3 * static_cast<double>(slow.nextCalls());
            slow.add(3 * own, 2 * own);
        }
        QVERIFY(slow.unstable());
    }

    /// A moment that made 5 calls of 2.6 us last 20 ms says nothing about how long the next 7700 will take.
    void aStallDoesNotForetellTheNextSample() {
        Sampler sampler({}, 4e-3);
        QCOMPARE(sampler.nextCalls(), int64_t{5});
        sampler.add(20e-3);
        QCOMPARE(sampler.samples().size(), size_t{1});
        QCOMPARE(sampler.nextCalls(), int64_t{5});
        sampler.add(5 * 2.6e-6); // too short
        QVERIFY(sampler.nextCalls() > 7000);
        QVERIFY2(sampler.nextSeconds() < 0.05, qPrintable(QString::number(sampler.nextSeconds())));
        feed(sampler, [](int) { return 2.6e-6; });
        QVERIFY(!sampler.unstable());
        QVERIFY(agreedSeconds(sampler.samples()) < 2.7e-6);
    }

    /// Others have half of the machine, for good: that is found out and left at that, soon.
    void aBusyMachineCostsNoMoreThanTheBudget() {
        const auto spent = [](double budget) {
            SamplingOptions options;
            options.disturbedSeconds = budget;
            Sampler sampler(options, 1e-3);
            double seconds = 0;
            for (int i = 0; i < 1000 && sampler.nextCalls() > 0; ++i) {
                const double own = 1e-3 * static_cast<double>(sampler.nextCalls());
                seconds += 2 * own;
                sampler.add(2 * own, own);
            }
            if (!sampler.unstable() || sampler.samples().size() < 2 || sampler.disturbedSeconds() != seconds)
                return -1.0;
            return seconds;
        };
        QVERIFY2(spent(0.06) > 0 && spent(0.06) < 0.1, qPrintable(QString::number(spent(0.06))));
        QVERIFY(spent(0.8) > 0.8 && spent(0.8) < 0.85);
        SamplingOptions asked; // a number of samples that was asked for is taken
        asked.maxSamples = 50;
        asked.disturbedSeconds = 0.06;
        Sampler sampler(asked, 1e-3);
        while (sampler.nextCalls() > 0) {
            const double own = 1e-3 * static_cast<double>(sampler.nextCalls());
            sampler.add(2 * own, own);
        }
        QCOMPARE(sampler.samples().size(), size_t{50});
    }

    /// 200 trials that all use what they are given, then a machine that is quiet again.
    void theBudgetOfASearchEnds() {
        constexpr double kShare = 0.06; // of every trial
        RetryBudget budget({.minRepeatSeconds = 0.02, .minSamples = 3, .maxTimingSeconds = 0.4});
        QCOMPARE(budget.forTrial(), 0.8);
        QVERIFY(budget.secondTry());
        double spent = 0;
        for (int trial = 0; trial < 200; ++trial) {
            spent += budget.forTrial();
            budget.trialEnded(budget.forTrial());
            if (!budget.secondTry()) continue;
            spent += 0.5;
            budget.secondTryEnded(0.5);
        }
        QVERIFY2(spent < 200 * kShare + 3.5, qPrintable(QString::number(spent)));
        QCOMPARE(budget.forTrial(), kShare); // never nothing: two samples say that they are disturbed
        QVERIFY(!budget.secondTry());
        for (int trial = 0; trial < 5; ++trial) budget.trialEnded(0);
        QVERIFY(budget.secondTry());
        QVERIFY(budget.forTrial() > 4 * kShare);
        for (int trial = 0; trial < 1000; ++trial) budget.trialEnded(0);
        QCOMPARE(budget.forTrial(), 0.8); // it is not saved up without end
        for (int trial = 0; trial < 6; ++trial) budget.trialEnded(0.8);
        QVERIFY(!budget.secondTry());
    }

    /// Were it taken at its word, the kernel would have five samples of one call each, and no second tries.
    void aCallThatWasHeldUpIsNoSlowKernel() {
        CallEstimate estimate(0.02, 1.1e-3);
        QCOMPARE(estimate.nextCalls(), int64_t{1});
        estimate.add(45e-3); // others had the machine
        QVERIFY(estimate.nextCalls() > 0);
        QCOMPARE(samplesInTurn(estimate.seconds(), 1e-3, 0.02, 11), 11);
        CallEstimate checkedSlowly(0.02, 50e-3); // that it was, the next two calls tell
        checkedSlowly.add(45e-3);
        QVERIFY(checkedSlowly.nextCalls() > 0);
        while (checkedSlowly.nextCalls() > 0) checkedSlowly.add(1e-3 * static_cast<double>(checkedSlowly.nextCalls()));
        QVERIFY(std::abs(checkedSlowly.seconds() - 1e-3) < 1e-9);
        CallEstimate slow(0.02, 66e-3);
        int calls = 0;
        for (; slow.nextCalls() > 0; ++calls) slow.add(65e-3);
        QCOMPARE(calls, 2);
        QCOMPARE(samplesInTurn(slow.seconds(), 1e-3, 0.02, 11), 5);
        CallEstimate unknown(0.02, 0); // nothing is known before the first call
        unknown.add(0);
        QVERIFY(unknown.seconds() > 0 && unknown.nextCalls() > 1);
    }

    void oneFarSlowerTakesPartInFewRounds() {
        QCOMPARE(samplesInTurn(65e-3, 1e-3, 0.02, 11), 5);   // the loops as written
        QCOMPARE(samplesInTurn(15e-3, 1e-3, 0.02, 11), 11);  // short enough
        QCOMPARE(samplesInTurn(65e-3, 50e-3, 0.02, 11), 11); // as fast as the others: it may be the best
        QCOMPARE(samplesInTurn(65e-3, 1e-3, 0.02, 3), 3);
        std::vector<int> rounds;
        for (int round = 0; round < 11; ++round)
            if (takesPart(round, 11, 5)) rounds.push_back(round);
        QCOMPARE(rounds, (std::vector<int>{0, 3, 5, 7, 9}));
        for (int round = 0; round < 11; ++round) QVERIFY(takesPart(round, 11, 11));
    }

    void disturbedSamplesAreNotComparedWithUndisturbedOnes() {
        const auto turns = [](int clean, int disturbed) {
            std::vector<SampleInTurn> samples(static_cast<size_t>(clean), {1e-3, true, 1e-3});
            samples.insert(samples.end(), static_cast<size_t>(disturbed), {9e-3, false, 2e-3});
            return samples;
        };
        const auto sizes = [](const std::vector<std::vector<SampleInTurn>> &samples, const std::vector<bool> &coarse) {
            std::vector<size_t> result;
            for (const auto &compared : comparableSamples(samples, coarse)) result.push_back(compared.seconds.size());
            return result;
        };
        QCOMPARE(sizes({turns(11, 0), turns(5, 6)}, {false, false}), (std::vector<size_t>{11, 5}));
        QCOMPARE(sizes({turns(11, 0), turns(4, 7)}, {false, false}), (std::vector<size_t>{11, 11})); // too few are left
        QCOMPARE(sizes({turns(9, 2), turns(0, 5)}, {false, true}), (std::vector<size_t>{9, 5})); // the loops as written
        QCOMPARE(sizes({turns(3, 0), turns(3, 0)}, {false, false}), (std::vector<size_t>{3, 3}));
        QCOMPARE(comparableSamples({turns(5, 6), turns(5, 6)}, {false, false})[1].seconds,
                 std::vector<double>(5, 1e-3));
    }

    /// Kernels that were all held up agree well with each other; what they take may be far less.
    void timesThatOthersHeldUpAreUpperBounds() {
        const std::vector<SampleInTurn> heldUp(11, {8e-3, false, 1e-3});
        const std::vector<TurnSamples> compared = comparableSamples({heldUp, heldUp}, {false, false});
        const TimeInterval time = quartileInterval(compared[0].seconds, compared[0].least);
        QCOMPARE(time.seconds, 8e-3);
        QCOMPARE(time.low, 1e-3);
        QVERIFY(time.wide());
        // Waits of several threads may add up to more than the sample took.
        const std::vector<SampleInTurn> threads(11, {8e-3, false, -3e-3});
        QVERIFY(comparableSamples({threads}, {false})[0].least > 0);
        const std::vector<SampleInTurn> clean(11, {8e-3, true, 8e-3});
        QCOMPARE(comparableSamples({clean}, {false})[0].least, 0.);
    }

    void theNextSampleOfASlowKernelIsForetoldWithItsDisturbance() {
        Sampler sampler({}, 1.0);
        sampler.add(3.0, 2.0); // three times as long as it took by itself
        QVERIFY(sampler.nextSeconds() >= 3.0);
    }

    void verySlowKernelIsNotSampledForever() {
        Sampler sampler({}, 3.0);
        feed(sampler, [](int i) { return i == 0 ? 3.0 : 3.5; });
        QCOMPARE(sampler.samples().size(), size_t{2});
        QVERIFY(sampler.unstable());
    }
};

LOOPSCOPE_TEST(SamplingTest)
#include "sampling_test.moc"
