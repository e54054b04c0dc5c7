// Layouts of a whole network: what an assignment costs at least, that every operator computes the same in each layout
// it takes, what is chosen for which costs, and that what is built is what was chosen.

#include "base/random.h"
#include "deploy/network/assignment_solver.h"
#include "deploy/network/build.h"
#include "deploy/network/layout_choice.h"
#include "deploy/network/prepare.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_runner.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"
#include "networks/passes/assign_layouts.h"
#include "networks/passes/pass_report.h"
#include "records/record/record.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

constexpr const char *kResidual = R"(network residual
func main(x: float32[1, 8, 12, 10]) {
  w1 = constant float32[16, 8, 3, 3] random normal(seed = 1, deviation = 0.2)
  w2 = constant float32[16, 16, 3, 3] random normal(seed = 2, deviation = 0.1)
  b2 = constant float32[16, 1, 1] random normal(seed = 3, deviation = 0.1)
  first = conv(x, w1, pads = [1, 1, 1, 1])
  r = relu(first)
  p = max_pool(r, kernel = [2, 2], strides = [2, 2])
  second = conv(p, w2, pads = [1, 1, 1, 1])
  biased = add(second, b2)
  sum = add(biased, p)
  y = relu(sum)
  g = global_average_pool(y)
  flat = flatten(g)
  return flat
}
)";

FunctionPtr typedNet(const std::string &text) {
    const auto typed = inferTypes(*parseNet(text, "t.net").module.find("main"));
    if (!typed) throw Error(typed.why());
    return *typed;
}

FunctionPtr written(const FunctionPtr &function, const LayoutTable &table) {
    ThreadPool pool(1);
    PassReport report;
    auto result = withLayouts(function, table, pool, report);
    if (!result) throw Error(result.why());
    return std::move(result).value();
}

int transformsIn(const GraphFunction &function) {
    int count = 0;
    for (size_t n = 0; n < function.nodeCount(); ++n) count += isLayoutTransform(function.node(NodeId(n))) ? 1 : 0;
    return count;
}

/// What the results of the two differ by at most, relative to the largest element.
double difference(const GraphFunction &a, const GraphFunction &b, uint64_t seed) {
    const std::vector<HostTensor> inputs = seededInputs(a, InputKind::Uniform, seed);
    const auto left = runReference(a, inputs);
    const auto right = runReference(b, inputs);
    if (!left) throw Error(left.why());
    if (!right) throw Error(right.why());
    double worst = 0;
    for (size_t i = 0; i < a.results().size(); ++i) {
        const WideTensor &one = left->at(a.results()[i]);
        const WideTensor &other = right->at(b.results()[i]);
        if (one.dims != other.dims) return std::numeric_limits<double>::infinity();
        double largest = 1e-30;
        for (const double number : one.floats) largest = std::max(largest, std::abs(number));
        for (size_t k = 0; k < one.floats.size(); ++k)
            worst = std::max(worst, std::abs(one.floats[k] - other.floats[k]) / largest);
        if (one.integers != other.integers) return std::numeric_limits<double>::infinity();
    }
    return worst;
}

Target targetHere() { return parseTarget("llvm -num-cores=2"); }

NetworkLayoutRequest quickRequest() {
    NetworkLayoutRequest request;
    request.target = targetHere();
    request.estimate = {.seed = 1, .population = 24, .generations = 1, .keep = 2};
    return request;
}

/// Records for all tasks of the function written for one layout, of so many seconds for each operation.
QByteArray recordsFor(const FunctionPtr &function, DataLayout layout, double secondsEach) {
    const FunctionPtr laid = written(function, uniformLayouts(*function, layout));
    QByteArray text;
    for (const NetworkTask &task : networkTasks(*laid, partitionFunction(*laid, FusionMode::Compatible))) {
        if (!task.searchable) continue;
        Trial trial;
        trial.seconds = {secondsEach * task.flops};
        text += QByteArray::fromStdString(recordLine(makeRecord(makeTask(task.dag, targetHere()), trial))) + "\n";
    }
    return text;
}

