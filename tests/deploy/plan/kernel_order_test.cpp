// Orders of kernels: legal, never worse than the one given, the best there is on tiny graphs.
#include "base/random.h"
#include "deploy/plan/kernel_order.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <numeric>

using namespace loopscope;

namespace {

/// Kernels that write a buffer each and read some of those before.
OrderProblem drawProblem(Random &random, size_t kernels) {
    OrderProblem problem;
    for (size_t k = 0; k < kernels; ++k) {
        KernelTraffic traffic;
        for (size_t i = 0; i < k; ++i)
            if (random.below(k) < 2) traffic.after.push_back(i);
        traffic.reads = traffic.after;
        traffic.writes = {k};
        problem.kernels.push_back(traffic);
        problem.bytes.push_back(64 * (1 + random.index(20)));
    }
    return problem;
}

bool isLegal(const OrderProblem &problem, const std::vector<size_t> &order) {
    std::vector<size_t> position(order.size(), SIZE_MAX);
    for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    if (std::count(position.begin(), position.end(), SIZE_MAX) != 0) return false;
    for (size_t k = 0; k < order.size(); ++k)
        for (const size_t before : problem.kernels[k].after)
            if (position[before] > position[k]) return false;
    return order.size() == problem.kernels.size();
}

} // namespace

class KernelOrderTest : public QObject {
    Q_OBJECT

  private slots:
    /// Two branches that begin with something large: one is finished before the other begins.
    void finishesOneBranchFirst() {
        OrderProblem problem;
        problem.bytes = {64, 6400, 6400, 64, 64, 64};
        problem.kernels = {
            {.after = {}, .reads = {}, .writes = {0}},   {.after = {0}, .reads = {0}, .writes = {1}},
            {.after = {0}, .reads = {0}, .writes = {2}}, {.after = {1}, .reads = {1}, .writes = {3}},
            {.after = {2}, .reads = {2}, .writes = {4}}, {.after = {3, 4}, .reads = {3, 4}, .writes = {5}}};
        const std::vector<size_t> given = {0, 1, 2, 3, 4, 5};
        QCOMPARE(peakOfOrder(problem, given), size_t{2 * 6400 + 64});
        const auto order = orderForLowPeak(problem);
        QVERIFY(isLegal(problem, order));
        QCOMPARE(peakOfOrder(problem, order), size_t{6400 + 2 * 64});
    }

    void anOutputInPlaceCountsOnce() {
        OrderProblem problem;
        problem.bytes = {640, 640};
        problem.kernels = {{.after = {}, .reads = {}, .writes = {0}},
                           {.after = {0}, .reads = {0}, .writes = {1}, .mayOverwrite = {0}}};
        QCOMPARE(peakOfOrder(problem, std::vector<size_t>{0, 1}), size_t{640});
        problem.kernels[1].mayOverwrite.clear();
        QCOMPARE(peakOfOrder(problem, std::vector<size_t>{0, 1}), size_t{1280});
    }

    void isTheBestOnTinyGraphs() {
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Random random(seed);
            const OrderProblem problem = drawProblem(random, 3 + random.index(5));
            std::vector<size_t> order(problem.kernels.size());
            std::iota(order.begin(), order.end(), size_t{0});
            size_t least = SIZE_MAX;
            do
                if (isLegal(problem, order)) least = std::min(least, peakOfOrder(problem, order));
            while (std::next_permutation(order.begin(), order.end()));
            const auto found = orderForLowPeak(problem, seed);
            QVERIFY(isLegal(problem, found));
            QVERIFY2(peakOfOrder(problem, found) == least, qPrintable(QString("seed %1").arg(seed)));
        }
    }

    void isNeverWorseThanGiven() {
        for (uint64_t seed = 0; seed < 10; ++seed) {
            Random random(seed, 1);
            const OrderProblem problem = drawProblem(random, 80);
            std::vector<size_t> given(problem.kernels.size());
            std::iota(given.begin(), given.end(), size_t{0});
            const auto found = orderForLowPeak(problem, seed);
            QVERIFY(isLegal(problem, found));
            QVERIFY(peakOfOrder(problem, found) <= peakOfOrder(problem, given));
            QCOMPARE(orderForLowPeak(problem, seed), found);
        }
    }
};

LOOPSCOPE_TEST(KernelOrderTest)
#include "kernel_order_test.moc"
