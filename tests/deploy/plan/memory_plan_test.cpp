// Where the values of a function lie: aliases share, results lie outside, outputs take the place of inputs that die.
#include "deploy/plan/memory_plan.h"
#include "deploy/plan/overwritten_inputs.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

/// Every node a kernel of its own, except where `joined` says how many of the next are one.
Partition apart(const GraphFunction &function, const std::vector<size_t> &joined = {}) {
    Partition partition;
    partition.kernelOf.resize(function.nodeCount());
    const auto readers = function.readers();
    for (size_t n = 0; n < function.nodeCount();) {
        const size_t k = partition.kernels.size();
        const size_t count = k < joined.size() ? joined[k] : 1;
        Kernel kernel;
        for (size_t i = n; i < n + count; ++i) {
            const Node &node = function.node(NodeId(i));
            kernel.name += node.op;
            kernel.nodes.emplace_back(i);
            partition.kernelOf[i] = k;
            for (size_t at = 0; at < node.inputs.size(); ++at) {
                if (node.op == "reshape" && at == 1) continue;
                const NodeId producer = function.value(node.inputs[at]).producer;
                const bool inside = producer.value >= 0 && producer.index() >= n;
                if (!inside) kernel.inputs.push_back(node.inputs[at]);
            }
            kernel.alias = node.op == "reshape" || node.op == "flatten";
        }
        kernel.outputs = function.node(NodeId(n + count - 1)).outputs;
        partition.kernels.push_back(std::move(kernel));
        n += count;
    }
    return partition;
}

FunctionPtr typed(FunctionBuilder builder) { return inferTypes(std::move(builder).finish()).value(); }

const ValueStorage &storageOf(const GraphFunction &function, const MemoryPlan &plan, const char *name) {
    return *plan.find(*function.find(name));
}

} // namespace

class MemoryPlanTest : public QObject {
    Q_OBJECT

  private slots:
    void aChain() {
        FunctionBuilder b("chain");
        ValueId value = b.addParameter("x", {DType::Float32, asDims({16, 16})});
        for (const char *name : {"a", "b", "c", "d"}) value = b.add("transpose", name, {value});
        b.addResult(value);
        const auto function = typed(std::move(b));
        const auto plan = planMemory(*function, apart(*function));
        QVERIFY(plan.ok());
        QCOMPARE(plan->livePeak, size_t{2 * 1024});
        QCOMPARE(plan->arenaBytes, size_t{2 * 1024});
        QCOMPARE(plan->withoutReuse, size_t{3 * 1024});
        QVERIFY(storageOf(*function, *plan, "x").kind == StorageKind::Input);
        QVERIFY(storageOf(*function, *plan, "d").kind == StorageKind::Output);
        QCOMPARE(storageOf(*function, *plan, "a").offset, storageOf(*function, *plan, "c").offset);
        QCOMPARE(storageOf(*function, *plan, "b").first, size_t{1});
        QCOMPARE(storageOf(*function, *plan, "b").last, size_t{2});
    }

    void elementwiseOutputsTakeThePlaceOfTheirInput() {
        FunctionBuilder b("inPlace");
        const ValueId x = b.addParameter("x", {DType::Float32, asDims({16, 16})});
        const ValueId t = b.add("transpose", "t", {x});
        const ValueId r = b.add("relu", "r", {t});
        const ValueId e = b.add("exp", "e", {r});
        b.addResult(b.add("transpose", "y", {e}));
        const auto function = typed(std::move(b));
        const auto plan = planMemory(*function, apart(*function));
        QVERIFY(plan.ok());
        QCOMPARE(plan->arenaBytes, size_t{1024});
        QVERIFY(storageOf(*function, *plan, "e").sharesWith == *function->find("r"));
        const auto without = planMemory(*function, apart(*function), {.inPlace = false});
        QCOMPARE(without->arenaBytes, size_t{2048});
        QVERIFY(storageOf(*function, *without, "e").sharesWith.value < 0);
    }