/// A network of some nodes that take any layout, with branches that meet again.
FunctionPtr drawnNetwork(uint64_t seed) {
    Random random(11, seed);
    FunctionBuilder b("main");
    const auto ints = [](std::initializer_list<int64_t> values) { return std::vector<int64_t>(values); };
    const auto numbers = [&](const std::string &name, const std::vector<int64_t> &dims) {
        std::vector<float> values(static_cast<size_t>(elementCount(dims)));
        for (float &value : values) value = static_cast<float>(random.uniform()) - 0.5F;
        return b.addConstant(name, floatTensor(dims, values));
    };
    std::vector<ValueId> values = {b.addParameter("x", {DType::Float32, asDims({2, 4, 5, 6})})};
    const auto drawn = [&] { return values[random.index(values.size())]; };
    const int nodes = 6 + static_cast<int>(random.below(8));
    for (int n = 0; n < nodes; ++n) {
        const std::string name = "n" + std::to_string(n);
        switch (random.below(8)) {
        case 0:
        case 1: {
            const int64_t group = random.below(2) == 0 ? 1 : 4;
            values.push_back(b.add("conv", name,
                                   {drawn(), numbers("w" + name, {4, 4 / group, 3, 1}), numbers("b" + name, {4})},
                                   {{"pads", ints({1, 0, 1, 0})}, {"group", group}}));
            break;
        }
        case 2:
            values.push_back(b.add("relu", name, {drawn()}));
            break;
        case 3:
            values.push_back(b.add("add", name, {drawn(), drawn()}));
            break;
        case 4:
            values.push_back(b.add("mul", name, {drawn(), numbers("c" + name, {4, 1, 1})}));
            break;
        case 5:
            values.push_back(
                b.add("max_pool", name, {drawn()}, {{"kernel", ints({3, 3})}, {"pads", ints({1, 1, 1, 1})}}));
            break;
        case 6:
            values.push_back(
                b.add("softmax", name, {drawn()}, {{"axis", int64_t{1 - 4 * static_cast<int64_t>(random.below(2))}}}));
            break;
        default: {
            const ValueId joined = b.add("concat", name, {drawn(), drawn()}, {{"axis", int64_t{1}}});
            values.push_back(b.add("conv", name + "c", {joined, numbers("w" + name, {4, 8, 1, 1})}));
        }
        }
    }
    for (size_t i = values.size() - std::min<size_t>(3, values.size() - 1); i < values.size(); ++i)
        b.addResult(values[i]);
    const auto typed = inferTypes(std::move(b).finish());
    if (!typed) throw Error(typed.why());
    return *typed;
}

AssignmentProblem drawnProblem(uint64_t seed) {
    Random random(3, seed);
    AssignmentProblem problem;
    const size_t count = 2 + random.index(8);
    const auto cost = [&] {
        return random.below(12) == 0 ? std::numeric_limits<double>::infinity() : std::floor(random.uniform() * 20);
    };
    for (size_t v = 0; v < count; ++v) {
        std::vector<double> &costs = problem.costs.emplace_back();
        const size_t states = 1 + random.index(4);
        for (size_t i = 0; i < states; ++i) costs.push_back(std::floor(random.uniform() * 20));
    }
    const size_t pairs = random.index(3 * count);
    for (size_t p = 0; p < pairs; ++p) {
        AssignmentProblem::Pair pair;
        pair.a = random.index(count);
        pair.b = random.index(count);
        if (pair.a == pair.b) continue;
        for (size_t i = 0; i < problem.costs[pair.a].size() * problem.costs[pair.b].size(); ++i)
            pair.costs.push_back(cost());
        problem.pairs.push_back(pair);
    }
    return problem;
}

double minCost(const AssignmentProblem &problem) {
    std::vector<size_t> states(problem.costs.size(), 0);
    double least = std::numeric_limits<double>::infinity();
    for (;;) {
        least = std::min(least, assignmentCost(problem, states));
        size_t v = 0;
        while (v < states.size() && ++states[v] == problem.costs[v].size()) states[v++] = 0;
        if (v == states.size()) return least;
    }
}

} // namespace

class NetworkLayoutsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::string file(const char *name, const QByteArray &bytes) {
        QFile out(m_folder.filePath(name));
        if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size()) return {};
        return out.fileName().toStdString();
    }

  private slots:
    void anAssignmentCostsTheLeastWhereNothingWasGuessed() {
        int exact = 0;
        int guessed = 0;
        for (uint64_t seed = 0; seed < 600; ++seed) {
            const AssignmentProblem problem = drawnProblem(seed);
            const Assignment found = solveAssignment(problem);
            const double least = minCost(problem);
            QCOMPARE(found.cost, assignmentCost(problem, found.states));
            if (found.heuristic == 0) {
                QVERIFY2(found.cost == least,
                         qPrintable(QString("seed %1: %2, not %3").arg(seed).arg(found.cost).arg(least)));
                ++exact;
            } else {
                QVERIFY(found.cost >= least);
                ++guessed;
            }
        }
        QVERIFY(exact > 200);
        QVERIFY(guessed > 50);
    }

    void aNetworkIsWrittenForALayout() {
        const FunctionPtr function = typedNet(R"(network t
func main(x: float32[1, 2, 4, 4]) {
  w = constant float32[3, 2, 1, 1] 0.5
  c = conv(x, w)
  y = relu(c)
  return y
}
)");
        Module module = {"t", "", {written(function, uniformLayouts(*function, DataLayout::ChannelsLast))}};
        QCOMPARE(QString::fromStdString(netText(module)), QString(R"(network t

func main(x: float32[1, 2, 4, 4]) {
  x.channels_last: float32[1, 4, 4, 2] = transpose(x, permutation = [0, 2, 3, 1]) @ "x.channels_last.transform"
  w.channels_last = constant float32[1, 1, 2, 3] 0.5
  c.channels_last: float32[1, 4, 4, 3] = conv(x.channels_last, w.channels_last, layout = "channels_last") @ "c"
  y.channels_last: float32[1, 4, 4, 3] = relu(c.channels_last) @ "y"
  y: float32[1, 3, 4, 4] = transpose(y.channels_last, permutation = [0, 3, 1, 2]) @ "y.transform"
  return y
}
)"));
    }

    void nothingIsWrittenForChannelsFirst() {
        const FunctionPtr function = typedNet(kResidual);
        QVERIFY(written(function, uniformLayouts(*function, DataLayout::ChannelsFirst)) == function);
    }

    /// In and out again, whatever stands between.
    void transformsStandAtTheEndsAlone() {
        const FunctionPtr function = typedNet(kResidual);
        const FunctionPtr last = written(function, uniformLayouts(*function, DataLayout::ChannelsLast));
        QCOMPARE(transformsIn(*last), 2);
        QCOMPARE(QString::fromStdString(last->node(NodeId(0)).op), QString("transpose"));
        // Behind the global pool nothing moves.
        QVERIFY(last->find("g") && last->node(last->value(*last->find("g")).producer).op == "reshape");
        QVERIFY(last->find("y.channels_last") && !last->find("y"));
    }

    /// What exporters put around convolutions goes away.
    void transposesOfTheFileAreCancelled() {
        const FunctionPtr function = typedNet(R"(network t
func main(x: float32[1, 6, 5, 4]) {
  w = constant float32[3, 4, 3, 3] random normal(seed = 1)
  f = transpose(x, permutation = [0, 3, 1, 2])
  c = conv(f, w)
  l = transpose(c, permutation = [0, 2, 3, 1])
  y = softmax(l)
  return y
}
)");
        Module module = {"t", "", {written(function, uniformLayouts(*function, DataLayout::ChannelsLast))}};
        QCOMPARE(transformsIn(module.main()), 0);
        QVERIFY(difference(*function, module.main(), 1) < 1e-12);
        const FunctionPtr &main = module.functions[0];
        const NodeId conv = main->value(*main->find("c.channels_last")).producer;
        QCOMPARE(main->node(conv).inputs[0], main->parameters()[0]);
        QCOMPARE(main->node(main->value(main->results()[0]).producer).inputs[0], main->node(conv).outputs[0]);
    }

    void operators_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<int>("last"); // nodes with channels last
        const auto row = [](const char *name, const char *lines, int last) { QTest::newRow(name) << lines << last; };
        row("bias of the convolution", "b = constant float32[8] random normal(seed = 2)\n y = conv(x, w, b)", 1);
        row("weights of the caller", "y = conv(x, v)", 1);
        row("depthwise", "d = constant float32[4, 1, 3, 3] random normal(seed = 2)\n y = conv(x, d, group = 4)", 1);
        row("pools",
            "c = conv(x, w)\n a = average_pool(c, kernel = [2, 2], pads = [1, 0, 0, 1])\n y = global_max_pool(a)", 3);
        row("a vector along the last axis",
            "k = constant float32[5] random normal(seed = 2)\n c = conv(x, w)\n y = mul(c, k)", 2);
        row("two broadcast values", "c = conv(x, w)\n g = global_average_pool(c)\n s = sigmoid(g)\n y = mul(c, s)", 4);
        row("a vector of the caller", "c = conv(x, w)\n y = add(c, u)", 2);
        row("one element", "k = constant float32[1] 3.0\n c = conv(x, w)\n y = maximum(c, k)", 2);
        row("softmax over channels", "c = conv(x, w)\n y = softmax(c, axis = 1)", 2);
        row("softmax over rows", "c = conv(x, w)\n y = softmax(c)", 2);
        row("split and concat",
            "c = conv(x, w)\n a, b = split(c, axis = 1, sizes = [3, 5])\n y = concat(b, a, axis = 1)", 3);
        row("mean over the plane", "c = conv(x, w)\n y = reduce_mean(c, axes = [2, 3], keep_dims = 1)", 2);
        row("mean over channels", "c = conv(x, w)\n y = reduce_max(c, axes = [1], keep_dims = 1)", 2);
        row("fewer axes", "c = conv(x, w)\n y = reduce_mean(c, axes = [2, 3], keep_dims = 0)", 1);
        row("resize",
            "c = conv(x, w)\n y = resize(c, scales = [1.0, 1.0, 2.0, 3.0], coordinates = \"asymmetric\", nearest = "
            "\"floor\")",
            2);
        row("leaky relu, clip, cast",
            "c = conv(x, w)\n l = leaky_relu(c, alpha = 0.1)\n k = clip(l, min = 0.0, max = 0.5)\n y = cast(k, to = "
            "\"float64\")",
            4);
        row("where and prelu",
            "k = constant float32[8, 1, 1] random normal(seed = 2)\n c = conv(x, w)\n p = prelu(c, k)\n m = greater(c, "
            "p)\n y = where(m, c, p)",
            4);
        row("order of its own", "c = conv(x, w)\n t = transpose(c, permutation = [0, 1, 3, 2])\n y = relu(t)", 1);
    }
    void operators() {
        QFETCH(QString, lines);
        QFETCH(int, last);
        const FunctionPtr function =
            typedNet("network t\nfunc main(x: float32[1, 4, 6, 7], v: float32[8, 4, 3, 3], u: float32[8, 1, 1]) {\n"
                     " w = constant float32[8, 4, 3, 3] random normal(seed = 1)\n" +
                     lines.toStdString() + "\n return y\n}\n");
        const LayoutTable table = uniformLayouts(*function, DataLayout::ChannelsLast);
        QCOMPARE(static_cast<int>(std::count(table.begin(), table.end(), DataLayout::ChannelsLast)), last);
        const FunctionPtr laid = written(function, table);
        QVERIFY(difference(*function, *laid, 2) < 1e-12);
        BuildOptions options;
        options.defaults = quickRequest().estimate;
        const auto built = buildPlan(*laid, partitionFunction(*laid, FusionMode::Compatible), targetHere(), options);
        QVERIFY2(built, built ? "" : built.why().c_str());
        PlanRunner runner(built->plan, {});
        const auto inputs = seededInputs(*function, InputKind::Uniform, 3);
        const auto kernels = verifyPlan(*laid, runner, inputs);
        QVERIFY2(kernels && kernels->ok(), kernels ? "a kernel is wrong" : kernels.why().c_str());
        const auto results = verifyResults(*function, runner, inputs);
        QVERIFY2(results && results->ok(), results ? "a result is wrong" : results.why().c_str());
    }

    /// Every table of layouts means the same network.
    void anyTableComputesTheSame() {
        int transforms = 0;
        for (uint64_t seed = 0; seed < 60; ++seed) {
            const FunctionPtr function = drawnNetwork(seed);
            Random random(5, seed);
            LayoutTable table;
            for (size_t n = 0; n < function->nodeCount(); ++n)
                table.push_back(layoutRuleOf(*function, function->node(NodeId(n))).takesAny() && random.below(2) == 0
                                    ? DataLayout::ChannelsLast
                                    : DataLayout::ChannelsFirst);
            const FunctionPtr laid = written(function, table);
            transforms += transformsIn(*laid);
            const double wrong = difference(*function, *laid, seed);
            QVERIFY2(wrong < 1e-12, qPrintable(QString("seed %1: %2").arg(seed).arg(wrong)));
            for (size_t i = 0; i < function->results().size(); ++i)
                QCOMPARE(laid->value(laid->results()[i]).name, function->value(function->results()[i]).name);
        }
        QVERIFY(transforms > 60);
    }

    void recordsDecide() {
        const FunctionPtr function = typedNet(kResidual);
        ThreadPool pool(2);
        NetworkLayoutRequest request = quickRequest();
        request.logs = {file("last.json", recordsFor(function, DataLayout::ChannelsFirst, 1e-8) +
                                              recordsFor(function, DataLayout::ChannelsLast, 1e-10))};
        const auto last = decideLayouts(function, request, pool);
        QVERIFY2(last, last ? "" : last.why().c_str());
        QCOMPARE(QString::fromStdString(last->unit), QString("s"));
        QVERIFY(last->cost < last->first);
        for (const LayoutDecision &decision : last->decisions)
            if (decision.op == "conv") {
                QCOMPARE(decision.chosen, DataLayout::ChannelsLast);
                QVERIFY2(decision.offers[1].kernel.source.starts_with("record "),
                         decision.offers[1].kernel.source.c_str());
                QVERIFY(decision.offers[1].cost() < decision.offers[0].cost());
            }
        QVERIFY2(!last->notes.empty() && last->notes.back().find("the median of the") != std::string::npos, "no note");

        request.logs = {file("first.json", recordsFor(function, DataLayout::ChannelsFirst, 1e-10) +
                                               recordsFor(function, DataLayout::ChannelsLast, 1e-8))};
        const auto first = decideLayouts(function, request, pool);
        QVERIFY(first.ok());
        for (const LayoutDecision &decision : first->decisions)
            if (decision.op == "conv") QCOMPARE(decision.chosen, DataLayout::ChannelsFirst);
        QVERIFY(first->transforms.empty() || first->cost < first->first);
    }

    /// The record says of every node what there was, what it costs, and why; the same as JSON.
    void decisionsTellTheirReasons() {
        const FunctionPtr function = typedNet(kResidual);
        ThreadPool pool(2);
        NetworkLayoutRequest request = quickRequest();
        request.timed = true;
        const auto timed = decideLayouts(function, request, pool);
        QVERIFY2(timed, timed ? "" : timed.why().c_str());
        QCOMPARE(timed->decisions.size(), function->nodeCount());
        QVERIFY(timed->cost <= timed->first && timed->first > 0 && timed->last > 0);
        const auto of = [&](const char *node) {
            return *std::find_if(timed->decisions.begin(), timed->decisions.end(),
                                 [&](const LayoutDecision &decision) { return decision.node == node; });
        };
        QVERIFY(of("first").role == LayoutRole::Owning && of("first").offers.size() == 2);
        QVERIFY(of("first").offers[0].kernel.cost > 0 && of("first").offers[1].kernel.cost > 0);
        QCOMPARE(QString::fromStdString(of("first").offers[1].kernel.source), QString("timed, default schedule"));
        QCOMPARE(QString::fromStdString(of("r").because),
                 QString("it is computed in the kernel of 'first', and goes with it"));
        QCOMPARE(QString::fromStdString(of("flat").because),
                 QString("it takes channels_first alone: its result has 2 axes, none of them spatial"));
        const std::string text = timed->text();
        QVERIFY2(text.find("channels_last: ") != std::string::npos && text.ends_with(timed->summary + "\n"),
                 text.c_str());
        const auto json = timed->json();
        QCOMPARE(json["nodes"].size(), function->nodeCount());
        QCOMPARE(json["nodes"][0]["layouts"].size(), size_t{2});
    }

    /// It costs the same in every layout.
    void whatTheHostComputesIsNoReasonToRefuse() {
        const FunctionPtr function = typedNet("network t\nfunc main(x: float32[1, 4, 6, 6]) {\n"
                                              "  v, i = topk(x, k = 3)\n  y = relu(v)\n  return y\n}\n");
        ThreadPool pool(1);
        for (const bool timed : {false, true}) {
            NetworkLayoutRequest request = quickRequest();
            request.timed = timed;
            const auto chosen = decideLayouts(function, request, pool);
            QVERIFY2(chosen, chosen ? "" : chosen.why().c_str());
            QCOMPARE(chosen->decisions.size(), size_t{2});
        }
    }

    void whatIsAskedForIsDone() {
        const FunctionPtr function = typedNet(kResidual);
        ThreadPool pool(1);
        NetworkLayoutRequest request = quickRequest();
        request.everywhere = DataLayout::ChannelsLast;
        const auto asked = decideLayouts(function, request, pool);
        QVERIFY(asked.ok());
        QCOMPARE(QString::fromStdString(asked->summary), QString("8 of 9 nodes have channels_last, as was asked for"));
        QCOMPARE(QString::fromStdString(asked->decisions[0].because), QString("it was asked for"));
        QVERIFY(asked->json()["cost"].is_null());
    }

    void refusals() {
        const FunctionPtr function = typedNet(kResidual);
        ThreadPool pool(1);
        PassReport report;
        LayoutTable table(3, DataLayout::ChannelsLast);
        QCOMPARE(QString::fromStdString(withLayouts(function, table, pool, report).why()),
                 QString("there are layouts for 3 nodes, the network has 9"));
        table.assign(9, DataLayout::ChannelsFirst);
        table[8] = DataLayout::ChannelsLast;
        QCOMPARE(QString::fromStdString(withLayouts(function, table, pool, report).why()),
                 QString("flatten 'flat' is to be computed with channels_last, and takes channels_first alone: its "
                         "result has 2 axes, none of them spatial"));
        QVERIFY(report.events.empty());
    }
};

LOOPSCOPE_TEST(NetworkLayoutsTest)
#include "layouts_test.moc"
