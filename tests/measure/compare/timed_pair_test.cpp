// Verdicts about two schedules: what is called different, what is not, and which step is said to earn what. Times come
// from scripts and seeded noise, never from the machine.

#include "base/random.h"
#include "harness/sample_dags.h"
#include "harness/scripted_measurer.h"
#include "measure/compare/explain_difference.h"
#include "measure/compare/timed_pair.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace {

constexpr StageId kC{2};

Step splitOf(int loop, int64_t length) { return SplitStep{kC, IterId(loop), 64, {length}, true}; }
Step parallelOf(int loop) { return AnnotateStep{kC, IterId(loop), Annotation::Parallel}; }

/// Milliseconds that a machine with other work to do shows for a kernel that takes one: noise only adds.
std::vector<double> noisy(Random &random, double seconds, int rounds) {
    std::vector<double> samples;
    for (int i = 0; i < rounds; ++i) {
        double time = seconds * (1 + 0.01 * random.uniform());
        if (random.uniform() < 0.1) time *= 1 + random.uniform();
        samples.push_back(time);
    }
    return samples;
}

} // namespace

class TimedPairTest : public QObject {
    Q_OBJECT
  private slots:
    void intervalsByTheBinomialDistribution() {
        std::vector<double> ratios;
        for (int i = 1; i <= 7; ++i) ratios.push_back(1 + 0.01 * i);
        QVERIFY(!ratioInterval(ratios).different()); // seven alike are not enough
        ratios.push_back(1.08);
        QCOMPARE(ratioInterval(ratios).low, 1.01);
        QCOMPARE(ratioInterval(ratios).high, 1.08);
        QVERIFY(ratioInterval(ratios).different());
        QVERIFY(qFuzzyCompare(ratioInterval(ratios).ratio, std::sqrt(1.04 * 1.05)));
        for (int i = 9; i <= 12; ++i) ratios.push_back(1 + 0.01 * i);
        QCOMPARE(ratioInterval(ratios).low, 1.02); // of twelve one on each side may stray
        QCOMPARE(ratioInterval(ratios).high, 1.11);
        ratios[0] = 0.5;
        QVERIFY(ratioInterval(ratios).different());
        ratios[1] = 0.5;
        QVERIFY(!ratioInterval(ratios).different());
        QVERIFY(!ratioInterval({}).different());
    }

    void twoAlikeAreHardlyEverDifferent() {
        Random random(2026, 1);
        ScriptedMeasurer measurer;
        measurer.interleaved = [&](const Steps &, int rounds) { return noisy(random, 1e-3, rounds); };
        int different = 0;
        for (int i = 0; i < 400; ++i) different += timePair(measurer, {}, {}, {})->interval.different() ? 1 : 0;
        QVERIFY2(different <= 20, QByteArray::number(different)); // five in a hundred
    }

    void aPlaceThatIsSlowerDecidesNothing() {
        // Whoever is built second is 3 % slower: its buffers lie worse.
        Random random(2026, 2);
        ScriptedMeasurer measurer;
        int turn = 0;
        measurer.interleaved = [&](const Steps &, int rounds) {
            return noisy(random, turn++ % 2 == 0 ? 1e-3 : 1.03e-3, rounds);
        };
        int different = 0;
        for (int i = 0; i < 100; ++i) different += timePair(measurer, {}, {}, {})->interval.different() ? 1 : 0;
        QVERIFY2(different <= 5, QByteArray::number(different));
    }

    void aTenthIsAlwaysSeen() {
        Random random(2026, 3);
        ScriptedMeasurer measurer;
        const Steps slow = {splitOf(0, 8)};
        measurer.interleaved = [&](const Steps &steps, int rounds) {
            return noisy(random, steps == slow ? 1.1e-3 : 1e-3, rounds);
        };
        for (int i = 0; i < 100; ++i) {
            const auto pair = timePair(measurer, {}, slow, {});
            QVERIFY(pair->interval.different());
            QVERIFY(pair->interval.low > 1 && pair->interval.ratio > 1.05 && pair->interval.ratio < 1.15);
            const auto other = timePair(measurer, slow, {}, {});
            QVERIFY(other->interval.different() && other->interval.high < 1);
        }
    }

    void sentences() {
        QCOMPARE(verdictText({1.0612, 1.0521, 1.0694}, "A", "B"),
                 std::string("A is faster than B by 6.1 % (5.2 to 6.9 %)"));
        QCOMPARE(verdictText({0.5, 0.4, 0.8}, "A", "B"),
                 std::string("B is faster than A by 100.0 % (25.0 to 150.0 %)"));
        QCOMPARE(verdictText({89.81, 85.02, 95.01}, "A", "B"),
                 std::string("B takes 89.8 times as long as A (85.0 to 95.0)"));
        QCOMPARE(verdictText({1.001, 0.995, 1.004}, "A", "B"), std::string("no difference seen: it is below 0.5 %"));
        QCOMPARE(verdictText(ratioInterval({1, 2}), "A", "B"),
                 std::string("no difference seen: too few repeats to tell"));
    }

