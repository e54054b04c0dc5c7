// A target added on trial, as CONTRIBUTING says how: its code generator and its runner are an interpreter of loop
// programs. It passes check and timing through the same code as kernels of processors, knows nothing of guard pages,
// and its failures are told like theirs.

#include <QTest>

#include "base/outcome.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "harness/environment.h"
#include "harness/program_interpreter.h"
#include "harness/sample_dags.h"
#include "measure/answer/reference_data.h"
#include "measure/kernel_run.h"
#include "test_program.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace loopscope;

namespace {

/// The kind whose place the trial takes; it has neither generator nor runner of its own.
constexpr TargetKind kTrial = TargetKind::Cuda;

/// What the "machine" can run; an object holds a number of it. A process that is forked has it too.
std::vector<const LoopProgram *> &loadedPrograms() {
    static std::vector<const LoopProgram *> programs;
    return programs;
}

class InterpretingGenerator final : public CodeGenerator {
  public:
    Outcome<MachineCode> compile(const LoopProgram &program, const CodegenOptions &) override {
        Outcome<KernelLaunch> launch = describeLaunch(program, kTrial, "interpreted");
        if (!launch) return launch.refusal();
        for (const KernelArg &arg : launch->args)
            if (arg.dtype != DType::Float32) return Refusal{"`" + arg.name + "` is not float32"};
        MachineCode code;
        code.kernel.launch = std::move(launch).value();
        const std::string number = std::to_string(loadedPrograms().size());
        code.kernel.object.assign(number.begin(), number.end());
        loadedPrograms().push_back(&program);
        return code;
    }
};

enum class Flaw { None, WrongElement, Stops, Trespasses };

class InterpretedCall final : public KernelCall {
  public:
    InterpretedCall(const LoopProgram &program, Flaw flaw, std::vector<std::vector<std::byte>> memory)
        : m_program(program), m_flaw(flaw), m_memory(std::move(memory)) {}

    void run() override {
        if (m_flaw == Flaw::Stops) throw Error("the interpreter stopped: no loop left to run");
        std::vector<TensorValue> inputs;
        for (size_t i = 0; i < m_memory.size(); ++i) {
            const ProgramArg &arg = m_program.args[i];
            if (arg.output) continue;
            TensorValue value{DType::Float32, arg.originalShape, {}, {}};
            const auto *elements = reinterpret_cast<const float *>(m_memory[i].data());
            value.floats.assign(elements, elements + m_memory[i].size() / sizeof(float));
            inputs.push_back(std::move(value));
        }
        const ProgramRun ran = runProgram(m_program, inputs);
        if (!ran.failure.empty()) throw Error("the interpreter stopped: " + ran.failure);
        size_t output = 0;
        for (size_t i = 0; i < m_memory.size(); ++i) {
            if (!m_program.args[i].output) continue;
            storeElements(ran.outputs[output++], m_memory[i].data());
            if (m_flaw == Flaw::WrongElement) m_memory[i][3] ^= std::byte{0x40};
        }
    }
    double time(int64_t calls) override {
        const auto before = std::chrono::steady_clock::now();
        for (int64_t i = 0; i < calls; ++i) run();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    }
    std::byte *data(size_t arg) override { return m_memory[arg].data(); }
    std::string trespass() override { return m_flaw == Flaw::Trespasses ? "it wrote on the ceiling" : ""; }
    [[nodiscard]] const std::vector<std::vector<std::byte>> &memory() const { return m_memory; }

  private:
    const LoopProgram &m_program;
    Flaw m_flaw;
    std::vector<std::vector<std::byte>> m_memory;
};

class InterpretingRunner final : public Runner {
  public:
    InterpretingRunner(const BuiltKernel &kernel, Flaw flaw)
        : m_program(*loadedPrograms().at(std::stoul(std::string(kernel.object.begin(), kernel.object.end())))),
          m_args(kernel.launch.args), m_flaw(flaw) {}

    void prepare(int) override {}
    std::unique_ptr<KernelCall> bind(const ArgumentData &data) override {
        std::vector<std::vector<std::byte>> memory;
        for (size_t i = 0; i < m_args.size(); ++i) {
            auto &bytes = memory.emplace_back(argBytes(m_args[i]), static_cast<std::byte>(data.poison));
            if (data.inputs[i]) std::memcpy(bytes.data(), data.inputs[i], bytes.size());
        }
        return std::make_unique<InterpretedCall>(m_program, m_flaw, std::move(memory));
    }
    std::unique_ptr<KernelCall> bindGuarded(KernelCall &source, GuardSide) override {
        return std::make_unique<InterpretedCall>(m_program, m_flaw, static_cast<InterpretedCall &>(source).memory());
    }

