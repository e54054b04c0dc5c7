// Which task is next, on made-up numbers.

#include "harness/sample_dags.h"
#include "search/alternative_order.h"
#include "search/task_order.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <limits>

using namespace loopscope;

namespace task_order_test {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

TaskStanding standing(std::vector<double> best, double flops = 1e6) {
    TaskStanding standing;
    standing.flops = flops;
    standing.best = std::move(best);
    return standing;
}

/// What the order chooses when every round leaves the time as it is.
std::vector<size_t> choices(TaskOrder &order, std::vector<TaskStanding> tasks, int count) {
    std::vector<size_t> chosen;
    for (int i = 0; i < count; ++i) {
        const auto next = order.next(tasks);
        if (!next) break;
        chosen.push_back(*next);
        tasks[*next].best.push_back(tasks[*next].seconds());
    }
    return chosen;
}

DagPtr tagged(const std::vector<std::string> &tags, int64_t extent) {
    DagBuilder b;
    const Tensor *last = &b.placeholder("in", {extent});
    for (size_t i = 0; i < tags.size(); ++i) {
        const auto s = axes({"i"}, {extent});
        Attrs attrs;
        if (!tags[i].empty()) attrs["auto_scheduler_task_scheduler_tag"] = tags[i];
        last = &b.compute("c" + std::to_string(i), s, load(*last, {s[0].var}) + 1, attrs);
    }
    return b.build({last});
}

} // namespace

class TaskOrderTest : public QObject {
    Q_OBJECT
  private slots:
    void roundRobinTakesEachOpenTaskInTurn() {
        const auto order = makeRoundRobinOrder();
        std::vector<TaskStanding> tasks(3);
        QVERIFY(choices(*order, tasks, 5) == (std::vector<size_t>{0, 1, 2, 0, 1}));
        tasks[2].open = false;
        QVERIFY(choices(*order, tasks, 3) == (std::vector<size_t>{0, 1, 0}));
        for (TaskStanding &task : tasks) task.open = false;
        QVERIFY(!order->next(tasks));
        QVERIFY(!makeRoundRobinOrder()->next({}));
    }

    void gradientGivesEachTaskARoundFirst() {
        const auto order = makeGradientOrder();
        std::vector<TaskStanding> tasks = {standing({}), standing({1, 1}), standing({})};
        QCOMPARE(order->next(tasks).value(), size_t{0});
        tasks[0].best = {kNone};
        QCOMPARE(order->next(tasks).value(), size_t{2}); // one whose log is continued has had its rounds
    }

    void gradientChoosesWhereTheSumOfTimesFallsFastest() {
        // After one round each the next promises to halve... a t-th round a t-th of the time: 0.8*10/2 against 0.8*3/1.
        QCOMPARE(makeGradientOrder()->next({standing({10, 10}), standing({3})}).value(), size_t{0});
        QCOMPARE(makeGradientOrder()->next({standing({10, 10, 10, 10, 10}), standing({3})}).value(), size_t{1});
        // A kernel that runs ten times counts ten times.
        std::vector<TaskStanding> weighted = {standing({10, 10}), standing({3})};
        weighted[1].weight = 10;
        QCOMPARE(makeGradientOrder()->next(weighted).value(), size_t{1});
        // Both have the same time and rounds, one gained lately.
        QCOMPARE(makeGradientOrder()->next({standing({5, 5, 5, 5}), standing({9, 8, 7, 5})}).value(), size_t{1});
    }

    void gradientExpectsOfATaskWhatSimilarOnesReached() {
        // Of equal times and FLOPs; the second is a quarter as fast as what is like it, so it may come to half of that.
        std::vector<TaskStanding> tasks = {standing(std::vector<double>(20, 8.0)),
                                           standing(std::vector<double>(20, 8.0)),
                                           standing(std::vector<double>(20, 1.0))};
        tasks[1].similarity = tasks[2].similarity = "conv2d_30";
        QCOMPARE(makeGradientOrder()->next(tasks).value(), size_t{1});
        // In vain: it leaves the group once it had more than five rounds more than any other.
        const auto order = makeGradientOrder({.seed = 3});
        const auto chosen = choices(*order, tasks, 60);
        const auto ofFirst = std::count(chosen.begin(), chosen.end(), size_t{0});
        QVERIFY2(chosen.front() == 1 && ofFirst > 20, qPrintable(QString::number(ofFirst)));
    }

