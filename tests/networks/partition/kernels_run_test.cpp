// Networks kernel by kernel: each kernel's DAG makes of its inputs what the reference does, in both modes, and reads
// nothing that is not made before.

#include "base/random.h"
#include "networks/op/operator.h"
#include "networks/op_compute/kernel_dag.h"
#include "networks/partition/partition.h"
#include "reference_difference.h"
#include "sample_networks.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace loopscope;

namespace {

std::string kernelDifference(const GraphFunction &function, FusionMode mode, uint64_t seed) {
    const Partition partition = partitionFunction(function, mode);
    const std::map<int, WideTensor> values = referenceValues(function, seed);
    std::set<int> made;
    for (const Kernel &kernel : partition.kernels) {
        for (const ValueId input : kernel.inputs)
            if (function.value(input).producer.value >= 0 && !made.contains(input.value))
                return kernel.name + " reads what no kernel before it makes";
        for (const ValueId output : kernel.outputs) made.insert(output.value);
        const auto dag = computeDagOf(function, kernel.nodes, kernel.inputs, kernel.outputs, kernel.name);
        if (!dag) return dag.why();
        const std::string wrong = differenceFrom(values, function, **dag, kernel.inputs, kernel.outputs);
        if (!wrong.empty()) return kernel.name + ": " + wrong;
    }
    for (const ValueId result : function.results())
        if (!made.contains(result.value)) return function.value(result).name + " is a result that nothing makes";
    return {};
}

/// Images through operators that branch and meet again.
FunctionPtr drawnNetwork(uint64_t seed) {
    Random random(11, seed);
    NetworkBuilder n;
    std::vector<ValueId> made = {n.parameter("x", {1, 4, 6, 6})};
    const auto any = [&] { return made[made.size() - 1 - random.index(std::min<size_t>(made.size(), 4))]; };
    const auto weight = [&](std::vector<int64_t> dims) {
        return n.parameter("p" + std::to_string(made.size()) + "_" + std::to_string(dims.size()), std::move(dims));
    };
    for (int step = 0; step < 14; ++step) {
        const ValueId x = any();
        switch (random.index(10)) {
        case 0:
        case 1: {
            const int64_t size = random.index(2) == 0 ? 1 : 3;
            const int64_t pad = size / 2;
            made.push_back(
                n.add("conv", {x, weight({4, 4, size, size})}, {{"pads", std::vector<int64_t>{pad, pad, pad, pad}}}));
            break;
        }
        case 2:
            made.push_back(n.relu(x));
            break;
        case 3:
            made.push_back(n.add("add", {x, weight({4, 1, 1})}));
            break;
        case 4:
            made.push_back(n.add("mul", {x, any()}));
            break;
        case 5:
            made.push_back(n.add("tanh", {n.add("mul", {x, n.scalar(0.5)})}));
            break;
        case 6:
            made.push_back(n.add("transpose", {x}, {{"permutation", std::vector<int64_t>{0, 1, 3, 2}}}));
            break;
        case 7:
            made.push_back(n.add("softmax", {x}, {{"axis", int64_t{1}}}));
            break;
        case 8: {
            const ValueId both = n.add("concat", {n.relu(x), any()}, {{"axis", int64_t{1}}});
            made.push_back(n.add("conv", {both, weight({4, 8, 1, 1})}));
            break;
        }
        default:
            made.push_back(n.add("sub", {x, n.add("reduce_mean", {any()}, {{"axes", std::vector<int64_t>{2, 3}}})}));
            break;
        }
    }
    n.result(n.reshape(made.back(), {4, 36}));
    if (random.index(2) == 0) n.result(any());
    return std::move(n).finish();
}

} // namespace

class KernelsRunTest : public QObject {
    Q_OBJECT

  private slots:
    void drawnNetworks() {
        for (uint64_t seed = 0; seed < 30; ++seed) {
            const FunctionPtr function = drawnNetwork(seed);
            for (const FusionMode mode : {FusionMode::Compatible, FusionMode::Better}) {
                const std::string wrong = kernelDifference(*function, mode, seed);
                QVERIFY2(wrong.empty(), qPrintable(QString("%1 %2: %3")
                                                       .arg(seed)
                                                       .arg(QString::fromUtf8(fusionModeName(mode).data()))
                                                       .arg(QString::fromStdString(wrong))));
            }
        }
    }

    /// As the rules promise: one anchor of kind OutputFusable at most, one output where the nodes have one each.
    void kernelsHaveOneAnchor() {
        for (const FunctionPtr &function : {onnxResNet50(), squeezeNet(), denseNet121(), drawnNetwork(1)})
            for (const FusionMode mode : {FusionMode::Compatible, FusionMode::Better})
                for (const Kernel &kernel : partitionFunction(*function, mode).kernels) {
                    const auto anchors = std::count_if(kernel.nodes.begin(), kernel.nodes.end(), [&](NodeId id) {
                        return patternOf(*function, function->node(id)) == PatternKind::OutputFusable;
                    });
                    QVERIFY(anchors <= 1);
                    QCOMPARE(kernel.anchor.value >= 0, anchors == 1 || kernel.name.find("reduce") != std::string::npos);
                    QCOMPARE(kernel.outputs.size(), size_t{1});
                    QVERIFY(std::is_sorted(kernel.nodes.begin(), kernel.nodes.end()));
                }
    }
};

LOOPSCOPE_TEST(KernelsRunTest)
#include "kernels_run_test.moc"
