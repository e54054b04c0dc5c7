// Better fusion confirmed by times: what is joined was timed both ways, what is taken apart is no more one kernel, and
// the network computes the same.

#include "deploy/network/build.h"
#include "deploy/network/fusion_choice.h"
#include "deploy/network/prepare.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_runner.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/passes/pipeline.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace fusion_choice_test {

namespace {

/// Scale, shift and relu in front of two 1x1 convolutions, of the same sizes.
const char *const kNet = R"(network bottlenecks
func main(x: float32[1, 24, 10, 10]) {
  s = constant float32[1, 24, 1, 1] random normal(seed = 1, deviation = 0.2)
  t = constant float32[1, 24, 1, 1] random normal(seed = 2, deviation = 0.2)
  w1 = constant float32[24, 24, 1, 1] random normal(seed = 3, deviation = 0.2)
  w2 = constant float32[24, 24, 1, 1] random normal(seed = 4, deviation = 0.2)
  scaled = mul(x, s)
  shifted = add(scaled, t)
  active = relu(shifted)
  first = conv(active, w1)
  scaled2 = mul(first, s)
  shifted2 = add(scaled2, t)
  active2 = relu(shifted2)
  second = conv(active2, w2)
  return second
})";

FunctionPtr network() { return *inferTypes(parseNet(kNet, "bottlenecks.net").module.find("main")); }

FusionRequest quick() {
    FusionRequest request;
    request.target = parseTarget("llvm -num-cores=1");
    request.estimate.population = 64;
    request.timing = {.rounds = 1, .runs = 2};
    request.threads = 1;
    return request;
}

size_t running(const Partition &partition) {
    size_t count = 0;
    for (const Kernel &kernel : partition.kernels) count += kernel.runs() ? 1 : 0;
    return count;
}

} // namespace

/// Three convolutions of one value, which better fusion makes one of.
const char *const kBranches = R"(network branches
func main(x: float32[1, 64, 12, 12]) {
  w1 = constant float32[16, 64, 1, 1] random normal(seed = 1, deviation = 0.2)
  w2 = constant float32[24, 64, 1, 1] random normal(seed = 2, deviation = 0.2)
  w3 = constant float32[16, 64, 1, 1] random normal(seed = 3, deviation = 0.2)
  first = conv(x, w1)
  second = conv(x, w2)
  third = conv(x, w3)
  a = relu(first)
  b = relu(second)
  c = relu(third)
  return a, b, c
})";

class FusionChoiceTest : public QObject {
    Q_OBJECT
  private slots:
    void mergedBranchesAreTimedBothWays() {
        const QTemporaryDir folder;
        NetworkChoice choice;
        choice.path = folder.filePath("branches.net").toStdString();
        QFile file(QString::fromStdString(choice.path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kBranches);
        file.close();
        choice.fusion = FusionMode::Better;
        choice.level = usualLevel(choice.fusion);
        const auto convolutions = [](const PreparedNetwork &network) {
            size_t count = 0;
            const GraphFunction &main = network.optimised.main();
            for (size_t n = 0; n < main.nodeCount(); ++n) count += main.node(NodeId(n)).op == "conv" ? 1 : 0;
            return count;
        };
        const PreparedNetwork merged = prepareNetwork(choice);
        QCOMPARE(convolutions(merged), size_t{1});
        QCOMPARE(merged.report.merges.size(), size_t{1});
        QCOMPARE(merged.report.merges.front().branches, (std::vector<std::string>{"first", "second", "third"}));
        choice.confirmed = quick();
        const PreparedNetwork confirmed = prepareNetwork(choice);
        QCOMPARE(confirmed.fusion.size(), size_t{1});
        const FusionTrial &trial = confirmed.fusion.front();
        QVERIFY2(trial.joined > 0 && trial.apart > 0 && trial.branches == 3 && trial.node == "first",
                 trial.text().c_str());
        QCOMPARE(trial.stays, trial.apart >= kWorthApart * trial.joined);
        QCOMPARE(convolutions(confirmed), trial.stays ? size_t{1} : size_t{3});
        QVERIFY2(QString::fromStdString(trial.text()).startsWith("conv 'first' and 2 more of the same value: "),
                 trial.text().c_str());
    }

    /// What is faster apart is left apart.
    void unmergedBranchesStayApart() {
        GraphPassContext context;
        context.level = 3;
        context.options.unmerged = {"first", "second", "third"};
        const PassResult result = optimise(parseNet(kBranches, "branches.net").module, context);
        QVERIFY(result.ok());
        QVERIFY(context.report.merges.empty());
    }

    void whatIsJoinedWasTimedBothWays() {
        const FunctionPtr function = network();
        const auto choice = confirmFusion(*function, quick());
        QVERIFY2(choice.ok(), choice ? "" : choice.why().c_str());
        QVERIFY(!choice->trials.empty());
        size_t joined = 0;
        size_t taken = 0;
        for (const FusionTrial &trial : choice->trials) {
            QVERIFY2(trial.joined > 0 && trial.apart > 0, trial.text().c_str());
            QCOMPARE(trial.node, "first"); // what stands in front of the second goes behind the first
            QCOMPARE(trial.stays, trial.apart >= 0.97 * trial.joined);
            (trial.stays ? joined : taken) += trial.kernels;
        }
        // Each convolution with what stands in front of it is one kernel where it stayed joined, two where not.
        const size_t better = running(partitionFunction(*function, FusionMode::Better));
        QCOMPARE(running(choice->partition), better + taken);
        QVERIFY(joined + taken >= 1);

        const auto plan = buildPlan(*function, choice->partition, quick().target, {.threads = 1});
        QVERIFY2(plan.ok(), plan ? "" : plan.why().c_str());
        PlanRunner runner(plan->plan, {.threads = 1});
        const auto verdict = verifyPlan(*function, runner, seededInputs(*function, InputKind::Uniform, 1));
        QVERIFY(verdict.ok() && verdict->ok());
    }

    void nodesAreKeptApart() {
        const FunctionPtr function = network();
        const Partition better = partitionFunction(*function, FusionMode::Better);
        const NodeId first = function->value(*function->find("first")).producer;
        const Partition apart = partitionFunction(*function, FusionMode::Better, {first});
        QCOMPARE(running(apart), running(better) + 1);
        QCOMPARE(apart.kernels[apart.kernelOf[first.index()]].nodes.front(), first);
    }

    void nothingIsTimedWhereNothingIsJoined() {
        const auto function =
            *inferTypes(parseNet("network r\nfunc main(x: float32[4, 4]) {\n  y = relu(x)\n  return y\n}", "r.net")
                            .module.find("main"));
        const auto choice = confirmFusion(*function, quick());
        QVERIFY(choice.ok() && choice->trials.empty());
        QCOMPARE(choice->partition.kernels.size(), size_t{1});
    }

    void itIsSaid() {
        FusionTrial trial = {"mul_add_relu_conv", "first", 2, 41.2e-6, 39e-6, false};
        QCOMPARE(trial.text(),
                 "mul_add_relu_conv ('first' and 1 more): 41.2 us as one kernel, 39 us apart; taken apart");
        trial = {"conv", "c", 1, 1e-6, 2e-6, true};
        QCOMPARE(trial.text(), "conv ('c'): 1 us as one kernel, 2 us apart; joined");
    }
};

LOOPSCOPE_TEST(FusionChoiceTest)

} // namespace fusion_choice_test
#include "fusion_choice_test.moc"
