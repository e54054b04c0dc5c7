// Kernels of an open size as ordinary tasks: at which sizes, how often, and by which keys.

#include "deploy/dispatch/sized_network.h"
#include "deploy/dispatch/tasks_at_points.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QtTest>

namespace loopscope {

namespace {

std::vector<NetworkFamily> families(int64_t bound) {
    const auto typed = inferTypes(parseNet("network m\n\nfunc main(x: float32[n, 8], w: float32[8, 8]) {\n"
                                           "  a = matmul(x, w)\n  b = matmul(a, w)\n  c = exp(b)\n  return c\n}\n",
                                           "m.net")
                                      .module);
    if (!typed) qFatal("%s", typed.why().c_str());
    const FunctionPtr main = typed->find("main");
    const auto sized = SizedNetwork::of(main, FusionMode::Compatible);
    if (!sized) qFatal("%s", sized.why().c_str());
    auto made = kernelFamilies(*sized, bound, parseTarget("llvm"));
    if (!made) qFatal("%s", made.why().c_str());
    return std::move(made).value();
}

} // namespace

class TasksAtPointsTest : public QObject {
    Q_OBJECT

  private slots:
    void whichSizes() {
        DispatchPoints named{{3, 8, 40}, {1, 2, 3}, {8, 40}};
        QCOMPARE(sizesToTune(named), (std::vector<int64_t>{8, 40}));
        QCOMPARE(sizesToTune(usualPoints(40)), (std::vector<int64_t>{1, 2, 4, 8, 16, 32, 40}));
    }

    void eachKernelAtEachSize() {
        const std::vector<NetworkFamily> all = families(16);
        const DispatchPoints points{{4, 16}, {1, 3}, {}};
        const auto tasks = tasksAtSizes(all, points, {4, 16}, std::nullopt);
        QVERIFY2(tasks, tasks ? "" : tasks.why().c_str());
        QStringList told;
        for (const SearchedTask &task : *tasks)
            told << QStringLiteral("%1 x%2").arg(QString::fromStdString(task.name)).arg(task.weight);
        QCOMPARE(told.join(QStringLiteral(", ")),
                 QStringLiteral("matmul at n = 4 x1, matmul at n = 16 x3, matmul_exp at n = 4 x1, matmul_exp at n = 16 "
                                "x3"));
        const auto dag = all.front().family.dagAt(16);
        QVERIFY(dag);
        QCOMPARE((*tasks)[1].task.key, (*dag)->key());
        QVERIFY(tasksAtSizes({}, points, {4}, std::nullopt)->empty());
    }
};

LOOPSCOPE_TEST(TasksAtPointsTest)
} // namespace loopscope

#include "tasks_at_points_test.moc"
