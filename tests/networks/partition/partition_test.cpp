// Which nodes become one kernel: TVM's rules on small graphs, with the reasons for what stays apart.

#include "networks/op/infer_types.h"
#include "networks/partition/partition.h"
#include "sample_networks.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>

using namespace loopscope;

namespace {

std::string namesOf(const Partition &partition) {
    std::string text;
    for (const Kernel &kernel : partition.kernels) text += (text.empty() ? "" : " | ") + kernel.name;
    return text;
}

std::string kernelsOf(NetworkBuilder &&network, std::string *reasons = nullptr) {
    const FunctionPtr function = std::move(network).finish();
    const Partition partition = partitionFunction(*function, FusionMode::Compatible);
    if (reasons)
        for (const CutEdge &cut : partition.cuts)
            *reasons += function->node(cut.producer).name + " -> " + function->node(cut.consumer).name + ": " +
                        cut.reason + "\n";
    return namesOf(partition);
}

} // namespace

class PartitionTest : public QObject {
    Q_OBJECT

  private slots:
    void convWithBiasAndRelu() {
        NetworkBuilder n;
        n.result(n.relu(n.bias(n.conv(n.parameter("x", {1, 3, 8, 8}), 3, 4, 3), 4)));
        const FunctionPtr function = std::move(n).finish();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(namesOf(partition), std::string("conv_bias_add_relu"));
        const Kernel &kernel = partition.kernels[0];
        QCOMPARE(kernel.inputs.size(), size_t{3}); // data, weight, bias
        QCOMPARE(function->value(kernel.inputs[0]).name, std::string("x"));
        QVERIFY(function->isConstant(kernel.inputs[1]) && function->isConstant(kernel.inputs[2]));
        QCOMPARE(kernel.outputs, function->results());
        QCOMPARE(function->node(kernel.anchor).op, std::string("conv"));
        QVERIFY(!kernel.alias);
        QVERIFY(partition.cuts.empty());
    }