  private:
    const LoopProgram &m_program;
    std::vector<KernelArg> m_args;
    Flaw m_flaw;
};

RunnerFactory interpreting(Flaw flaw = Flaw::None) {
    return [flaw](const BuiltKernel &kernel) -> Outcome<std::unique_ptr<Runner>> {
        if (kernel.launch.kind != kTrial || kernel.launch.entry != "interpreted") return makeRunner(kernel);
        return std::unique_ptr<Runner>(std::make_unique<InterpretingRunner>(kernel, flaw));
    };
}

struct Told {
    RunPhase phase = RunPhase::Starting;
    TrialError error = TrialError::None;
    std::string reason;
    double maxError = 0;
    std::vector<size_t> samples;
};

} // namespace

class SecondTargetTest : public QObject {
    Q_OBJECT

    DagPtr m_dag = matmulDag(5, 7, 3);
    std::vector<std::unique_ptr<LoopProgram>> m_programs;
    std::unique_ptr<ReferenceView> m_reference;

    BuiltKernel built(const Steps &steps) {
        const Outcome<LoopState> state = replay(m_dag, steps);
        if (!state) throw Error(state.why());
        Outcome<LoopProgram> program = lower(*state, parseTarget("llvm -mcpu=haswell -num-cores=2"));
        if (!program) throw Error(program.why());
        m_programs.push_back(std::make_unique<LoopProgram>(std::move(program).value()));
        Outcome<MachineCode> code = InterpretingGenerator().compile(*m_programs.back(), {});
        if (!code) throw Error(code.why());
        return std::move(code).value().kernel;
    }

    /// In a process of its own, as runKernels gives up rights.
    Told run(const RunRequest &request, const RunnerFactory &factory) {
        RunReport *report = RunReport::make(request.kernels.size());
        const pid_t child = ::fork();
        if (child == 0) {
            SetupMessage setup;
            setup.memoryLimitMiB = 4096;
            try {
                runKernels(request, setup, *m_reference, *report, factory);
                report->phase = RunPhase::Finished;
            } catch (const std::exception &problem) {
                report->fail(TrialError::Unknown, problem.what());
            }
            ::_exit(0);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        Told told{report->phase, report->error, report->reason, report->maxError, {}};
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) told.reason = "ended with status " + std::to_string(status);
        for (size_t i = 0; i < request.kernels.size(); ++i) told.samples.push_back(report->sampleCount(i));
        RunReport::release(report, request.kernels.size());
        return told;
    }

    RunRequest requestOf(std::vector<BuiltKernel> kernels) {
        RunRequest request;
        request.kernels = std::move(kernels);
        request.sampling.minRepeatSeconds = 0.0005;
        request.sampling.maxTimingSeconds = 0.02;
        request.sampling.disturbedSeconds = 0;
        request.timeout = 60;
        return request;
    }

    static Steps tiled() {
        return {SplitStep{StageId(2), IterId(0), 5, {2}, true},
                AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}};
    }

  private slots:
    void initTestCase() {
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *m_dag, 7, 1);
        m_reference = std::make_unique<ReferenceView>(fd);
        ::close(fd);
    }

    void isCheckedAndTimed() {
        const Told told = run(requestOf({built({})}), interpreting());
        QCOMPARE(told.reason, std::string());
        QVERIFY(told.error == TrialError::None && told.phase == RunPhase::Finished);
        QVERIFY(told.maxError > 0 && told.maxError <= 1);
        QVERIFY(told.samples[0] > 0);
    }

    void isTimedInterleavedWithAnother() {
        RunRequest request = requestOf({built({}), built(tiled())});
        request.rounds = 4;
        const Told told = run(request, interpreting());
        QCOMPARE(told.reason, std::string());
        QVERIFY(told.phase == RunPhase::Finished && told.samples[0] > 0 && told.samples[1] > 0);
    }

    void aWrongAnswerIsNoticed() {
        const Told told = run(requestOf({built({})}), interpreting(Flaw::WrongElement));
        QVERIFY(told.error == TrialError::WrongAnswer);
        QVERIFY2(told.reason.starts_with("output `C` is ") && told.reason.find("at [0, 0]") != std::string::npos,
                 told.reason.c_str());
        QCOMPARE(told.samples[0], size_t{0});
    }

    void aLaunchThatFailsIsTheKernelsFailure() {
        const Told told = run(requestOf({built({})}), interpreting(Flaw::Stops));
        QVERIFY(told.error == TrialError::RuntimeDevice);
        QCOMPARE(told.reason, std::string("the interpreter stopped: no loop left to run"));
    }

    void aTrespassIsTheKernelsFailure() {
        const Told told = run(requestOf({built({})}), interpreting(Flaw::Trespasses));
        QVERIFY(told.error == TrialError::RuntimeDevice);
        QCOMPARE(told.reason, std::string("it wrote on the ceiling"));
    }

    void withoutItsRunnerItCannotBeLoaded() {
        const Environment without("LOOPSCOPE_CUDA_DRIVER", "/nowhere/libcuda.so.1");
        const Told told = run(requestOf({built({})}), makeRunner);
        QVERIFY(told.error == TrialError::CompileDevice);
        QVERIFY2(told.reason.starts_with("the kernel could not be loaded: the CUDA driver cannot be opened"),
                 told.reason.c_str());
    }
};

LOOPSCOPE_TEST(SecondTargetTest)
#include "second_target_test.moc"
