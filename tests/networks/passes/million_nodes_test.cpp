// A chain of a million nodes goes through every pass on a small stack, in seconds.

#include "networks/graph/function_builder.h"
#include "networks/passes/pipeline.h"
#include "test_program.h"

#include <QTest>

#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <pthread.h>

using namespace loopscope;

namespace {

FunctionPtr chainOf(size_t count, const std::vector<std::string> &ops) {
    FunctionBuilder builder("main");
    const TensorType type = {DType::Float32, {Dim(4)}};
    ValueId value = builder.addParameter("x", type);
    for (size_t i = 0; i < count; ++i) {
        const std::string name = fmt::format("r{}", i);
        value = builder.add(ops[i % ops.size()], name, {value}, {}, {name});
        builder.setType(value, type);
    }
    builder.addResult(value);
    return std::move(builder).finish();
}

void onSmallStack(std::function<void()> work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_t thread;
    QCOMPARE(pthread_create(
                 &thread, &attributes,
                 [](void *of) -> void * {
                     (*static_cast<std::function<void()> *>(of))();
                     return nullptr;
                 },
                 &work),
             0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

} // namespace

class MillionNodesTest : public QObject {
    Q_OBJECT

  private slots:
    void aMillionNodes_data() {
        QTest::addColumn<QStringList>("ops");
        QTest::addColumn<int>("left");
        QTest::newRow("relu") << QStringList{"relu"} << 1;
        QTest::newRow("two kinds") << QStringList{"relu", "sigmoid"} << 1000000;
        QTest::newRow("negative") << QStringList{"neg", "neg", "exp", "tanh"} << 500000;
    }
    void aMillionNodes() {
        QFETCH(QStringList, ops);
        QFETCH(int, left);
        std::vector<std::string> names;
        for (const QString &op : ops) names.push_back(op.toStdString());
        const Module module = {"chain", "", {chainOf(1000000, names)}};
        PassResult result;
        GraphPassContext context{.level = 3};
        const std::clock_t start = std::clock();
        onSmallStack([&] { result = optimise(module, context); });
        QVERIFY2(result.ok(), result.ok() ? "" : result.refusal->sentence.c_str());
        QCOMPARE(result.module.main().nodeCount(), static_cast<size_t>(left));
        if (left == 1000000) QCOMPARE(result.module.functions, module.functions);
        if (left == 1) QCOMPARE(result.module.main().node(NodeId(0)).sources.size(), size_t(1000000));
        // Seconds of this process alone: of walks that take a hundred times longer for ten times the nodes it is
        // minutes.
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        qInfo("%s", fmt::format("{:.1f} s\n{}", seconds, context.report.text()).c_str());
        QVERIFY(seconds < 60);
    }
};

LOOPSCOPE_TEST(MillionNodesTest)
#include "million_nodes_test.moc"
