// A small network from function to answer: built, run, verified call by call, written and read again.
#include "deploy/network/build.h"
#include "deploy/network/small_network.h"
#include "deploy/network/verify.h"
#include "deploy/network/verify_draws.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_file.h"
#include "language/target/cpu_features.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace loopscope;

namespace build_test {

namespace {

Target targetHere() { return parseTarget("llvm -num-cores=2"); }

BuildOptions quick() {
    BuildOptions options;
    options.defaults = {.seed = 1, .population = 24, .generations = 1, .keep = 2};
    return options;
}

BuiltPlan build(const GraphFunction &function, const BuildOptions &options = quick()) {
    auto built = buildPlan(function, partitionFunction(function, FusionMode::Compatible), targetHere(), options);
    if (!built) throw Error(built.why());
    return std::move(built).value();
}

QString sentences(const Verification &verification) {
    QString text;
    for (const CallVerdict &call : verification.calls)
        if (!call.ok) text += QString::fromStdString(call.sentence) + "\n";
    return text;
}

/// Mean 0 and variance 1 in each row; by sums of x and x * x, or as it is defined.
FunctionPtr normalisedRows(DType type, bool onePass) {
    FunctionBuilder b("rows");
    const ValueId x = b.addParameter("x", {type, asDims({4, 256})});
    if (!onePass) {
        const ValueId ones = b.addConstant("ones", HostTensor::splat(type, {256}, 1));
        b.addResult(b.add("layer_norm", "y", {x, ones}));
        return inferTypes(std::move(b).finish()).value();
    }
    const Attributes rows = {{"axes", std::vector<int64_t>{1}}};
    const ValueId mean = b.add("reduce_mean", "mean", {x}, rows);
    const ValueId squares = b.add("reduce_mean", "squares", {b.add("mul", "square", {x, x})}, rows);
    const ValueId variance = b.add("sub", "variance", {squares, b.add("mul", "mean2", {mean, mean})});
    const ValueId epsilon = b.addConstant("epsilon", HostTensor::scalar(type, 1e-5));
    const ValueId deviation = b.add("sqrt", "deviation", {b.add("add", "sum", {variance, epsilon})});
    b.addResult(b.add("div", "y", {b.add("sub", "centred", {x, mean}), deviation}));
    return inferTypes(std::move(b).finish()).value();
}

constexpr InputKind kAllKinds[] = {InputKind::Uniform, InputKind::Mean100, InputKind::Mean1000,
                                   InputKind::Large,   InputKind::Ties,    InputKind::Special};

} // namespace

class BuildTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        m_function = withSeededWeights(*smallNetwork(true), 5).function;
        m_built = build(*m_function);
        m_inputs = seededInputs(*m_function, InputKind::Uniform, 3);
    }

    void weightsAreReplaced() {
        QCOMPARE(withSeededWeights(*smallNetwork(), 5).replaced, size_t{10});
        const HostTensor *w2 = m_function->constant(*m_function->find("w2"));
        QVERIFY(w2 != nullptr && !w2->isSplat());
        double squares = 0;
        for (const double number : w2->numbers()) squares += number * number;
        const double variance = squares / static_cast<double>(w2->elements());
        QVERIFY2(std::abs(variance - 2.0 / 144) < 0.2 * 2.0 / 144, qPrintable(QString::number(variance)));
        const auto again = withSeededWeights(*smallNetwork(true), 5).function;
        QVERIFY(again->constant(*again->find("w2"))->sameAs(*w2));
    }

    /// What belongs to weights that are replaced is replaced with them.
    void normalisationsOfReplacedWeightsAreReplaced() {
        FunctionBuilder b("dense");
        const auto numbers = [&](const char *name, std::vector<float> values) {
            const auto count = static_cast<int64_t>(values.size());
            return b.addConstant(name, floatTensor({count}, values));
        };
        const ValueId x = b.addParameter("x", {DType::Float32, asDims({1, 1, 4, 4})});
        const ValueId w = b.addConstant("w", HostTensor::splat(DType::Float32, {2, 1, 1, 1}, 1));
        const ValueId conv = b.add("conv", "conv", {x, w});
        const ValueId norm = b.add("batch_norm", "norm",
                                   {conv, numbers("scale", {2, 3}), numbers("shift", {2, 3}), numbers("mean", {2, 3}),
                                    numbers("variance", {1e-3F, 2e-3F})});
        b.addResult(
            b.add("batch_norm", "kept",
                  {norm, numbers("s", {2, 3}), numbers("h", {2, 3}), numbers("m", {2, 3}), numbers("v", {1, 2})}));
        const auto seeded = withSeededWeights(*inferTypes(std::move(b).finish()).value(), 1);
        QCOMPARE(seeded.replaced, size_t{5});
        const HostTensor *variance = seeded.function->constant(*seeded.function->find("variance"));
        QVERIFY(variance->number(0) >= 0.5 && variance->number(1) < 1.5);
        QCOMPARE(seeded.function->constant(*seeded.function->find("s"))->number(1), 3.0);
    }

    /// What looks like weights and is known to the run alone is laid out by the kernel.
    void factorsThatAreInputsNeedNoPacking() {
        FunctionBuilder b("product");
        const ValueId x = b.addParameter("x", {DType::Float32, asDims({32, 48})});
        const ValueId y = b.addParameter("y", {DType::Float32, asDims({48, 64})});
        const ValueId w = b.addParameter("w", {DType::Float32, asDims({16, 64})});
        b.addResult(b.add("dense", "z", {b.add("matmul", "m", {x, y}), w}));
        const auto function = inferTypes(std::move(b).finish()).value();
        const BuiltPlan built = build(*function);
        PlanRunner runner(built.plan);
        const auto verified = verifyPlan(*function, runner, seededInputs(*function, InputKind::Uniform, 2));
        QVERIFY(verified.ok() && verified->ok() && verified->calls.size() == 2);
        QVERIFY(built.plan.packed.empty());
    }

    void everyCallIsRight_data() {
        QTest::addColumn<int>("threads");
        QTest::addColumn<bool>("feed");
        QTest::newRow("one thread") << 1 << false;
        QTest::newRow("two threads") << 2 << false;
        QTest::newRow("fed with the reference") << 2 << true;
    }
    void everyCallIsRight() {
        QFETCH(int, threads);
        QFETCH(bool, feed);
        PlanRunner runner(m_built.plan, {.threads = threads});
        VerifyPlanOptions options;
        options.feedReference = feed;
        const auto verified = verifyPlan(*m_function, runner, m_inputs, options);
        QVERIFY2(verified.ok(), verified.ok() ? "" : verified.why().c_str());
        QVERIFY2(verified->ok(), qPrintable(sentences(*verified)));
        QVERIFY(verified->calls.size() >= 5);
        QVERIFY(verified->worstRatio() <= 1);
        const auto results = verifyResults(*m_function, runner, m_inputs);
        QVERIFY(results.ok() && results->ok() && results->calls.size() == 2);
    }

    void theArenaIsSmall() {
        const ExecutionPlan &plan = m_built.plan;
        QVERIFY(plan.arenaBytes >= plan.livePeak);
        QVERIFY(plan.arenaBytes < plan.withoutReuse);
        QVERIFY(std::any_of(plan.calls.begin(), plan.calls.end(),
                            [](const PlanCall &call) { return call.action == KernelAction::Nothing; }));
    }

    void theNumberOfThreadsThatBuildChangesNothing() {
        BuildOptions options = quick();
        options.threads = 1;
        const BuiltPlan alone = build(*m_function, options);
        QCOMPARE(alone.plan.kernels.size(), m_built.plan.kernels.size());
        for (size_t i = 0; i < alone.plan.kernels.size(); ++i)
            QVERIFY(alone.plan.kernels[i].code.object == m_built.plan.kernels[i].code.object);
    }

    void aPlanReadAgainHasTheSameBits() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("small.plan").toStdString();
        writePlan(m_built.plan, path);
        const ExecutionPlan read = readPlan(path);
        PlanRunner first(m_built.plan, {.threads = 2});
        PlanRunner second(read, {.threads = 2});
        for (PlanRunner *runner : {&first, &second}) {
            runner->setInput(0, m_inputs[0]);
            runner->run();
        }
        for (size_t i = 0; i < read.outputs.size(); ++i) QVERIFY(first.output(i).sameAs(second.output(i)));
    }

    void plansForOtherProcessorsAreRefused() {
        ExecutionPlan plan = m_built.plan;
        plan.target = "llvm -mcpu=x86-64-v2 -num-cores=2"; // narrower is fine
        QCOMPARE(PlanRunner(plan).threads() > 0, true);
        if (vectorUnit(hostCpu().name, hostCpu().differences).bytes >= 64) QSKIP("there are none with wider vectors");
        plan.target = "llvm -mcpu=x86-64-v4 -num-cores=2";
        QVERIFY_THROWS_EXCEPTION(Error, PlanRunner{plan});
    }

    void knownSchedulesAreUsedAndThoseThatDoNotFitAreTold() {
        BuildOptions options = quick();
        const std::string fits = m_built.plan.kernels[0].key;
        options.known[fits] = {m_built.plan.kernels[0].steps, "record a"};
        options.known[m_built.plan.kernels[1].key] = {{SplitStep{StageId(40), IterId(0), 7, {3}, true}}, "record b"};
        const BuiltPlan built = build(*m_function, options);
        QCOMPARE(built.plan.kernels[0].schedule, std::string("record a"));
        QCOMPARE(built.plan.kernels[1].schedule, std::string("default"));
        QCOMPARE(built.notes.size(), size_t{1});
        QVERIFY(built.notes[0].starts_with("record b is not used for "));
    }

    /// What is wrong is found, and where it is.
    void aWrongWeightIsLocated() {
        ExecutionPlan plan = m_built.plan;
        for (PlanConstant &constant : plan.constants)
            if (constant.name == "w2") {
                HostTensor changed = HostTensor::fromBytes(constant.value.dtype(), constant.value.dims(),
                                                           {constant.value.bytes(), constant.value.byteSize()});
                changed.setNumber(7, changed.number(7) + 0.01);
                constant.value = changed;
            }
        PlanRunner runner(plan);
        const auto verified = verifyPlan(*m_function, runner, m_inputs);
        QVERIFY(verified.ok() && !verified->ok());
        const CallVerdict &first = verified->calls[*verified->firstDeviating];
        QVERIFY2(std::find(first.nodes.begin(), first.nodes.end(), "conv2") != first.nodes.end(),
                 first.sentence.c_str());
        VerifyPlanOptions fed;
        fed.feedReference = true;
        const auto alone = verifyPlan(*m_function, runner, m_inputs, fed);
        QVERIFY(alone.ok());
        QCOMPARE(std::count_if(alone->calls.begin(), alone->calls.end(), [](const auto &call) { return !call.ok; }), 1);
    }

    /// Built from a function with a mistake in it, the plan is compared with the right one.
    void mistakesAreLocated_data() {
        QTest::addColumn<int>("mistake");
        QTest::addColumn<QString>("node");
        QTest::newRow("pads") << static_cast<int>(Mistake::Pads) << "conv2";
        QTest::newRow("swapped axis") << static_cast<int>(Mistake::Axis) << "prob";
        QTest::newRow("dropped residual") << static_cast<int>(Mistake::Residual) << "sum";
        QTest::newRow("epsilon") << static_cast<int>(Mistake::Epsilon) << "norm";
    }
    void mistakesAreLocated() {
        QFETCH(int, mistake);
        QFETCH(QString, node);
        const auto wrong = withSeededWeights(*smallNetwork(true, static_cast<Mistake>(mistake)), 5).function;
        const BuiltPlan built = build(*wrong);
        PlanRunner runner(built.plan);
        const auto verified = verifyPlan(*m_function, runner, m_inputs);
        QVERIFY(verified.ok() && !verified->ok());
        const CallVerdict &first = verified->calls[*verified->firstDeviating];
        QVERIFY2(std::find(first.nodes.begin(), first.nodes.end(), node.toStdString()) != first.nodes.end(),
                 first.sentence.c_str());
    }

    /// A network that passes wrote wrongly: each kernel computes what is written, and [-1, 1) shows nothing.
    void whatPassesMadeIsComparedWithTheNetworkItself() {
        const FunctionPtr right = normalisedRows(DType::Float32, false);
        const FunctionPtr wrong = normalisedRows(DType::Float32, true);
        const BuiltPlan built = build(*wrong);
        PlanRunner runner(built.plan);
        const auto verdicts = verifyDraws(*right, runsOf(*wrong, runner), kAllKinds, 1);
        QVERIFY2(verdicts.ok(), verdicts.ok() ? "" : verdicts.why().c_str());
        QStringList found;
        for (const DrawVerdict &verdict : *verdicts)
            found.append(QString::fromUtf8(verdict.draw->name.data()) + (verdict.results.ok() ? " right" : " wrong"));
        QCOMPARE(found.join(", "), QString("uniform right, mean100 wrong, mean1000 wrong, ties right, special right"));
        QVERIFY((*verdicts)[2].kernels.has_value());
    }
    void rightKernelsAreRightWithAllInputs_data() {
        QTest::addColumn<int>("type");
        for (const DType type : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
            QTest::newRow(dtypeName(type).data()) << static_cast<int>(type);
    }
    void rightKernelsAreRightWithAllInputs() {
        QFETCH(int, type);
        const FunctionPtr rows = normalisedRows(static_cast<DType>(type), false);
        const BuiltPlan built = build(*rows);
        PlanRunner runner(built.plan);
        const auto verdicts = verifyDraws(*rows, runsOf(*rows, runner), kAllKinds, 1);
        QVERIFY2(verdicts.ok(), verdicts.ok() ? "" : verdicts.why().c_str());
        QCOMPARE(verdicts->size(), type == static_cast<int>(DType::Float16) ? size_t{6} : size_t{5});
        for (const DrawVerdict &verdict : *verdicts) {
            QVERIFY2(verdict.leftOut.empty(), verdict.leftOut.c_str());
            QVERIFY2(verdict.results.ok(), verdict.results.calls[0].sentence.c_str());
        }
    }
    /// Values that leave their type say nothing; the inputs are made smaller.
    void inputsStayInTheRangeOfTheNetwork() {
        const FunctionPtr rows = normalisedRows(DType::Float16, true);
        const BuiltPlan built = build(*rows);
        PlanRunner runner(built.plan);
        const InputKind large[] = {InputKind::Large};
        const auto verdicts = verifyDraws(*rows, runsOf(*rows, runner), large, 1);
        QVERIFY(verdicts.ok() && verdicts->size() == 1);
        QCOMPARE(verdicts->front().scale, 0.125 * 0.125 * 0.125);
    }

  private:
    FunctionPtr m_function;
    BuiltPlan m_built;
    std::vector<HostTensor> m_inputs;
};

LOOPSCOPE_TEST(BuildTest)

} // namespace build_test
#include "build_test.moc"