    void oneThatFailsIsNamed() {
        ScriptedMeasurer measurer;
        const Steps bad = {splitOf(0, 8)};
        measurer.interleaved = [&](const Steps &steps, int rounds) {
            return std::vector<double>(steps == bad ? 0 : static_cast<size_t>(rounds), 1e-3);
        };
        QVERIFY(timePair(measurer, bad, {}, {}).why().starts_with("the first schedule"));
        QVERIFY(timePair(measurer, {}, bad, {}).why().starts_with("the second schedule"));
        const std::atomic<bool> cancelled = true;
        QCOMPARE(timePair(measurer, {}, {}, {}, {.cancel = &cancelled}).why(),
                 std::string("the comparison was cancelled"));
    }

    void whatEarnsTheSpeedUpIsSaid() {
        const DagPtr dag = matmulDag(64, 64, 64);
        // Parallel halves the time, the length of j's split makes a fifth, that of i's nothing.
        const Steps a = {splitOf(0, 2), splitOf(2, 2)};
        const Steps b = {splitOf(0, 4), splitOf(2, 16), parallelOf(0)};
        ScriptedMeasurer measurer;
        measurer.interleaved = [&](const Steps &steps, int rounds) {
            double time = 1e-3;
            for (const Step &step : steps) {
                if (step == parallelOf(0)) time *= 0.5;
                if (step == splitOf(2, 16)) time *= 0.8;
            }
            return std::vector<double>(static_cast<size_t>(rounds), time);
        };
        const auto pairs = alignSteps(dag, a, b);
        QVERIFY(pairs.ok());
        size_t told = 0;
        const auto explained = explainDifference(dag, measurer, *pairs, {}, {}, [&](size_t done, size_t all) {
            QCOMPARE(done, ++told);
            QCOMPARE(all, size_t{3});
        });
        QVERIFY(explained.ok());
        QCOMPARE(explained->size(), size_t{3});
        QCOMPARE((*pairs)[(*explained)[0].pairs.front()].lineB, std::string("parallel C i.0"));
        QCOMPARE((*pairs)[(*explained)[1].pairs.front()].lineB, std::string("split C j into 16"));
        QVERIFY(std::abs((*explained)[0].share - std::log(0.5) / std::log(0.4)) < 1e-9);
        QVERIFY(!(*explained)[2].interval.different());
        double sum = 0;
        for (const ExplainedStep &step : *explained) sum += step.share;
        QVERIFY(std::abs(sum - 1) < 1e-9);
    }

    void whatOnlyGoesTogetherIsCoupled() {
        const DagPtr dag = matmulDag(64, 64, 64);
        // Without its split the part cannot be unrolled, without the unrolling's loop there is nothing left to name.
        const Steps a = {splitOf(0, 8), AnnotateStep{kC, IterId(1), Annotation::Unroll}};
        const Steps b = {FuseStep{kC, {IterId(0), IterId(1)}}, AnnotateStep{kC, IterId(0), Annotation::Unroll}};
        ScriptedMeasurer measurer;
        const auto pairs = alignSteps(dag, a, b);
        QVERIFY(pairs.ok());
        const auto explained = explainDifference(dag, measurer, *pairs, {});
        QVERIFY2(explained.ok(), explained.ok() ? "" : explained.why().c_str());
        size_t differences = 0;
        size_t explainedOnes = 0;
        for (const StepPair &pair : *pairs) differences += pair.same ? 0 : 1;
        for (const ExplainedStep &step : *explained) explainedOnes += step.pairs.size();
        QCOMPARE(explainedOnes, differences);
    }

    void twosThatGoTogetherAreToldApart() {
        const DagPtr dag = matmulDag(64, 64, 64);
        // What is fused names the loop that is parallel: neither goes without the other.
        const Steps a = {splitOf(0, 8), FuseStep{kC, {IterId(0), IterId(1)}}, parallelOf(0)};
        const Steps b = {splitOf(0, 8), FuseStep{kC, {IterId(1), IterId(2)}}, parallelOf(0),
                         CacheWriteStep{kC, "local"}, AnnotateStep{StageId(3), IterId(0), Annotation::Unroll}};
        ScriptedMeasurer measurer;
        const auto pairs = alignSteps(dag, a, b);
        QVERIFY(pairs.ok());
        const auto explained = explainDifference(dag, measurer, *pairs, {});
        QVERIFY2(explained.ok(), explained.ok() ? "" : explained.why().c_str());
        QStringList told;
        for (const ExplainedStep &step : *explained) {
            QStringList lines;
            for (const size_t pair : step.pairs) lines << QString::fromStdString((*pairs)[pair].lineB);
            told << lines.join(u'+');
        }
        QVERIFY2(told.contains("fuse C i.1, j+parallel C i.0"), qPrintable(told.join(u'\n')));
    }

    void alikeNeedNoExplanation() {
        const DagPtr dag = matmulDag(64, 64, 64);
        ScriptedMeasurer measurer;
        const auto pairs = alignSteps(dag, {splitOf(0, 8)}, {splitOf(0, 8)});
        QVERIFY(explainDifference(dag, measurer, *pairs, {})->empty());
        QVERIFY(measurer.compared.empty());
    }
};

LOOPSCOPE_TEST(TimedPairTest)
#include "timed_pair_test.moc"
