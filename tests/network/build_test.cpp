// A small network from function to answer: built, run, verified call by call, written and read again.
#include "network/build.h"
#include "network/small_network.h"
#include "network/verify.h"
#include "network/weights.h"
#include "op/infer_types.h"
#include "plan/plan_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace loopscope;

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
        VerifyOptions options;
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
        VerifyOptions fed;
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

  private:
    FunctionPtr m_function;
    BuiltPlan m_built;
    std::vector<HostTensor> m_inputs;
};

QTEST_GUILESS_MAIN(BuildTest)
#include "build_test.moc"
