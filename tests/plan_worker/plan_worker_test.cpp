// A plan run in a process of its own gives the answers that it gives here, and what goes wrong there is told here.
#include "network/build.h"
#include "network/small_network.h"
#include "network/verify.h"
#include "network/weights.h"
#include "plan/plan_file.h"
#include "plan/plan_runner.h"
#include "plan_worker/plan_worker.h"
#include "timing/machine_use.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class PlanWorkerTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
        m_function = withSeededWeights(*smallNetwork(), 5).function;
        m_inputs = seededInputs(*m_function, InputKind::Uniform, 1);
        BuildOptions options;
        options.defaults = {.seed = 1, .population = 24, .generations = 1, .keep = 2};
        auto built = buildPlan(*m_function, partitionFunction(*m_function, FusionMode::Compatible),
                               parseTarget("llvm -num-cores=2"), options);
        QVERIFY2(built.ok(), built.ok() ? "" : built.why().c_str());
        m_plan = std::move(built->plan);
        writePlan(m_plan, path("small.plan"));
    }

    void theValuesOfAllCallsComeBack() {
        PlanRunRequest wanted = request();
        wanted.values = path("values");
        wanted.runs = 4;
        const auto profile = runPlanInWorker(wanted);
        QVERIFY2(profile.ok(), profile.ok() ? "" : profile.why().c_str());
        QVERIFY(profile->whole.median > 0);
        QCOMPARE(profile->whole.samples, size_t(4));
        QVERIFY(!profile->calls.empty() && !profile->calls[0].nodes.empty());
        const CallValues values(m_plan, wanted.values);
        PlanRunner runner(m_plan);
        runner.setInput(0, m_inputs[0]);
        size_t compared = 0;
        runner.runObserved({}, [&](size_t call) {
            for (size_t o = 0; o < m_plan.calls[call].outputs.size(); ++o, ++compared)
                QVERIFY(values.value(call, o).sameAs(runner.callOutput(call, o)));
        });
        QVERIFY(compared >= 5);
        const auto right = verifyCalls(*m_function, m_plan, m_inputs,
                                       [&](size_t call, size_t output) { return values.value(call, output); });
        QVERIFY(right.ok() && right->ok());
        QCOMPARE(right->calls.size(), compared);
        const auto wrong = verifyCalls(*m_function, m_plan, m_inputs, [&](size_t call, size_t output) {
            HostTensor value =
                HostTensor::fromBytes(values.value(call, output).dtype(), values.value(call, output).dims(),
                                      {values.value(call, output).bytes(), values.value(call, output).byteSize()});
            if (call == 2) value.setNumber(0, value.number(0) + 1);
            return value;
        });
        QVERIFY(wrong.ok() && wrong->firstDeviating);
        QCOMPARE(wrong->calls[*wrong->firstDeviating].call, size_t(2));
    }

    /// Jobs of the window hold a share of the machine while they work.
    void itMayBeAskedForWithinWork() {
        const auto work = MachineUse::begin(MachineUse::Kind::Work);
        PlanRunRequest wanted = request();
        wanted.runs = 1;
        QVERIFY(runPlanInWorker(wanted).ok());
    }

    void noRunsAreTimedWhereNoneAreAskedFor() {
        PlanRunRequest wanted = request();
        wanted.runs = wanted.warmups = 0;
        const auto profile = runPlanInWorker(wanted);
        QVERIFY2(profile.ok(), profile.ok() ? "" : profile.why().c_str());
        QCOMPARE(profile->whole.samples, size_t(0));
    }

    void refusals_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("says");
        QTest::newRow("no plan") << "plan" << "none.plan";
        QTest::newRow("no inputs") << "inputs" << "takes 1 inputs, and 0 are given";
        QTest::newRow("a short input") << "short" << "bytes, and 3 are given";
        QTest::newRow("nowhere to write") << "values" << "cannot be written";
        QTest::newRow("no worker") << "worker" << "nowhere/worker";
    }
    void refusals() {
        QFETCH(QString, what);
        QFETCH(QString, says);
        PlanRunRequest wanted = request();
        if (what == "plan") wanted.plan = path("none.plan");
        if (what == "inputs") wanted.inputs.clear();
        if (what == "short") wanted.inputs = {"abc"};
        if (what == "values") wanted.values = path("no/such/folder");
        QString problem;
        if (what == "worker") qputenv("LOOPSCOPE_WORKER", "/nowhere/worker");
        try {
            if (const auto refused = runPlanInWorker(wanted); !refused) problem = QString::fromStdString(refused.why());
        } catch (const Error &error) {
            problem = QString::fromStdString(error.what());
        }
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
        QVERIFY2(problem.contains(says), qPrintable(problem));
    }

    void aCancelEndsIt() {
        PlanRunRequest wanted = request();
        wanted.runs = 100'000'000;
        std::atomic<bool> cancel = true;
        const auto refused = runPlanInWorker(wanted, &cancel);
        QVERIFY(!refused);
        QCOMPARE(QString::fromStdString(refused.why()), "running the network was cancelled");
    }

  private:
    [[nodiscard]] std::string path(const char *name) const { return m_folder.filePath(name).toStdString(); }
    [[nodiscard]] PlanRunRequest request() const {
        PlanRunRequest request;
        request.plan = path("small.plan");
        request.threads = 2;
        for (const HostTensor &input : m_inputs)
            request.inputs.emplace_back(reinterpret_cast<const char *>(input.bytes()), input.byteSize());
        return request;
    }
    QTemporaryDir m_folder;
    FunctionPtr m_function;
    std::vector<HostTensor> m_inputs;
    ExecutionPlan m_plan;
};

QTEST_GUILESS_MAIN(PlanWorkerTest)
#include "plan_worker_test.moc"
