// The order that spends time where most is gained, on made-up numbers and on curves that are replayed.

#include "base/random.h"
#include "recorded_curves.h"
#include "search/choice_group.h"
#include "search/gain_order.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

using namespace loopscope;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

TaskStanding standing(std::vector<double> best, double weight = 1, double floor = 0) {
    TaskStanding standing;
    standing.flops = 1e6;
    standing.weight = weight;
    standing.best = std::move(best);
    standing.floor = floor;
    return standing;
}

/// What is found out about a task round by round, whoever asks for the rounds.
struct Curve {
    std::vector<double> best; // seconds after each of its rounds
    double weight = 1;
    double roundSeconds = 1;
    double floor = 0;
};

/// Seconds of search until the weighted sum of times is at most `goal`; infinity when the rounds end before.
double secondsUntil(TaskOrder &order, const std::vector<Curve> &curves, double goal) {
    std::vector<TaskStanding> tasks;
    for (const Curve &curve : curves) tasks.push_back(standing({}, curve.weight, curve.floor));
    double spent = 0;
    for (;;) {
        double sum = 0;
        for (const TaskStanding &task : tasks) sum += task.weight * task.seconds();
        if (sum <= goal) return spent;
        const auto next = order.next(tasks);
        if (!next) return kNone;
        TaskStanding &task = tasks[*next];
        const Curve &curve = curves[*next];
        task.best.push_back(curve.best[task.rounds()]);
        task.spent.push_back(curve.roundSeconds);
        task.open = task.rounds() < curve.best.size();
        spent += curve.roundSeconds;
    }
}

