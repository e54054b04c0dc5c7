// Schedules without measuring: deterministic, complete, and no slower by the estimate than what is drawn by chance.
#include "codegen/lower/lower.h"
#include "deploy/network/default_schedule.h"
#include "harness/sample_dags.h"
#include "schedule/loop_state.h"
#include "schedule/steps_json.h"
#include "search/cost/draft_estimate.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

Task taskOf(DagPtr dag) {
    Task task = makeTask(std::move(dag), parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2"));
    task.layoutRewrite = LayoutRewrite::Pretransformed;
    return task;
}

double estimateOf(const Task &task, const Steps &steps) {
    const auto state = replay(task.dag, steps);
    if (!state) return -1;
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const auto bounded = inferBounds(*state);
    if (!bounded) return -1;
    const auto nest = buildLoopNest(*bounded);
    return nest ? draftEstimateFor(TargetKind::Llvm)(*nest, task.target) : -1;
}

} // namespace

class DefaultScheduleTest : public QObject {
    Q_OBJECT

  private slots:
    void isMuchBetterThanNaive_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("convolution") << 0;
        QTest::newRow("matrix product") << 1;
    }
    void isMuchBetterThanNaive() {
        QFETCH(int, which);
        const Task task = taskOf(which == 0 ? conv2dBiasReluNchwDag(1, 14, 14, 64, 64) : matmulBiasReluDag(64, 64, 64));
        const auto schedules = defaultSchedules(task);
        QVERIFY2(schedules.ok(), schedules.ok() ? "" : schedules.why().c_str());
        QVERIFY(schedules->size() >= 2);
        const double best = estimateOf(task, schedules->front());
        QVERIFY(best > 0);
        QVERIFY2(10 * best < estimateOf(task, {}), qPrintable(QString::number(best)));
        for (const Steps &steps : *schedules) QVERIFY(estimateOf(task, steps) >= 0.9 * best);
        const auto state = replay(task.dag, schedules->front());
        QVERIFY(lower(*state, task.target, {.layoutRewrite = 2, .observer = {}}).ok());
    }

    void isTheSameEveryTime() {
        const Task task = taskOf(matmulBiasReluDag(48, 48, 48));
        const auto first = defaultSchedules(task, {.seed = 3, .population = 64, .generations = 1, .keep = 4});
        const auto again = defaultSchedules(task, {.seed = 3, .population = 64, .generations = 1, .keep = 4});
        QVERIFY(first.ok() && again.ok());
        QCOMPARE(first->size(), again->size());
        for (size_t i = 0; i < first->size(); ++i) QCOMPARE(stepsText((*first)[i]), stepsText((*again)[i]));
    }
};

LOOPSCOPE_TEST(DefaultScheduleTest)
#include "default_schedule_test.moc"
