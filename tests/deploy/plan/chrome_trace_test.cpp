// Traces: ours are read as written, ONNX Runtime's are read, both are laid side by side.
#include "base/outcome.h"
#include "copying_plan.h"
#include "deploy/plan/chrome_trace.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

PlanProfile profile() {
    PlanProfile profile;
    profile.network = "net";
    profile.threads = 2;
    const auto call = [](const char *node, const char *op, std::vector<int64_t> dims, double seconds) {
        CallProfile call;
        call.name = op;
        call.nodes = {node};
        call.outputs = {std::move(dims)};
        call.time = summaryOf({seconds});
        return call;
    };
    profile.calls = {call("conv1", "conv_relu", {1, 8, 4, 4}, 0.25), call("pool", "max_pool", {1, 8, 2, 2}, 0.125),
                     call("extra", "identity", {3}, 0.5), call("fc", "dense", {1, 10}, 0.0625)};
    profile.whole = summaryOf({1});
    return profile;
}

constexpr const char *kForeign = R"([
{"cat":"Session","name":"model_run","dur":900,"ts":1,"ph":"X"},
{"cat":"Node","name":"Conv_0_kernel_time","dur":100,"ts":2,"ph":"X","args":{"op_name":"Conv","node_index":"0","output_type_shape":[{"float":[1,8,4,4]}]}},
{"cat":"Node","name":"Conv_0_fence_after","dur":7,"ts":3,"ph":"X"},
{"cat":"Node","name":"Relu_1_kernel_time","dur":20,"ts":4,"ph":"X","args":{"op_name":"Relu","node_index":"1","output_type_shape":[{"float":[1,8,4,4]}]}},
{"cat":"Node","name":"MaxPool_2_kernel_time","dur":30,"ts":5,"ph":"X","args":{"op_name":"MaxPool","node_index":"2","output_type_shape":[{"float":[1,8,2,2]}]}},
{"cat":"Node","name":"Gemm_3_kernel_time","dur":10,"ts":6,"ph":"X","args":{"op_name":"Gemm","node_index":"3","output_type_shape":[{"float":[1,10]}]}},
{"cat":"Node","name":"Conv_0_kernel_time","dur":300,"ts":7,"ph":"X","args":{"op_name":"Conv","node_index":"0","output_type_shape":[{"float":[1,8,4,4]}]}}
])";

QString alignment(const std::vector<TracedKernel> &ours, const std::vector<TracedKernel> &theirs) {
    QString text;
    for (const auto &[a, b] : alignTraces(ours, theirs))
        text += QString::fromStdString((a ? ours[*a].name : "-") + "=" + (b ? theirs[*b].name : "-") + " ");
    return text.trimmed();
}

} // namespace

class ChromeTraceTest : public QObject {
    Q_OBJECT

  private slots:
    void summaries() {
        const TimeSummary summary = summaryOf({5, 1, 3, 2, 4});
        QCOMPARE(summary.least, 1.0);
        QCOMPARE(summary.lower, 2.0);
        QCOMPARE(summary.median, 3.0);
        QCOMPARE(summary.upper, 4.0);
        QCOMPARE(summaryOf({}).samples, size_t{0});
        QCOMPARE(profile().sumOfCalls(), 0.9375);
        QCOMPARE(profile().overhead(), 0.0625);
    }

    void oursAreReadAsWritten() {
        const auto kernels = readTrace(chromeTrace(profile()), "t");
        const auto direct = tracedKernels(profile());
        QCOMPARE(kernels.size(), direct.size());
        for (size_t i = 0; i < direct.size(); ++i) {
            QCOMPARE(kernels[i].name, direct[i].name);
            QCOMPARE(kernels[i].op, direct[i].op);
            QCOMPARE(kernels[i].outputs, direct[i].outputs);
            QCOMPARE(kernels[i].time.median, direct[i].time.median);
        }
    }

    void thoseOfOnnxRuntimeAreRead() {
        const auto kernels = readTrace(kForeign, "t");
        QCOMPARE(kernels.size(), size_t{4});
        QCOMPARE(kernels[0].name, std::string("Conv_0"));
        QCOMPARE(kernels[0].op, std::string("Conv"));
        QCOMPARE(kernels[0].time.samples, size_t{2});
        QCOMPARE(kernels[0].time.least, 100e-6);
        QCOMPARE(kernels[3].outputs, (std::vector<std::vector<int64_t>>{{1, 10}}));
    }

    void bothAreLaidSideBySide() {
        const auto theirs = readTrace(kForeign, "t");
        QCOMPARE(alignment(tracedKernels(profile()), theirs),
                 QString("conv1=Conv_0 -=Relu_1 pool=MaxPool_2 extra=- fc=Gemm_3"));
        QCOMPARE(alignment({}, theirs), QString("-=Conv_0 -=Relu_1 -=MaxPool_2 -=Gemm_3"));
    }

    void plansAreProfiled() {
        const ExecutionPlan plan = copyingPlan();
        PlanRunner runner(plan);
        const PlanProfile profile = profilePlan(runner, {.warmups = 1, .runs = 3});
        QCOMPARE(profile.calls.size(), plan.calls.size());
        QCOMPARE(profile.whole.samples, size_t{3});
        QCOMPARE(profile.calls[0].time.samples, size_t{3});
        QVERIFY(profile.whole.least > 0);
        QCOMPARE(profile.calls[0].bytesIn, size_t{24});
        QCOMPARE(profile.calls[0].bytesOut, size_t{24});
        QCOMPARE(profile.calls[3].weightBytes, size_t{4000});
        QCOMPARE(profile.calls[1].sources, std::vector<std::string>{"imported y"});
    }

    void whatIsNoTraceIsRefused() {
        for (const char *text : {"", "{", "7", "{\"traceEvents\": 3}", "[]", "{\"traceEvents\": [{\"cat\": \"x\"}]}"})
            QVERIFY_THROWS_EXCEPTION(Error, readTrace(text, "t"));
    }
};

LOOPSCOPE_TEST(ChromeTraceTest)
#include "chrome_trace_test.moc"