/// Tasks of a network: a few that take most of its time, many that hardly count; each falls like a power of the rounds,
/// by luck, towards a floor of its own.
std::vector<Curve> network(uint64_t seed) {
    Random random(seed);
    std::vector<Curve> curves;
    for (int task = 0; task < 24; ++task) {
        Curve curve;
        curve.weight = 1 + static_cast<double>(random.below(5));
        curve.roundSeconds = 2 + 18 * random.uniform() * random.uniform();
        const double floor = 1e-4 * std::exp(3 * random.uniform());
        curve.floor = floor * (0.4 + 0.5 * random.uniform()); // the roofline lies below what can be reached
        const double exponent = 0.2 + random.uniform();
        double best = kNone;
        for (int round = 1; round <= 40; ++round) {
            const double luck = std::exp(0.2 * (random.uniform() - 0.5));
            best = std::min(best, floor * (1 + 1.5 * std::pow(round, -exponent) * luck));
            curve.best.push_back(best);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

std::vector<Curve> recordedNetwork() {
    std::vector<Curve> curves;
    std::istringstream lines{std::string(kRecordedCurves)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        Curve curve;
        if (!(words >> name >> curve.weight >> curve.roundSeconds)) continue;
        for (double best = 0; words >> best;) curve.best.push_back(best * 1e-6);
        curves.push_back(std::move(curve));
    }
    return curves;
}

/// What round robin reaches once every task had so many rounds.
double sumAfter(const std::vector<Curve> &curves, size_t rounds) {
    double sum = 0;
    for (const Curve &curve : curves) sum += curve.weight * curve.best[rounds - 1];
    return sum;
}

} // namespace

class GainOrderTest : public QObject {
    Q_OBJECT
  private slots:
    void eachTaskHasARoundFirst() {
        const auto order = makeGainOrder();
        std::vector<TaskStanding> tasks = {standing({1, 1}), standing({}), standing({})};
        QCOMPARE(order->next(tasks).value(), size_t{1});
        QCOMPARE(order->why(), std::string("it has had no round yet"));
        tasks[1].best = {kNone};
        QCOMPARE(order->next(tasks).value(), size_t{2});
    }

    void theSumDecidesNotTheKernel() {
        // Ten times as often counts ten times.
        QCOMPARE(makeGainOrder()->next({standing({2}), standing({1}, 10)}).value(), size_t{1});
        const auto order = makeGainOrder();
        QCOMPARE(order->next({standing({0.002}), standing({0.001})}).value(), size_t{0});
        QVERIFY2(order->why().starts_with("a round is expected to gain"), order->why().c_str());
    }

    void aRoundThatTakesLongHasToGainMore() {
        std::vector<TaskStanding> tasks = {standing({2, 2}), standing({1, 1})};
        tasks[0].spent = {30, 30};
        tasks[1].spent = {5, 5};
        const auto order = makeGainOrder();
        QCOMPARE(order->next(tasks).value(), size_t{1});
        QVERIFY2(order->why().find("and takes 5 s") != std::string::npos, order->why().c_str());
    }

    void whatIsAtItsRooflineHasNothingToGain() {
        QCOMPARE(makeGainOrder()->next({standing({1.02}, 50, 1.0), standing({0.01})}).value(), size_t{1});
        // Nor does one for which nothing is left, while another has not found a kernel.
        QCOMPARE(makeGainOrder()->next({standing({1.02}, 50, 1.0), standing({kNone})}).value(), size_t{1});
        // With nothing else to do its rounds go on.
        QCOMPARE(makeGainOrder()->next({standing({1.02}, 50, 1.0)}).value(), size_t{0});
    }

    void oneThatStandsStillWaitsForOneThatFalls() {
        const TaskStanding still = standing({1, 1, 1, 1, 1, 1});
        const TaskStanding falling = standing({2, 1.6, 1.4, 1.25, 1.1, 1});
        QCOMPARE(makeGainOrder()->next({still, falling}).value(), size_t{1});
    }

    void whatSimilarTasksReachedIsInReach() {
        std::vector<TaskStanding> tasks = {standing({1.2, 1.2}), standing({1, 1}), standing({0.3, 0.3})};
        tasks[1].similarity = tasks[2].similarity = "conv2d_30";
        QCOMPARE(makeGainOrder()->next(tasks).value(), size_t{1});
        tasks[1].similarity = "dense_30"; // of another kind
        QCOMPARE(makeGainOrder()->next(tasks).value(), size_t{0});
    }

    /// A form that is behind gains nothing before it is ahead.
    void formsThatAreBehindCountForWhatTheyMayStillWin() {
        std::vector<TaskStanding> tasks = {standing({2, 2}), standing({2.1, 2.1}), standing({9, 9})};
        const std::vector<double> alone = expectedGains(tasks);
        compareArms({{"conv1", 1, {{"direct", {0}}, {"winograd2", {1}}, {"winograd4", {2}}}}}, tasks);
        QCOMPARE(tasks[0].behind, 0.0);
        QVERIFY(std::abs(tasks[1].behind - 0.1) < 1e-12);
        QCOMPARE(tasks[2].behind, 7.0);
        const std::vector<double> gains = expectedGains(tasks);
        QCOMPARE(gains[0], alone[0]);
        QVERIFY(gains[1] > 0 && gains[1] < alone[1]);
        QCOMPARE(gains[2], 0.0); // nobody finds out how to be four times as fast
        QCOMPARE(makeGainOrder()->next(tasks).value(), size_t{0});
        tasks[0].open = false;
        const auto order = makeGainOrder();
        QCOMPARE(order->next(tasks).value(), size_t{1});
        QVERIFY2(order->why().find("another form of its node is 100 ms faster") != std::string::npos,
                 order->why().c_str());
    }

    /// One in many stages begins far behind. Its first rounds are worth what it may win as near to its roofline as the
    /// others come; then what came of them decides.
    void formsThatBeginFarBehindAreTried() {
        std::vector<TaskStanding> tasks = {standing({2, 2}, 1, 1.2), standing({9}, 1, 0.6), standing({9}, 1, 1.8)};
        compareArms({{"conv1", 1, {{"direct", {0}}, {"winograd4", {1}}, {"winograd2", {2}}}}}, tasks);
        std::vector<double> gains = expectedGains(tasks);
        QVERIFY(std::abs(gains[1] - (2 - 0.6 / 0.6) / GainOptions{}.horizon) < 1e-12);
        QCOMPARE(gains[2], 0.0); // at 60 % of its roofline it would take 3 s
        tasks[1].best = {9, 9, 9, 9, 9};
        QCOMPARE(expectedGains(tasks)[1], 0.0);
        tasks[1].best = {9, 7, 5, 3.5, 2.6};
        compareArms({{"conv1", 1, {{"direct", {0}}, {"winograd4", {1}}, {"winograd2", {2}}}}}, tasks);
        QVERIFY(expectedGains(tasks)[1] > 0);
    }

    void armsAreComparedByAllThatIsRunForThem() {
        std::vector<TaskStanding> tasks = {standing({2}), standing({1}), standing({0.5}), standing({kNone}),
                                           standing({4})};
        const TaskChoiceGroup first{"a", 1, {{"whole", {0}}, {"parts", {1, 2}, 0.75}, {"unknown", {3}}}};
        const TaskChoiceGroup second{"b", 1, {{"parts", {2}}, {"other", {4}}}};
        QCOMPARE(armSeconds(first.arms[1], tasks), 2.25);
        QCOMPARE(leadingArm(first, tasks).value(), size_t{0});
        compareArms({first, second}, tasks);
        QCOMPARE(tasks[1].behind, 0.25);
        QCOMPARE(tasks[2].behind, 0.0); // leads elsewhere
        QCOMPARE(tasks[3].behind, 0.0); // nobody knows
        QCOMPARE(tasks[4].behind, 3.5);
        tasks[0].best = {kNone};
        tasks[1].best = {kNone};
        QVERIFY(!leadingArm(first, tasks));
    }

    void tasksKnowTheFormsTheyArePartOf() {
        std::vector<TaskStanding> tasks = {standing({2}),     standing({1}), standing({0.5}),
                                           standing({kNone}), standing({4}), standing({1})};
        const TaskChoiceGroup first{"a", 1, {{"whole", {0}}, {"parts", {1, 2}, 0.75}, {"unknown", {3}}}};
        const TaskChoiceGroup second{"b", 1, {{"parts", {2}}, {"other", {4}}}};
        const auto forms = formStandings({first, second}, tasks);
        QCOMPARE(forms.size(), tasks.size());
        QCOMPARE(forms[2].size(), size_t{2});
        QCOMPARE(forms[2][0].group, size_t{0});
        QCOMPARE(forms[2][0].arm, size_t{1});
        QCOMPARE(forms[2][0].leading.value(), size_t{0});
        QCOMPARE(forms[2][0].behind, 0.25);
        QCOMPARE(forms[2][1].behind, 0.0);
        QCOMPARE(nearestForm(forms[2]), &forms[2][1]); // where it leads
        QCOMPARE(forms[3][0].arm, size_t{2});
        QCOMPARE(forms[3][0].behind, 0.0);
        QCOMPARE(forms[4][0].leading.value(), size_t{0});
        QCOMPARE(forms[4][0].behind, 3.5);
        QVERIFY(forms[5].empty()); // in no group
        QVERIFY(nearestForm(forms[5]) == nullptr);
        for (TaskStanding &task : tasks) task.best = {kNone};
        QVERIFY(!formStandings({second}, tasks)[4][0].leading);
    }

    void closedTasksAreLeftAlone() {
        std::vector<TaskStanding> tasks = {standing({5}), standing({1})};
        tasks[0].open = false;
        QCOMPARE(makeGainOrder()->next(tasks).value(), size_t{1});
        tasks[1].open = false;
        QVERIFY(!makeGainOrder()->next(tasks));
        QVERIFY(!makeGainOrder()->next({}));
    }

    /// Of a search that was: what round robin reaches after so many rounds, the gain order reaches sooner.
    void recordedCurvesReachRoundRobinsTimeSooner() {
        const std::vector<Curve> curves = recordedNetwork();
        QCOMPARE(curves.size(), size_t{23});
        double logOfGain = 0;
        double logOfGradient = 0;
        for (const size_t rounds : {size_t{4}, size_t{8}, size_t{12}}) {
            const double goal = sumAfter(curves, rounds);
            const double inTurn = secondsUntil(*makeRoundRobinOrder(), curves, goal);
            const double gain = inTurn / secondsUntil(*makeGainOrder(), curves, goal);
            const double gradient = inTurn / secondsUntil(*makeGradientOrder(), curves, goal);
            qInfo("the sum after %zu rounds: round robin takes %.2f times as long, Ansor's gradient is %.2f times as "
                  "fast "
                  "as it",
                  rounds, gain, gradient);
            logOfGain += std::log(gain);
            logOfGradient += std::log(gradient);
        }
        qInfo("geometric means: %.2f, %.2f", std::exp(logOfGain / 3), std::exp(logOfGradient / 3));
        QVERIFY(std::exp(logOfGain / 3) >= 1.3);
    }

    /// Whoever knew the curves beforehand would be 1.60 times as fast as round robin in geometric mean.
    void replayedCurvesReachRoundRobinsTimeMuchSooner() {
        double logOfGain = 0;
        double logOfGradient = 0;
        double worst = kNone;
        int count = 0;
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            const std::vector<Curve> curves = network(seed);
            for (const size_t rounds : {size_t{8}, size_t{16}}) {
                const double goal = sumAfter(curves, rounds);
                const double inTurn = secondsUntil(*makeRoundRobinOrder(), curves, goal);
                const double ratio = inTurn / secondsUntil(*makeGainOrder(), curves, goal);
                worst = std::min(worst, ratio);
                logOfGain += std::log(ratio);
                logOfGradient += std::log(inTurn / secondsUntil(*makeGradientOrder(), curves, goal));
                ++count;
            }
        }
        const double mean = std::exp(logOfGain / count);
        const double gradient = std::exp(logOfGradient / count);
        qInfo("round robin takes %.2f times as long in geometric mean, at least %.2f times; Ansor's gradient is %.2f "
              "times as fast as it",
              mean, worst, gradient);
        QVERIFY2(mean >= 1.4 && worst >= 1.2, qPrintable(QString("%1, %2").arg(mean).arg(worst)));
        QVERIFY(mean > 1.05 * gradient);
    }
};

LOOPSCOPE_TEST(GainOrderTest)
#include "gain_order_test.moc"
