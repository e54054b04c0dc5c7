// Networks in better mode against the same in compatible mode: the same bits where no sum is in another order.
#include "base/random.h"
#include "deploy/network/build.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "language/target/cpu_features.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <cstring>

using namespace loopscope;

namespace {

BuiltPlan build(const GraphFunction &function, FusionMode mode) {
    BuildOptions options;
    options.defaults = {.seed = 1, .population = 16, .generations = 1, .keep = 2};
    auto built = buildPlan(function, partitionFunction(function, mode), parseTarget("llvm -num-cores=2"), options);
    if (!built) throw Error(built.why());
    return std::move(built).value();
}

size_t running(const ExecutionPlan &plan) {
    return static_cast<size_t>(std::count_if(plan.calls.begin(), plan.calls.end(),
                                             [](const PlanCall &call) { return call.action == KernelAction::Run; }));
}

/// Concats of everything that was made so far: pieces that are read again, that are joined before, twice, or results.
/// Operators are exactly rounded: those that are not (exp) differ in a bit between vectors and what is left of them.
FunctionPtr randomNetwork(uint64_t seed) {
    Random random(seed, 0);
    const auto below = [&](size_t count) { return random.index(count); };
    FunctionBuilder b("random");
    const int64_t batch = below(4) == 0 ? 2 : 1;
    std::vector<ValueId> values = {b.addParameter("x", {DType::Float32, asDims({batch, 4, 4, 4})})};
    std::vector<int64_t> channels = {4};
    for (int i = 0; i < 12; ++i) {
        const std::string name = "v" + std::to_string(i);
        const size_t a = below(values.size());
        const size_t c = below(values.size());
        switch (below(5)) {
        case 0:
            values.push_back(b.add("relu", name, {values[a]}));
            channels.push_back(channels[a]);
            break;
        case 1:
            values.push_back(b.add("sqrt", name, {b.add("abs", name + "n", {b.add("relu", name + "r", {values[a]})})}));
            channels.push_back(channels[a]);
            break;
        case 2:
            values.push_back(b.add("max_pool", name, {values[a]},
                                   {{"kernel", std::vector<int64_t>{1, 1}}, {"strides", std::vector<int64_t>{1, 1}}}));
            channels.push_back(channels[a]);
            break;
        default:
            if (channels[a] + channels[c] > 64) break;
            values.push_back(b.add("concat", name, {values[a], values[c]}, {{"axis", int64_t{1}}}));
            channels.push_back(channels[a] + channels[c]);
        }
    }
    b.addResult(b.add("neg", "last", {values.back()}));
    if (below(2) == 0) b.addResult(values[values.size() / 2]);
    return inferTypes(std::move(b).finish()).value();
}

} // namespace

class BetterFusionTest : public QObject {
    Q_OBJECT

  private slots:
    /// Each join is a prefix of the next one, as in DenseNet: one buffer, nothing copied.
    void nestedJoinsShareOneBuffer() {
        FunctionBuilder b("nested");
        const ValueId x = b.addParameter("x", {DType::Float32, asDims({1, 16, 4, 4})});
        const auto pool = [&](const char *name, ValueId of) {
            return b.add("max_pool", name, {of},
                         {{"kernel", std::vector<int64_t>{1, 1}}, {"strides", std::vector<int64_t>{1, 1}}});
        };
        const ValueId p = pool("p", x);
        const ValueId q = pool("q", p);
        const ValueId first = b.add("concat", "first", {p, q}, {{"axis", int64_t{1}}});
        const ValueId r = pool("r", first);
        const ValueId second = b.add("concat", "second", {first, r}, {{"axis", int64_t{1}}});
        b.addResult(pool("y", second));
        const auto function = inferTypes(std::move(b).finish()).value();
        const BuiltPlan built = build(*function, FusionMode::Better);
        QCOMPARE(running(built.plan), size_t{4});
        const auto at = [&](const char *name) {
            const auto &values = built.plan.values;
            return std::find_if(values.begin(), values.end(), [&](const PlanValue &v) { return v.name == name; })
                ->offset;
        };
        QCOMPARE(at("q"), at("p") + 1024);
        QCOMPARE(at("first"), at("p"));
        QCOMPARE(at("r"), at("p") + 2048);
        QCOMPARE(at("second"), at("p"));
        QCOMPARE(built.plan.arenaBytes, size_t{4096});
        PlanRunner runner(built.plan, {.threads = 1});
        const auto verified = verifyPlan(*function, runner, seededInputs(*function, InputKind::Uniform, 3));
        QVERIFY(verified.ok() && verified->ok());
    }

    void randomNetworksGiveTheSameBits() {
        size_t joined = 0;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            const auto function = randomNetwork(seed);
            const auto inputs = seededInputs(*function, InputKind::Uniform, seed);
            const BuiltPlan plans[] = {build(*function, FusionMode::Compatible), build(*function, FusionMode::Better)};
            joined += running(plans[1].plan) < running(plans[0].plan) ? 1 : 0;
            QVERIFY(static_cast<double>(plans[1].plan.arenaBytes) <=
                    1.05 * static_cast<double>(plans[1].plan.livePeak));
            PlanRunner compatible(plans[0].plan, {.threads = 1});
            PlanRunner better(plans[1].plan, {.threads = 1});
            for (PlanRunner *runner : {&compatible, &better}) {
                runner->setInput(0, inputs[0]);
                runner->run();
            }
            for (size_t i = 0; i < function->results().size(); ++i) {
                const HostTensor expected = compatible.output(i);
                const HostTensor computed = better.output(i);
                QVERIFY2(std::memcmp(expected.bytes(), computed.bytes(), expected.byteSize()) == 0,
                         qPrintable(QString("seed %1, result %2").arg(seed).arg(i)));
            }
            const auto verified = verifyPlan(*function, better, inputs);
            QVERIFY(verified.ok() && verified->ok());
        }
        QVERIFY2(joined >= 5, qPrintable(QString::number(joined)));
    }
};

LOOPSCOPE_TEST(BetterFusionTest)
#include "better_fusion_test.moc"
