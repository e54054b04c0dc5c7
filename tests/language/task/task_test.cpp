#include "harness/sample_dags.h"
#include "language/task/task.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class TaskTest : public QObject {
    Q_OBJECT

  private slots:
    void keyAndLayoutOption() {
        const DagPtr dag = matmulDag(64, 32, 16);
        const Task cpu = makeTask(dag, parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2"));
        QCOMPARE(cpu.key, std::string(R"(["dc29d1d0f45b6bb93e8328b9f55c70d9", [64, 16], [16, 32], [64, 32]])"));
        QCOMPARE(cpu.layoutRewrite, LayoutRewrite::InsertTransform);
        QVERIFY(cpu.inputNames.empty());
        QCOMPARE(cpu.dag.get(), dag.get());
        QCOMPARE(makeTask(dag, parseTarget("cuda")).layoutRewrite, LayoutRewrite::None);
    }
};

LOOPSCOPE_TEST(TaskTest)
#include "task_test.moc"
