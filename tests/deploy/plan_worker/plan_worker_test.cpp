// A plan run in a process of its own gives the answers that it gives here, and what goes wrong there is told here.
#include "deploy/network/build.h"
#include "deploy/network/small_network.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/plan_runner.h"
#include "deploy/plan_worker/plan_worker.h"
#include "measure/timing/machine_use.h"
#include "test_program.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

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
        const CallValues values = callValuesIn(m_plan, wanted.values);
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

    /// In a copy of this process, in which parallel loops have run already.
    void aCopyComputesTheSame() {
        PlanRunner runner(m_plan, {.threads = 2});
        runner.setInput(0, m_inputs[0]);
        runner.run();
        const auto outputs = runPlan(m_plan, m_inputs, {.threads = 2});
        QVERIFY2(outputs.ok(), outputs.ok() ? "" : outputs.why().c_str());
        QCOMPARE(outputs->size(), m_plan.outputs.size());
        for (size_t i = 0; i < outputs->size(); ++i) QVERIFY((*outputs)[i].sameAs(runner.output(i)));
        const auto observed = observePlan(m_plan, m_inputs, {.threads = 1});
        QVERIFY2(observed.ok(), observed.ok() ? "" : observed.why().c_str());
        runner.runObserved({}, [&](size_t call) {
            for (size_t o = 0; o < m_plan.calls[call].outputs.size(); ++o)
                QVERIFY(observed->calls.value(call, o).sameAs(runner.callOutput(call, o)));
        });
        const auto timed = timePlan(m_plan, m_inputs, {.warmups = 1, .runs = 3}, {.threads = 2});
        QVERIFY2(timed.ok(), timed.ok() ? "" : timed.why().c_str());
        QVERIFY(timed->whole.median > 0 && timed->whole.samples == 3 && !timed->calls[0].nodes.empty());
        const auto few = runPlan(m_plan, {}, {});
        QVERIFY(!few && few.why() == "the network takes 1 inputs, and 0 are given");
    }

    /// Plans whose first kernel is other code, in every place that runs one.
    void kernelsThatGoWrongEndInASentence_data() {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QString>("says");
        const QByteArray head = "#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                                "void loopscope_kernel(void **arguments, const void *runtime) {\n";
        const auto row = [&](const char *name, const char *code, const char *says) {
            QTest::newRow(name) << head + code + "}\n" << QString(says);
        };
        row("writes to null", "*(volatile int *)arguments[0] = 1; *(volatile int *)8 = 1;",
            "its process was ended by segmentation fault (SIGSEGV)");
        row("divides by zero", "volatile int zero = 0; *(volatile int *)arguments[0] = 7 / zero;",
            "its process was ended by ");
        row("does not end", "for (volatile int i = 0;; ++i) { }", "it did not end within 1 s");
        row("ends the process", "_exit(3);", "its process exited with code 3");
        row("makes a file", "open(\"made_by_a_kernel\", O_CREAT | O_WRONLY, 0600);",
            "its process was ended by bad system call (SIGSYS): it asked the system for `open");
        row("makes a process", "if (fork() == 0) for (;;) pause();",
            "its process was ended by bad system call (SIGSYS): it asked the system for `clone`");
        row("shoots", "kill(getppid(), 9);", "it asked the system for `");
    }
    void kernelsThatGoWrongEndInASentence() {
        if (QStandardPaths::findExecutable("cc").isEmpty()) QSKIP("there is no C compiler here");
        QFETCH(QByteArray, code);
        QFETCH(QString, says);
        if (code.contains("kill(")) code.prepend("#include <signal.h>\n");
        QFile source(m_folder.filePath("k.c"));
        QVERIFY(source.open(QIODevice::WriteOnly) && source.write(code) == code.size());
        source.close();
        QProcess compile;
        compile.start("cc", {"-O1", "-fPIC", "-fno-asynchronous-unwind-tables", "-fcf-protection=none", "-w", "-c",
                             "-o", m_folder.filePath("k.o"), m_folder.filePath("k.c")});
        QVERIFY2(compile.waitForFinished(60000) && compile.exitCode() == 0, compile.readAllStandardError());
        QFile object(m_folder.filePath("k.o"));
        QVERIFY(object.open(QIODevice::ReadOnly));
        const QByteArray bytes = object.readAll();
        ExecutionPlan plan = m_plan;
        const auto first =
            std::ranges::find_if(plan.calls, [](const PlanCall &call) { return call.action == KernelAction::Run; });
        plan.kernels[first->kernel].code.object.assign(bytes.begin(), bytes.end());
        plan.kernels[first->kernel].code.launch.entry = "loopscope_kernel";
        const QString where = QString("in its kernel `%1` (call %2 of %3): ")
                                  .arg(QString::fromStdString(first->name))
                                  .arg(first - plan.calls.begin() + 1)
                                  .arg(plan.calls.size());
        const auto fits = [&](const std::string &sentence) {
            const QString text = QString::fromStdString(sentence);
            return text.contains(where) && text.contains(says);
        };
        const ProtectedRunOptions options = {.threads = 1, .timeout = 1};
        const auto run = runPlan(plan, m_inputs, options);
        QVERIFY2(!run && fits(run.why()), run ? "it ran" : run.why().c_str());
        const auto timed = timePlan(plan, m_inputs, {}, options);
        QVERIFY2(!timed && fits(timed.why()), timed ? "it ran" : timed.why().c_str());
        writePlan(plan, path("wrong.plan"));
        if (!says.contains("did not end")) { // a worker waits longer
            PlanRunRequest wanted = request();
            wanted.plan = path("wrong.plan");
            const auto worked = runPlanInWorker(wanted);
            QVERIFY2(!worked && fits(worked.why()), worked ? "it ran" : worked.why().c_str());
        }
        for (const QString command : {"run", "profile"}) {
            QProcess cli;
            cli.setWorkingDirectory(m_folder.path());
            cli.start(LOOPSCOPE_BIN_DIR "/loopscope-cli",
                      {"net", command, m_folder.filePath("wrong.plan"), "--time-limit", "1"});
            QVERIFY(cli.waitForFinished(60000));
            const QByteArray said = cli.readAllStandardError();
            QVERIFY2(cli.exitStatus() == QProcess::NormalExit && cli.exitCode() == 1 && fits(said.toStdString()), said);
            QVERIFY2(said.contains("wrong.plan is code of whoever made it; it runs in a process that may compute and "
                                   "nothing else"),
                     said);
        }
        QVERIFY(!QFile::exists(m_folder.filePath("made_by_a_kernel")));
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

LOOPSCOPE_TEST(PlanWorkerTest)
#include "plan_worker_test.moc"
