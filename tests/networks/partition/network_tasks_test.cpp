// Kernels, tasks and weights of networks, against the counts of TVM; keys, against those of its logs.

#include "networks/partition/tasks.h"
#include "records/resolve/resolver.h"
#include "sample_networks.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <set>
#include <string>

using namespace loopscope;

namespace {

struct Counts {
    size_t kernels = 0;
    size_t tasks = 0;
    int uses = 0;
};

Counts countsOf(const FunctionPtr &function) {
    const Partition partition = partitionFunction(*function, FusionMode::Compatible);
    Counts counts;
    counts.kernels = partition.kernels.size();
    for (const NetworkTask &task : networkTasks(*function, partition)) {
        if (!task.searchable) continue;
        ++counts.tasks;
        counts.uses += task.weight;
    }
    return counts;
}

std::vector<NetworkTask> tasksOf(NetworkBuilder &&network) {
    const FunctionPtr function = std::move(network).finish();
    return networkTasks(*function, partitionFunction(*function, FusionMode::Compatible));
}

} // namespace

#define COMPARE_COUNTS(function, kernelCount, taskCount, useCount)                                                     \
    do {                                                                                                               \
        const Counts counts = countsOf(function);                                                                      \
        QCOMPARE(counts.kernels, size_t{kernelCount});                                                                 \
        QCOMPARE(counts.tasks, size_t{taskCount});                                                                     \
        QCOMPARE(counts.uses, useCount);                                                                               \
    } while (false)

class NetworkTasksTest : public QObject {
    Q_OBJECT

  private slots:
    void resNet50OfOnnx() {
        const FunctionPtr function = onnxResNet50();
        COMPARE_COUNTS(function, 58, 28, 57);
        int convolutions = 0;
        for (const NetworkTask &task : networkTasks(*function, partitionFunction(*function, FusionMode::Compatible)))
            convolutions += task.name.starts_with("conv") ? 1 : 0;
        QCOMPARE(convolutions, 24);
    }
    void resNet18OfTvm() { COMPARE_COUNTS(tvmResNet(false, {2, 2, 2, 2}), 31, 24, 25); }
    void resNet50OfTvm() { COMPARE_COUNTS(tvmResNet(true, {3, 4, 6, 3}), 71, 29, 57); }
    void squeezeNetOfOnnx() { COMPARE_COUNTS(squeezeNet(), 39, 23, 31); }
    void mobileNetOfTvm() { COMPARE_COUNTS(mobileNet(), 31, 22, 30); }

    void denseNet() {
        const FunctionPtr function = denseNet121();
        QElapsedTimer timer;
        timer.start();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        const std::vector<NetworkTask> tasks = networkTasks(*function, partition);
        QVERIFY2(timer.elapsed() < 3000,
                 qPrintable(QString::number(timer.elapsed()))); // a tenth of it on a free machine
        QCOMPARE(partition.kernels.size(), size_t{242});
        int uses = 0;
        size_t kernels = 0;
        for (const NetworkTask &task : tasks) {
            uses += task.searchable ? task.weight : 0;
            kernels += task.kernels.size();
            QCOMPARE(task.kernels.size(), static_cast<size_t>(task.weight));
        }
        QCOMPARE(uses, 126);
        QCOMPARE(kernels, partition.kernels.size());
    }

    void simpleKernelsAreNotSearched() {
        NetworkBuilder n;
        n.result(n.reshape(n.relu(n.add("softmax", {n.parameter("x", {4, 8})})), {32}));
        const std::vector<NetworkTask> tasks = tasksOf(std::move(n));
        QCOMPARE(tasks.size(), size_t{2});
        QVERIFY(tasks[0].searchable && tasks[0].whyNot.empty());
        QCOMPARE(tasks[1].whyNot, std::string("it only gives the same elements other dims"));
        QVERIFY(!tasks[1].searchable && tasks[1].dag && tasks[1].flops == 0);
    }

    void whatHasNoExpressionSaysSo() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {Dim::symbol("n"), 8}});
        const ValueId y = builder.add("softmax", "prob", {x});
        builder.setType(y, TensorType{DType::Float32, {Dim::symbol("n"), 8}});
        builder.addResult(y);
        const FunctionPtr function = std::move(builder).finish();
        const std::vector<NetworkTask> tasks =
            networkTasks(*function, partitionFunction(*function, FusionMode::Compatible));
        QCOMPARE(tasks.size(), size_t{1});
        QVERIFY(!tasks[0].searchable && !tasks[0].dag && tasks[0].key.empty());
        QCOMPARE(tasks[0].whyNot, std::string("'x' is float32[n, 8]: kernels are made for static dims"));
    }

    void tasksDifferInConstantsTheKeyDoesNotTell() {
        NetworkBuilder n;
        const ValueId x = n.parameter("x", {1, 3, 8, 8});
        const ValueId w = n.weight({4, 3, 2, 2});
        const auto conv = [&](int64_t top) {
            return n.add("conv", {x, w}, {{"pads", std::vector<int64_t>{top, 0, 1 - top, 0}}});
        };
        n.result(conv(1));
        n.result(conv(0));
        n.result(conv(1));
        const std::vector<NetworkTask> tasks = tasksOf(std::move(n));
        QCOMPARE(tasks.size(), size_t{2});
        QCOMPARE(tasks[0].key, tasks[1].key);
        QCOMPARE(tasks[0].kernels, (std::vector<size_t>{0, 2}));
    }

    void keysOfSingleTasks() {
        NetworkBuilder softmax;
        softmax.result(softmax.add("softmax", {softmax.parameter("x", {1, 1000})}));
        QCOMPARE(tasksOf(std::move(softmax))[0].key,
                 std::string("[\"7d79c516e212fe1d73f5dbb90eaca2cf\", [1, 1000], [1, 1000]]"));
        NetworkBuilder dense;
        dense.result(dense.denseWithBias(dense.parameter("x", {1, 512}), 512, 1000));
        QCOMPARE(tasksOf(std::move(dense))[0].key,
                 std::string("[\"00a059b856ac30ac172b6252254479a6\", [1, 512], [1000, 512], [1, 1000], [1, 1000]]"));
    }

    /// What a log of another program has recorded for these networks would be found: their texts are TVM's.
    void keysAreKnown_data() {
        QTest::addColumn<int>("network");
        QTest::newRow("resnet50") << 0;
        QTest::newRow("mobilenet") << 1;
        QTest::newRow("squeezenet") << 2;
    }
    void keysAreKnown() {
        QFETCH(int, network);
        const FunctionPtr function = network == 0 ? onnxResNet50() : network == 1 ? mobileNet() : squeezeNet();
        std::set<std::string> texts;
        for (const NetworkTask &task : networkTasks(*function, partitionFunction(*function, FusionMode::Compatible))) {
            if (!task.searchable || !texts.insert(task.dag->text(DagTextMode::Simple)).second) continue;
            const auto found = m_resolver.resolve(task.key);
            QVERIFY2(found.ok(), (task.name + ": " + task.dag->text(DagTextMode::Simple)).c_str());
            QCOMPARE((*found)->dag->key(), task.key);
        }
    }

  private:
    const Resolver m_resolver;
};

LOOPSCOPE_TEST(NetworkTasksTest)
#include "network_tasks_test.moc"