    void gradientComesBackToWhatHasNoKernelLast() {
        std::vector<TaskStanding> tasks = {standing({kNone}), standing({2}), standing({2, 2})};
        const auto order = makeGradientOrder();
        QCOMPARE(order->next(tasks).value(), size_t{1});
        tasks[1].open = false;
        QCOMPARE(order->next(tasks).value(), size_t{2});
        tasks[2].open = false;
        QCOMPARE(order->next(tasks).value(), size_t{0});
        tasks[0].open = false;
        QVERIFY(!order->next(tasks));
    }

    void theSameSeedChoosesTheSameAmongEqualTasks() {
        const std::vector<TaskStanding> tasks(4, standing({1}));
        const auto first = choices(*makeGradientOrder({.seed = 7}), tasks, 40);
        QVERIFY(first == choices(*makeGradientOrder({.seed = 7}), tasks, 40));
        for (size_t task = 0; task < 4; ++task) QVERIFY(std::count(first.begin(), first.end(), task) > 4);
    }

    void alternativesHaveARoundEachFirst() {
        const auto order = makeAlternativeOrder();
        std::vector<TaskStanding> tasks = {standing({}), standing({}), standing({1, 1}), standing({})};
        QCOMPARE(order->next(tasks).value(), size_t{0});
        tasks[0].best = {5};
        tasks[1].open = false; // its space ran dry before
        QCOMPARE(order->next(tasks).value(), size_t{3});
    }

    void onlyWhatMayBecomeTheBestHasLaterRounds() {
        // 1.9 after one round may come to 1.9 * (1 - 0.5 / 2) = 1.425, the best after ten to 0.95.
        const auto chosen = choices(*makeAlternativeOrder(), {standing({1}), standing({1.9}), standing({1.1})}, 40);
        const auto count = [&](size_t task) { return std::count(chosen.begin(), chosen.end(), task); };
        QCOMPARE(count(1), 0);
        QVERIFY2(count(2) > 0 && count(0) > 2 * count(2), qPrintable(QString::number(count(2))));
        // Behind, but falling by a tenth a round.
        const std::vector<double> still(20, 1.0);
        QCOMPARE(makeAlternativeOrder()->next({standing(still), standing({1.5, 1.3, 1.15, 1.04})}).value(), size_t{1});
        QCOMPARE(makeAlternativeOrder()->next({standing(still), standing(std::vector<double>(20, 1.04))}).value(),
                 size_t{0});
    }

    void alternativesWithoutAKernelComeLast() {
        std::vector<TaskStanding> tasks = {standing({kNone, kNone}), standing({9}), standing({kNone})};
        const auto order = makeAlternativeOrder();
        QCOMPARE(order->next(tasks).value(), size_t{1});
        tasks[1].open = false;
        QCOMPARE(order->next(tasks).value(), size_t{2}); // it had fewer rounds
        tasks[2].open = false;
        QCOMPARE(order->next(tasks).value(), size_t{0});
        tasks[0].open = false;
        QVERIFY(!order->next(tasks));
    }

    void theSameSeedChoosesTheSameAmongEqualAlternatives() {
        const std::vector<TaskStanding> tasks(3, standing({1}));
        const auto first = choices(*makeAlternativeOrder({.seed = 7}), tasks, 30);
        QVERIFY(first == choices(*makeAlternativeOrder({.seed = 7}), tasks, 30));
        QVERIFY(first != choices(*makeAlternativeOrder({.seed = 8}), tasks, 30));
        for (size_t task = 0; task < 3; ++task) QVERIFY(std::count(first.begin(), first.end(), task) > 4);
    }

    void similarTasksHaveTheSameText() {
        QVERIFY(taskSimilarity(*matmulDag()).empty());
        // floor(log(1000 + 1) / log(1.618)) = 14
        QCOMPARE(taskSimilarity(*tagged({"relu"}, 1000)), std::string("relu_14"));
        QCOMPARE(taskSimilarity(*tagged({"a", "", "b"}, 1000)), std::string("a_b_16"));
        QVERIFY(taskSimilarity(*tagged({"relu"}, 1100)) == taskSimilarity(*tagged({"relu"}, 1000)));
        QVERIFY(taskSimilarity(*tagged({"relu"}, 4000)) != taskSimilarity(*tagged({"relu"}, 1000)));
    }
};

LOOPSCOPE_TEST(TaskOrderTest)

} // namespace task_order_test
#include "task_order_test.moc"
