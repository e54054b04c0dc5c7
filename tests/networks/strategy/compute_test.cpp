// Every implementation computes what its operator means: the node written as the implementation has it is evaluated in
// double precision beside the node as it stood, and its DAG is interpreted beside that.

#include "one_node.h"

#include "base/random.h"
#include "networks/op/reference.h"
#include "networks/strategy/choose.h"
#include "networks/strategy/quantities.h"
#include "networks/strategy/rewrite.h"
#include "networks/strategy/usual_strategies.h"
#include "test_program.h"

#include <cmath>
#include <fmt/format.h>

using namespace loopscope;

namespace {

using Ints = std::vector<int64_t>;

HostTensor drawnTensor(const std::vector<int64_t> &dims, uint64_t seed) {
    Random random(seed, 0);
    HostTensor tensor = HostTensor::zeros(DType::Float32, dims);
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.setNumber(i, 2 * random.uniform() - 1);
    return tensor;
}
GivenInput weight(const std::vector<int64_t> &dims) { return {{}, drawnTensor(dims, 5), {}}; }

std::string differenceOfResults(const GraphFunction &a, const GraphFunction &b, double tolerance) {
    std::vector<HostTensor> inputs;
    for (const ValueId parameter : a.parameters())
        inputs.push_back(drawnTensor(*constantDims(a.type(parameter).dims), 9 + inputs.size()));
    const auto left = runReference(a, inputs, {.threads = 2});
    const auto right = runReference(b, inputs, {.threads = 2});
    if (!left || !right) return left ? right.why() : left.why();
    const WideTensor &x = left->at(a.results()[0]);
    const WideTensor &y = right->at(b.results()[0]);
    if (x.dims != y.dims) return "other dims";
    double largest = 0;
    double difference = 0;
    for (size_t i = 0; i < x.floats.size(); ++i) {
        largest = std::max(largest, std::fabs(x.floats[i]));
        difference = std::max(difference, std::fabs(x.floats[i] - y.floats[i]));
    }
    return difference <= tolerance * largest ? "" : fmt::format("{} of {} is too much", difference, largest);
}

/// Names of the implementations that were computed, and what is wrong.
struct Computed {
    std::string names;
    std::string wrong;
};

Computed computeAll(const std::string &op, const std::vector<GivenInput> &inputs, Attributes attributes = {}) {
    const FunctionPtr function = functionOfNode(op, inputs, std::move(attributes));
    if (!function) return {{}, "no types"};
    const auto decision = chooseImplementation(usualStrategies(), strategyTarget("llvm"),
                                               subjectOf(*function, function->node(NodeId(0))));
    if (!decision) return {{}, decision.why()};
    Computed computed;
    ThreadPool pool(2);
    for (const JudgedSpecialisation &one : decision->specialisations)
        for (const JudgedImplementation &candidate : one.candidates) {
            if (candidate.state != OfferState::Valid) continue;
            const Implementation &of = candidate.implementation;
            computed.names += (computed.names.empty() ? "" : " ") + of.name;
            const auto written = rewriteNodes(*function, {{NodeId(0), of.rewrite}}, WeightFolding::Compute, pool);
            if (!written) return {computed.names, of.name + ": " + written.why()};
            // Only what is rounded on the way may differ: folded weights.
            std::string wrong = differenceOfResults(*function, **written, of.rewrite == nullptr ? 0 : 1e-6);
            if (wrong.empty()) wrong = referenceDifference(*written, 3);
            if (!wrong.empty()) return {computed.names, of.name + ": " + wrong};
            const auto shapes = rewriteNodes(*function, {{NodeId(0), of.rewrite}}, WeightFolding::ShapesOnly, pool);
            if (!shapes || (*shapes)->nodeCount() != (*written)->nodeCount()) return {computed.names, "other nodes"};
        }
    return computed;
}

} // namespace

#define COMPUTES(expected, ...)                                                                                        \
    do {                                                                                                               \
        const Computed computed = computeAll(__VA_ARGS__);                                                             \
        QVERIFY2(computed.wrong.empty(), computed.wrong.c_str());                                                      \
        QCOMPARE(computed.names, std::string(expected));                                                               \
    } while (false)

class StrategyComputeTest : public QObject {
    Q_OBJECT
  private slots:
    void convolutions() {
        const char *const all = "conv2d_nchw.x86 conv2d_nchw_winograd4.x86 conv2d_nchw_winograd2.x86";
        COMPUTES(all, "conv", {floats({1, 3, 8, 8}), weight({4, 3, 3, 3})}, {{"pads", Ints{1, 1, 1, 1}}});
        COMPUTES(all, "conv", {floats({2, 2, 7, 9}), weight({3, 2, 3, 3}), weight({3})});
        COMPUTES(all, "conv", {floats({1, 5, 14, 14}), weight({6, 5, 3, 3}), floats({6})},
                 {{"pads", Ints{0, 1, 1, 2}}});
        COMPUTES("conv2d_nchw.x86", "conv", {floats({1, 3, 8, 8}), floats({4, 3, 3, 3})}); // weights that change
        COMPUTES("conv2d_nchw.x86", "conv", {floats({1, 3, 8, 8}), weight({4, 3, 3, 3})}, {{"strides", Ints{2, 1}}});
        COMPUTES("conv2d_nchw.x86", "conv", {floats({1, 3, 8, 8}), weight({4, 3, 1, 1})});
        COMPUTES("conv_ncs.x86", "conv", {floats({1, 3, 8}), weight({4, 3, 3})});
        COMPUTES("depthwise_conv2d_nchw.x86", "conv", {floats({1, 4, 6, 6}), weight({4, 1, 3, 3})},
                 {{"group", int64_t{4}}});
        COMPUTES("group_conv2d_nchw.x86", "conv", {floats({1, 4, 6, 6}), weight({8, 1, 3, 3})},
                 {{"group", int64_t{4}}});
        COMPUTES("group_conv2d_nchw.x86", "conv", {floats({1, 4, 6, 6}), weight({6, 2, 3, 3})},
                 {{"group", int64_t{2}}});
    }