    void theFirstOfTwoConvolutionsTakesTheirSum() {
        NetworkBuilder n;
        const ValueId x = n.parameter("x", {1, 3, 8, 8});
        const ValueId a = n.conv(x, 3, 4, 3);
        const ValueId b = n.conv(x, 3, 4, 3);
        n.result(n.relu(n.add("add", {a, b})));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("conv | conv_add_relu"));
        QCOMPARE(reasons, std::string("conv3 -> add4: two anchors: conv 'conv3' and conv 'conv1'\n"));
    }

    void inputsAreNumberedAsTvmDoes() {
        NetworkBuilder n;
        const ValueId x = n.parameter("x", {1, 3, 8, 8});
        const ValueId y = n.parameter("y", {1, 4, 8, 8});
        n.result(n.add("add", {y, n.conv(x, 3, 4, 3)}));
        const FunctionPtr function = std::move(n).finish();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(namesOf(partition), std::string("conv_add"));
        QCOMPARE(function->value(partition.kernels[0].inputs[0]).name, std::string("y"));
        QCOMPARE(function->value(partition.kernels[0].inputs[1]).name, std::string("x"));
    }

    void poolAndFlattenStayApart() {
        NetworkBuilder n;
        n.result(n.add("flatten", {n.add("global_average_pool", {n.parameter("x", {1, 3, 8, 8})})}));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("global_average_pool | flatten"));
        QCOMPARE(reasons, std::string("global_average_pool0 -> flatten1: global_average_pool 'global_average_pool0' "
                                      "takes only elementwise operators that keep its shape behind it; flatten "
                                      "'flatten1' moves elements\n"));
    }

    void aReductionBeginsNoFusion() {
        NetworkBuilder n;
        n.result(n.add("sqrt", {n.add("reduce_sum", {n.relu(n.parameter("x", {4, 8}))})}));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("relu_reduce_sum | sqrt"));
        QVERIFY2(reasons.find("a reduction begins no fusion") != std::string::npos, reasons.c_str());
    }

    void concatTakesWhatItJoins() {
        NetworkBuilder n;
        const ValueId a = n.relu(n.parameter("x", {4, 8}));
        const ValueId b = n.add("exp", {n.parameter("z", {4, 8})});
        n.result(n.relu(n.add("concat", {a, b}, {{"axis", int64_t{1}}})));
        QCOMPARE(kernelsOf(std::move(n)), std::string("relu_exp_concat_relu"));
    }

    void concatOfConvolutionsCopies() {
        NetworkBuilder n;
        const ValueId x = n.parameter("x", {1, 3, 8, 8});
        const ValueId a = n.relu(n.conv(x, 3, 4, 3));
        const ValueId b = n.relu(n.conv(x, 3, 4, 1));
        n.result(n.add("concat", {a, b}, {{"axis", int64_t{1}}}));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("conv_relu | conv_relu | concat"));
        QVERIFY2(reasons.find("concat 'concat6' moves elements") != std::string::npos ||
                     reasons.find("takes a list of tensors") != std::string::npos,
                 reasons.c_str());
    }

    void denseAndSoftmax() {
        NetworkBuilder n;
        n.result(n.add("softmax", {n.denseWithBias(n.parameter("x", {1, 8}), 8, 5)}));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("dense_bias_add | softmax"));
        QCOMPARE(reasons, std::string("bias_add3 -> softmax4: two anchors: dense 'dense1' and softmax 'softmax4'\n"));
    }

    void whatFeedsTwoConvolutionsIsComputedOnce() {
        NetworkBuilder n;
        const ValueId x = n.parameter("x", {1, 3, 8, 8});
        const ValueId active = n.relu(n.add("mul", {x, n.weight({3, 1, 1})}));
        n.result(n.conv(active, 3, 4, 3));
        n.result(n.conv(active, 3, 4, 1));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("mul_relu | conv | conv"));
        QVERIFY2(reasons.find("2 nodes read it, and their results do not meet again") != std::string::npos,
                 reasons.c_str());
    }

    void resultsAndOpaqueNodesStayApart() {
        NetworkBuilder n;
        const ValueId a = n.relu(n.parameter("x", {1, 5, 2, 2}));
        n.result(a);
        const ValueId b = n.add("lrn", {n.add("exp", {a})}, {{"size", int64_t{3}}});
        n.result(n.relu(b));
        std::string reasons;
        QCOMPARE(kernelsOf(std::move(n), &reasons), std::string("relu | exp | lrn | relu"));
        QVERIFY2(reasons.find("is a result of the function") != std::string::npos, reasons.c_str());
        QVERIFY2(reasons.find("is always computed alone") != std::string::npos, reasons.c_str());
    }

    void partsOfASplit() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, asDims({2, 6})});
        const NodeId split = builder.addNode(
            {"cut", "split", {x}, {}, {{"axis", int64_t{1}}, {"sizes", std::vector<int64_t>{3, 3}}}, {}}, {"a", "b"});
        const std::vector<ValueId> parts = builder.soFar().node(split).outputs;
        const ValueId relu = builder.add("relu", "relu", {parts[0]});
        builder.addResult(builder.add("add", "sum", {relu, parts[1]}));
        const FunctionPtr function = *inferTypes(std::move(builder).finish());
        QCOMPARE(namesOf(partitionFunction(*function, FusionMode::Compatible)), std::string("split_relu_add"));
    }

    void scalarsStayInside() {
        NetworkBuilder n;
        const ValueId x = n.parameter("x", {4, 8});
        n.result(n.add("add", {n.add("mul", {x, n.scalar(2)}), n.weight({1})}));
        const FunctionPtr function = std::move(n).finish();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(namesOf(partition), std::string("mul_add"));
        QCOMPARE(partition.kernels[0].inputs.size(), size_t{2});
    }

    void reshapesAreAliases() {
        NetworkBuilder n;
        const ValueId x = n.reshape(n.parameter("x", {4, 8}), {2, 16});
        n.result(n.add("softmax", {x}));
        const FunctionPtr function = std::move(n).finish();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(namesOf(partition), std::string("reshape | softmax"));
        QVERIFY(partition.kernels[0].alias);
        QVERIFY(!partition.kernels[1].alias);
        QCOMPARE(partition.kernels[0].inputs.size(), size_t{1}); // not the shape
        QVERIFY(partition.kernels[0].anchor.value < 0);
    }

    void aKernelHasAtMost256Nodes() {
        NetworkBuilder n;
        ValueId x = n.parameter("x", {4});
        for (int i = 0; i < 600; ++i) x = n.relu(x);
        n.result(x);
        const FunctionPtr function = std::move(n).finish();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(partition.kernels.size(), size_t{3});
        for (const Kernel &kernel : partition.kernels) QVERIFY(kernel.nodes.size() <= 256);
        QCOMPARE(partition.cuts[0].reason, std::string("a kernel has at most 256 nodes"));
    }

    void longChainsDoNotOverflow() {
        FunctionBuilder builder("main");
        ValueId x = builder.addParameter("x", {DType::Float32, asDims({4})});
        for (int i = 0; i < 200000; ++i) {
            x = builder.add("relu", "r" + std::to_string(i), {x});
            builder.setType(x, TensorType{DType::Float32, asDims({4})});
        }
        builder.addResult(x);
        const FunctionPtr function = std::move(builder).finish();
        const Partition partition = partitionFunction(*function, FusionMode::Compatible);
        QCOMPARE(partition.kernels.size(), size_t{200000 / 256 + 1});
    }

    /// What better joins: scale, shift and relu in front of a convolution of single elements, and nothing else.
    void prologuesOfPointwiseConvolutions() {
        const auto kernels = [](FusionMode mode, int64_t kernel, bool readTwice) {
            NetworkBuilder n;
            const ValueId active = n.scaleShiftRelu(n.parameter("x", {1, 3, 8, 8}), 3);
            n.result(n.relu(n.bias(n.conv(active, 3, 4, kernel), 4)));
            if (readTwice) n.result(n.pool("max_pool", active, 2, 2));
            return namesOf(partitionFunction(*std::move(n).finish(), mode));
        };
        QCOMPARE(kernels(FusionMode::Compatible, 1, false), std::string("mul_add_relu | conv_bias_add_relu"));
        QCOMPARE(kernels(FusionMode::Better, 1, false), std::string("mul_add_relu_conv_bias_add_relu"));
        QCOMPARE(kernels(FusionMode::Better, 3, false), std::string("mul_add_relu | conv_bias_add_relu"));
        QCOMPARE(kernels(FusionMode::Better, 1, true), std::string("mul_add_relu | conv_bias_add_relu | max_pool"));
        QCOMPARE(partitionFunction(*denseNet121(), FusionMode::Better).kernels.size(), size_t{184});
        QCOMPARE(partitionFunction(*onnxResNet50(), FusionMode::Better).kernels.size(), size_t{58});
    }

    /// Shuffles of channels become indices of the depthwise convolution that reads them; what they cannot be stays.
    void shufflesOfDepthwiseConvolutions() {
        const auto kernels = [](FusionMode mode, int64_t group, bool readTwice, bool moved = true) {
            NetworkBuilder n;
            const ValueId x = n.conv(n.parameter("x", {1, 3, 8, 8}), 3, 8, 1);
            ValueId shuffled = n.reshape(x, {1, 2, 4, 8, 8});
            if (moved)
                shuffled = n.add("transpose", {shuffled}, {{"permutation", std::vector<int64_t>{0, 2, 1, 3, 4}}});
            shuffled = n.reshape(shuffled, {1, 8, 8, 8});
            n.result(n.conv(shuffled, 8, 8, 3, 1, group));
            if (readTwice) n.result(n.pool("max_pool", shuffled, 2, 2));
            return namesOf(partitionFunction(*std::move(n).finish(), mode));
        };
        QCOMPARE(kernels(FusionMode::Compatible, 8, false), std::string("conv | reshape_transpose_reshape | conv"));
        QCOMPARE(kernels(FusionMode::Better, 8, false), std::string("conv | reshape_transpose_reshape_conv"));
        QCOMPARE(kernels(FusionMode::Better, 1, false), std::string("conv | reshape_transpose_reshape | conv"));
        QCOMPARE(kernels(FusionMode::Better, 8, true),
                 std::string("conv | reshape_transpose_reshape | conv | max_pool"));
        QCOMPARE(kernels(FusionMode::Better, 8, false, false), std::string("conv | reshape_reshape | conv"));
    }

    /// Concats whose inputs can lie in their output, and the sentence of each that cannot.
    void concatsThatCopyNothing() {
        const auto why = [](auto &&inputs, int64_t batch = 1, int64_t axis = 1) {
            NetworkBuilder n;
            const ValueId x = n.parameter("x", {batch, 16, 8, 8});
            n.result(n.pool("max_pool", n.add("concat", inputs(n, x), {{"axis", axis}}), 2, 2));
            const auto partition = partitionFunction(*std::move(n).finish(), FusionMode::Better);
            for (const Kernel &kernel : partition.kernels) {
                if (kernel.joins) return std::string("joins");
                if (!kernel.whyCopied.empty()) return kernel.whyCopied;
            }
            return std::string("no concat");
        };
        const auto pools = [](NetworkBuilder &n, ValueId x) {
            return std::vector<ValueId>{n.pool("max_pool", x, 1, 1), n.pool("average_pool", x, 1, 1)};
        };
        const auto ends = [](const std::string &text, const char *end) {
            return QString::fromStdString(text).endsWith(QString(end));
        };
        QCOMPARE(why(pools), std::string("joins"));
        QCOMPARE(why(pools, 1, -3), std::string("joins"));
        QCOMPARE(why(pools, 2, 0), std::string("joins"));
        QVERIFY(ends(why(pools, 2), "a dim before its axis is not 1"));
        QVERIFY(
            ends(why([](NetworkBuilder &n, ValueId x) { return std::vector<ValueId>{n.pool("max_pool", x, 1, 1), x}; }),
                 "is not made by the network: it lies elsewhere"));
        QVERIFY(ends(why([](NetworkBuilder &n, ValueId x) {
                         const ValueId once = n.pool("max_pool", x, 1, 1);
                         return std::vector<ValueId>{once, once};
                     }),
                     "is joined twice"));
        QVERIFY(ends(why([](NetworkBuilder &n, ValueId x) {
                         const ValueId seen = n.pool("max_pool", x, 1, 1);
                         n.result(seen);
                         return std::vector<ValueId>{seen, n.pool("average_pool", x, 1, 1)};
                     }),
                     "is a result, whose memory is the caller's"));
        QVERIFY(ends(why([](NetworkBuilder &n, ValueId x) {
                         const ValueId odd = n.pool("max_pool", n.conv(x, 16, 3, 1), 2, 1);
                         const ValueId other = n.pool("max_pool", n.conv(x, 16, 2, 1), 2, 1);
                         return std::vector<ValueId>{odd, other};
                     }),
                     "would begin at byte 588; kernels want multiples of 64"));
        // Among them the last of each of the four blocks, which TVM's rules put together with its one reader.
        const auto dense = partitionFunction(*denseNet121(), FusionMode::Better);
        QCOMPARE(std::count_if(dense.kernels.begin(), dense.kernels.end(), [](const Kernel &k) { return k.joins; }),
                 std::ptrdiff_t{58});
        QCOMPARE(std::count_if(dense.kernels.begin(), dense.kernels.end(), [](const Kernel &k) { return k.runs(); }),
                 std::ptrdiff_t{126});
        // One that would be copied all the same stays with its reader: its input would be joined twice.
        NetworkBuilder n;
        const ValueId twice = n.pool("max_pool", n.parameter("x", {1, 16, 8, 8}), 1, 1);
        n.result(n.relu(n.add("concat", {twice, twice}, {{"axis", int64_t{1}}})));
        QCOMPARE(namesOf(partitionFunction(*std::move(n).finish(), FusionMode::Better)),
                 std::string("max_pool | concat_relu"));
        const auto compatible = partitionFunction(*denseNet121(), FusionMode::Compatible);
        QVERIFY(std::none_of(compatible.kernels.begin(), compatible.kernels.end(),
                             [](const Kernel &k) { return k.joins; }));
        for (const CutEdge &cut : dense.cuts) QVERIFY(!cut.reason.empty());
    }

    void namesOfModes() {
        QCOMPARE(fusionModeFromName("compatible"), std::optional(FusionMode::Compatible));
        QCOMPARE(fusionModeFromName("better"), std::optional(FusionMode::Better));
        QVERIFY(!fusionModeFromName("best"));
    }
};

LOOPSCOPE_TEST(PartitionTest)
#include "partition_test.moc"