    /// An input that somebody reads later stays; so does one that is read at other places.
    void inputsThatAreMissedAreNotOverwritten() {
        FunctionBuilder b("missed");
        const ValueId x = b.addParameter("x", {DType::Float32, asDims({16, 16})});
        const ValueId t = b.add("transpose", "t", {x});
        const ValueId r = b.add("relu", "r", {t});
        const ValueId u = b.add("transpose", "u", {t});
        b.addResult(b.add("matmul", "y", {r, u}));
        const auto function = typed(std::move(b));
        const auto plan = planMemory(*function, apart(*function), {.reorder = false});
        QVERIFY(plan.ok());
        QVERIFY(storageOf(*function, *plan, "r").offset != storageOf(*function, *plan, "t").offset);

        // relu(matmul(t, w) + r): r is read for the element that is written, t is not.
        FunctionBuilder c("residual");
        const ValueId z = c.addParameter("z", {DType::Float32, asDims({16, 16})});
        const ValueId left = c.add("transpose", "left", {z});
        const ValueId right = c.add("transpose", "right", {left});
        const ValueId product = c.add("matmul", "product", {left, z});
        const ValueId sum = c.add("add", "sum", {product, right});
        const ValueId out = c.add("relu", "out", {sum});
        c.addResult(c.add("transpose", "end", {out}));
        const auto residual = typed(std::move(c));
        const Partition partition = apart(*residual, {1, 1, 3, 1});
        const auto overwritable = overwritableInputs(*residual, partition.kernels[2]);
        QCOMPARE(overwritable.size(), size_t{1});
        QVERIFY(overwritable[0] == *residual->find("right"));
        const auto planned = planMemory(*residual, partition);
        QCOMPARE(planned->arenaBytes, size_t{2048});
        QVERIFY(storageOf(*residual, *planned, "out").sharesWith == *residual->find("right"));
    }

    void aliasesShareAndResultsAreCopiedWhereTheyMust() {
        FunctionBuilder b("aliases");
        const ValueId x = b.addParameter("x", {DType::Float32, asDims({4, 16})});
        const ValueId t = b.add("transpose", "t", {x});
        const ValueId flat = b.add("flatten", "flat", {t});
        const ValueId y = b.add("exp", "y", {flat});
        const ValueId xf = b.add("flatten", "xf", {x});
        b.addResult(b.add("flatten", "yf", {y}));
        b.addResult(xf); // a parameter with other dims: copied
        b.addResult(x);  // a parameter
        b.addResult(y);  // shares the first result's elements, in a place of its own
        const auto function = typed(std::move(b));
        const Partition partition = apart(*function);
        const auto plan = planMemory(*function, partition);
        QVERIFY(plan.ok());
        QCOMPARE(storageOf(*function, *plan, "flat").offset, storageOf(*function, *plan, "t").offset);
        QVERIFY(plan->actions[1] == KernelAction::Nothing);
        QVERIFY(plan->actions[3] == KernelAction::Copy);
        QVERIFY(plan->actions[4] == KernelAction::Copy);
        QCOMPARE(plan->copiedResults, (std::vector<size_t>{2}));
        QVERIFY(storageOf(*function, *plan, "y").kind == StorageKind::Output);
        QCOMPARE(storageOf(*function, *plan, "y").index, size_t{3});
        QCOMPARE(plan->arenaBytes, size_t{256});
    }

    void symbolicDimsAreRefused() {
        FunctionBuilder b("symbolic");
        const ValueId x = b.addParameter("x", {DType::Float32, {Dim::symbol("n"), 4}});
        b.addResult(b.add("relu", "y", {x}));
        const auto function = typed(std::move(b));
        const auto plan = planMemory(*function, apart(*function));
        QVERIFY(!plan.ok());
        QCOMPARE(plan.why(),
                 std::string("memory cannot be planned: `x` has dims [n, 4]; every dim has to be a number"));
    }
};

LOOPSCOPE_TEST(MemoryPlanTest)
#include "memory_plan_test.moc"
