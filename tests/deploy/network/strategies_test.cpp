// Strategies of a whole network: what logs know decides, pins go before, and what is built is what was chosen.

#include "deploy/network/build.h"
#include "deploy/network/prepare.h"
#include "deploy/network/strategy_choice.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_runner.h"
#include "language/task/task.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/strategy/usual_strategies.h"
#include "records/record/record.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace strategies_test {

namespace {

constexpr const char *kTwo = R"(network two
func main(x: float32[1, 8, 12, 12]) {
  w1 = constant float32[8, 8, 3, 3] random normal(seed = 1, deviation = 0.2)
  b1 = constant float32[8] random normal(seed = 2, deviation = 0.1)
  w2 = constant float32[4, 8, 3, 3] random normal(seed = 3, deviation = 0.2)
  first = conv(x, w1, b1, pads = [1, 1, 1, 1])
  r = relu(first)
  second = conv(r, w2, strides = [2, 2])
  g = global_average_pool(second)
  return g
}
)";

FunctionPtr typedNet(const char *text) {
    const auto typed = inferTypes(*parseNet(text, "t.net").module.find("main"));
    return typed ? *typed : nullptr;
}

/// A record of that time for every task of the function that sums something.
QByteArray recordsFor(const GraphFunction &function, const Target &target, const std::string &named, double seconds) {
    QByteArray text;
    for (const NetworkTask &task : networkTasks(function, partitionFunction(function, FusionMode::Compatible))) {
        if (!task.searchable || task.name.find(named) == std::string::npos) continue;
        Trial trial;
        trial.seconds = {seconds};
        text += QByteArray::fromStdString(recordLine(makeRecord(makeTask(task.dag, target), trial))) + "\n";
    }
    return text;
}

} // namespace

class NetworkStrategiesTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    FunctionPtr m_function;
    Target m_target = parseTarget("llvm -num-cores=1");
    ThreadPool m_pool{2};

    std::string log(const char *name, const QByteArray &text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return {};
        return file.fileName().toStdString();
    }
    Outcome<NetworkStrategies> decide(const NetworkStrategyOptions &options) {
        return decideStrategies(*m_function, usualStrategies(), strategyTarget(m_target), options, m_pool);
    }
    /// What the nodes called `first` and `second` get.
    std::string chosen(const NetworkStrategyOptions &options) {
        const auto strategies = decide(options);
        if (!strategies) return strategies.why();
        std::string text;
        for (const Decision &decision : strategies->decisions)
            if (decision.op == "conv") text += (text.empty() ? "" : " ") + decision.chosen;
        return text;
    }
    /// With the first convolution in Winograd's form of that name.
    FunctionPtr pinned(const std::string &name) {
        NetworkStrategyOptions options;
        options.pins = {{"first", name}};
        const auto strategies = decide(options);
        if (!strategies) return nullptr;
        const auto written = withStrategies(*m_function, *strategies, m_pool);
        return written ? *written : nullptr;
    }

  private slots:
    void initTestCase() {
        m_function = typedNet(kTwo);
        QVERIFY(m_function != nullptr);
    }

    void recordsDecide() {
        const char *const w2 = "conv2d_nchw_winograd2.x86";
        const std::string direct = log("direct.json", recordsFor(*m_function, m_target, "conv", 1e-3));
        const FunctionPtr winograd = pinned(w2);
        QVERIFY(winograd != nullptr);
        const std::string fast = log("fast.json", recordsFor(*winograd, m_target, "winograd", 0.5e-3));
        const std::string slow = log("slow.json", recordsFor(*winograd, m_target, "winograd", 2e-3));
        NetworkStrategyOptions options;
        options.measuredOn = m_target;
        QCOMPARE(chosen(options), std::string("conv2d_nchw.x86 conv2d_nchw.x86"));
        options.logs = {direct, fast};
        QCOMPARE(chosen(options), std::string(w2) + " conv2d_nchw.x86");
        const auto strategies = decide(options);
        const Decision &first = strategies->decisions.front();
        QCOMPARE(first.because.substr(0, 16), std::string("0.5 ms by record"));
        QVERIFY(first.because.ends_with("is the least of 2 measured"));
        QCOMPARE(first.find("conv2d_nchw.x86")->why, std::string("1 ms is 2 times as long as with ") + w2);
        QCOMPARE(first.find("conv2d_nchw_winograd4.x86")->why,
                 std::string("nobody measured it, and times go before levels"));
        options.logs = {direct, slow};
        QCOMPARE(chosen(options), std::string("conv2d_nchw.x86 conv2d_nchw.x86"));
        options.logs = {slow}; // any time goes before any level
        QCOMPARE(chosen(options), std::string(w2) + " conv2d_nchw.x86");
        options.settings.measured = false;
        QCOMPARE(chosen(options), std::string("conv2d_nchw.x86 conv2d_nchw.x86"));
        options.settings.measured = true;
        options.settings.worst = AccuracyClass::Exact;
        QCOMPARE(chosen(options), std::string("conv2d_nchw.x86 conv2d_nchw.x86"));
        options.settings.worst = AccuracyClass::Winograd4;
        options.pins = {{"first", "conv2d_nchw.x86"}};
        QCOMPARE(chosen(options), std::string("conv2d_nchw.x86 conv2d_nchw.x86"));
        options.pins.clear();
        options.measuredOn = parseTarget("llvm -mcpu=skylake -num-cores=1"); // times of another machine
        QCOMPARE(chosen(options), std::string("conv2d_nchw.x86 conv2d_nchw.x86"));
    }

    void whatWasChosenIsBuiltAndRight_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("tile 2") << "conv2d_nchw_winograd2.x86";
        QTest::newRow("tile 4") << "conv2d_nchw_winograd4.x86";
    }
    void whatWasChosenIsBuiltAndRight() {
        QFETCH(QString, name);
        const FunctionPtr function = pinned(name.toStdString());
        QVERIFY(function != nullptr);
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(partition.kernels.front().name, std::string("winograd_conv_relu"));
        QCOMPARE(partition.kernels.size(), partitionFunction(*m_function, FusionMode::Compatible).kernels.size());
        const auto built = buildPlan(*function, partition, m_target);
        QVERIFY2(built.ok(), built.ok() ? "" : built.why().c_str());
        PlanRunner runner(built->plan, {.threads = 1});
        const std::vector<HostTensor> inputs = seededInputs(*function, InputKind::Uniform, 4);
        const auto verified = verifyPlan(*function, runner, inputs);
        QVERIFY(verified.ok() && verified->ok());
        // Kernels in Winograd's form are allowed more than others, small tiles less than large ones.
        const double factor = verified->calls.front().tolerance / VerifyPlanOptions().tolerance;
        const bool small = name.contains("winograd2");
        QCOMPARE(factor, small ? VerifyPlanOptions().winograd2Factor : VerifyPlanOptions().winogradFactor);
        // Against the network as it was, which knows nothing of Winograd.
        const auto results = verifyResults(*m_function, runner, inputs);
        QVERIFY(results.ok() && results->ok());
        QVERIFY(results->calls.front().tolerance > 10 * VerifyPlanOptions().tolerance);
    }

    /// A wrong weight is seen in spite of the larger tolerance.
    void aWrongTransformIsFound() {
        const FunctionPtr function = pinned("conv2d_nchw_winograd4.x86");
        QVERIFY(function != nullptr);
        FunctionBuilder builder("main");
        FunctionCopy copy(*function, builder);
        const Node &node = function->node(NodeId(0));
        const HostTensor &right = *function->constant(node.inputs[1]);
        HostTensor u = HostTensor::zeros(right.dtype(), right.dims());
        double largest = 0;
        for (int64_t i = 0; i < u.elements(); ++i) {
            u.setNumber(i, right.number(i));
            largest = std::max(largest, std::abs(right.number(i)));
        }
        u.setNumber(0, u.number(0) + 0.05 * largest);
        copy.map(node.inputs[1], builder.addConstant("u", u));
        for (size_t n = 0; n < function->nodeCount(); ++n) copy.copyNode(NodeId(n));
        copy.copyResults();
        const FunctionPtr wrong = std::move(builder).finish();
        const auto built = buildPlan(*wrong, partitionFunction(*wrong, FusionMode::Compatible), m_target);
        QVERIFY(built.ok());
        PlanRunner runner(built->plan, {.threads = 1});
        const auto verified = verifyPlan(*m_function, runner, seededInputs(*m_function, InputKind::Uniform, 4));
        QVERIFY(verified.ok());
        QVERIFY(!verified->ok());
    }

    void symbolicDims() {
        const FunctionPtr function = typedNet(R"(network s
func main(x: float32[n, 16]) {
  w = constant float32[8, 16] random normal(seed = 1)
  y = dense(x, w)
  z = relu(y)
  return z
}
)");
        QVERIFY(function != nullptr);
        const auto strategies = decideStrategies(*function, usualStrategies(), strategyTarget("llvm"), {}, m_pool);
        QVERIFY(strategies.ok());
        QCOMPARE(strategies->decisions.size(), size_t{2});
        QCOMPARE(strategies->decisions[0].dispatchText(), std::string("n > 16: dense_for_large_m; else: dense_common"));
    }

    void refusals() {
        NetworkStrategyOptions options;
        options.pins = {{"frist", "conv2d_nchw.x86"}};
        QCOMPARE(chosen(options), std::string("'frist' is pinned to conv2d_nchw.x86, and the optimised network has no "
                                              "such node; did you mean 'first'?"));
        options.pins = {{"second", "conv2d_nchw_winograd4.x86"}};
        QCOMPARE(chosen(options),
                 std::string("conv 'second' cannot be pinned to conv2d_nchw_winograd4.x86: not offered: "
                             "it needs stride_h == 1 (stride_h = 2), stride_w == 1 (stride_w = 2)"));
        NetworkStrategies library;
        Decision decision;
        decision.node = "first";
        decision.chosen = "conv.onednn";
        Implementation of;
        of.name = "conv.onednn";
        of.schedule = ScheduleKind::Library;
        decision.specialisations = {{"always", {}, Truth::True, {{of, OfferState::Valid, {}, {}}}}};
        library.decisions = {decision};
        const auto written = withStrategies(*m_function, library, m_pool);
        QVERIFY(!written.ok());
        QCOMPARE(written.why(),
                 std::string("conv 'first' is to be computed by conv.onednn, a library's function, which "
                             "Loopscope does not call; pin another implementation"));
    }
};

LOOPSCOPE_TEST(NetworkStrategiesTest)

} // namespace strategies_test
#include "strategies_test.moc"