    void products() {
        COMPUTES("dense_common", "dense", {floats({8, 12}), weight({5, 12})});
        COMPUTES("dense_common dense_for_large_m", "dense", {floats({17, 12}), weight({5, 12})});
        COMPUTES("dense_common dense_for_large_m", "dense", {floats({33, 7}), floats({16, 7})});
        COMPUTES("matmul.x86", "matmul", {floats({4, 7}), weight({7, 5})});
        COMPUTES("gemm.x86", "gemm", {floats({4, 7}), weight({5, 7}), floats({5})}, {{"trans_b", int64_t{1}}});
    }

    void readyMade() {
        COMPUTES("pool.cpu", "max_pool", {floats({1, 2, 7, 7})}, {{"kernel", Ints{3, 3}}, {"strides", Ints{2, 2}}});
        COMPUTES("pool.cpu", "average_pool", {floats({1, 2, 8, 9})}, {{"kernel", Ints{2, 3}}});
        COMPUTES("pool.cpu", "global_average_pool", {floats({2, 3, 7, 5})});
        COMPUTES("softmax.x86", "softmax", {floats({3, 11})});
        COMPUTES("softmax.x86", "softmax", {floats({2, 3, 5})}, {{"axis", int64_t{1}}});
        COMPUTES("reduce.cpu", "reduce_sum", {floats({3, 5, 7})}, {{"axes", Ints{1}}});
        COMPUTES("reduce.cpu", "reduce_max", {floats({3, 5})});
        COMPUTES("injective.cpu", "relu", {floats({3, 5})});
        COMPUTES("injective.cpu", "add", {floats({3, 5}), floats({5})});
        COMPUTES("injective.cpu", "transpose", {floats({3, 5})});
    }

    /// Vector 24: the weights that a GPU's Winograd is given beforehand.
    void planesOfWeights() {
        for (const auto &[height, planes] : {std::pair{28, 4}, {56, 6}}) {
            const FunctionPtr function = functionOfNode(
                "conv",
                {floats({1, 128, height, height}), {{}, HostTensor::splat(DType::Float32, {128, 128, 3, 3}, 1)}},
                {{"pads", Ints{1, 1, 1, 1}}});
            const auto decision = chooseImplementation(usualStrategies(), strategyTarget("cuda"),
                                                       subjectOf(*function, function->node(NodeId(0))));
            QVERIFY(decision.ok());
            QCOMPARE(decision->chosen, std::string("conv2d_nchw_winograd.cuda"));
            ThreadPool pool(1);
            const auto written =
                rewriteNodes(*function, {{NodeId(0), decision->find(decision->chosen)->implementation.rewrite}},
                             WeightFolding::ShapesOnly, pool);
            QVERIFY(written.ok());
            const Node &node = (*written)->node(NodeId(0));
            QCOMPARE(node.op, std::string("winograd_conv"));
            QCOMPARE((*written)->type(node.inputs[1]).dims, asDims({planes, planes, 128, 128}));
            QVERIFY((*written)->isConstant(node.inputs[1]));
            // Nothing is left of the weights as they were.
            for (size_t v = 0; v < (*written)->valueCount(); ++v) QVERIFY((*written)->value(ValueId(v)).name != "x1");
            QCOMPARE((*written)->value((*written)->results()[0]).name, std::string("y0"));
        }
    }

    /// Weights that nobody knows beforehand are transformed by a node.
    void weightsThatChange() {
        const FunctionPtr function = functionOfNode("conv", {floats({1, 3, 8, 8}), floats({4, 3, 3, 3})});
        ThreadPool pool(1);
        const auto written = rewriteNodes(*function, {{NodeId(0), asWinograd2}}, WeightFolding::Compute, pool);
        QVERIFY(written.ok());
        QCOMPARE((*written)->nodeCount(), size_t{2});
        QCOMPARE((*written)->node(NodeId(0)).op, std::string("winograd_weight"));
        const std::string wrong = differenceOfResults(*function, **written, 1e-12);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void symbolicDims() {
        const FunctionPtr function = functionOfNode(
            "dense", {{TensorType{DType::Float32, {Dim::symbol("n") * 2, 12}}, {}, {}}, weight({5, 12})});
        const auto decision = chooseImplementation(usualStrategies(), strategyTarget("llvm"),
                                                   subjectOf(*function, function->node(NodeId(0))));
        QVERIFY(decision.ok());
        QCOMPARE(decision->dispatchText(), std::string("2*n > 16: dense_for_large_m; else: dense_common"));
    }

    void refusals() {
        const FunctionPtr function = functionOfNode("conv", {floats({1, 3, 8, 8}), weight({4, 3, 1, 1})});
        ThreadPool pool(1);
        const auto written = rewriteNodes(*function, {{NodeId(0), asWinograd4}}, WeightFolding::Compute, pool);
        QVERIFY(!written.ok());
        QCOMPARE(written.why(),
                 std::string("winograd_weight 'conv.u': w [4, 3, 1, 1] is a kernel of 1 x 1, it has to be "
                             "3 x 3"));
    }
};

LOOPSCOPE_TEST(StrategyComputeTest)
#include "compute_test.moc"
