#include "measure/executor_check.h"

#include "base/check.h"
#include "base/isolate/sandbox.h"
#include "codegen/lower/lower.h"
#include "codegen/runtime/kernel_arguments.h"
#include "language/expr/half.h"
#include "measure/answer/answer_check.h"
#include "measure/argument_data.h"
#include "schedule/loop_state.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

/// Lane instructions of a kernel that are run unless more is asked for: about two seconds.
constexpr double kUsualWork = 1e9;
constexpr size_t kToldFindings = 3;

template <typename Stored> void put(std::byte *into, int64_t element, Stored value) {
    std::memcpy(into + static_cast<size_t>(element) * sizeof(Stored), &value, sizeof(Stored));
}

/// What no block that ran was to write is taken for right.
void adopt(const ReferenceTensor &tensor, const std::byte *expected, const std::vector<uint8_t> &written,
           std::byte *got) {
    const auto *const floats = reinterpret_cast<const double *>(expected);
    const auto *const integers = reinterpret_cast<const int64_t *>(expected);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        if (written[static_cast<size_t>(i)] != 0) continue;
        switch (tensor.dtype) {
        case DType::Float64:
            put(got, i, floats[i]);
            break;
        case DType::Float32:
            put(got, i, static_cast<float>(floats[i]));
            break;
        case DType::Float16:
            put(got, i, floatToHalf(static_cast<float>(floats[i])));
            break;
        case DType::BFloat16:
            put(got, i, floatToBfloat(static_cast<float>(floats[i])));
            break;
        case DType::Int64:
            put(got, i, integers[i]);
            break;
        case DType::Int32:
            put(got, i, static_cast<int32_t>(integers[i]));
            break;
        case DType::UInt32:
            put(got, i, static_cast<uint32_t>(integers[i]));
            break;
        case DType::Int16:
            put(got, i, static_cast<int16_t>(integers[i]));
            break;
        case DType::UInt16:
            put(got, i, static_cast<uint16_t>(integers[i]));
            break;
        case DType::Int8:
            put(got, i, static_cast<int8_t>(integers[i]));
            break;
        case DType::UInt8:
        case DType::Bool:
            put(got, i, static_cast<uint8_t>(integers[i]));
            break;
        }
    }
}

class ArgumentBytes {
  public:
    ArgumentBytes(const std::vector<KernelArg> &args, const ArgumentData &data) {
        for (size_t i = 0; i < args.size(); ++i) {
            std::vector<std::byte> &bytes =
                m_bytes.emplace_back(argBytes(args[i]), static_cast<std::byte>(data.poison));
            if (!args[i].output && !args[i].packing.empty())
                packElements(args[i], data.inputs[i], bytes.data());
            else if (!args[i].output)
                std::memcpy(bytes.data(), data.inputs[i], bytes.size());
        }
        for (auto &bytes : m_bytes) m_pointers.push_back(bytes.data());
    }
    [[nodiscard]] std::span<std::byte *const> pointers() const { return m_pointers; }
    std::byte *data(size_t arg) { return m_bytes[arg].data(); }

  private:
    std::vector<std::vector<std::byte>> m_bytes;
    std::vector<std::byte *> m_pointers;
};

std::string findingsText(const LoopProgram &program, const ExecutorRun &run) {
    std::string text;
    for (size_t i = 0; i < std::min(run.findings.size(), kToldFindings); ++i)
        text += (i == 0 ? "" : "\n") + findingText(program, run.findings[i]);
    if (run.findings.size() > kToldFindings) text += fmt::format("\nand {} more", run.findings.size() - kToldFindings);
    return text;
}

/// False: it failed, and the check says how.
bool checkSet(const LoopProgram &program, const Executor &executor, const std::vector<KernelArg> &args,
              const ReferenceView &reference, InputSet set, const ExecutorOptions &options, ExecutorCheck &check) {
    ArgumentBytes memory(args, argumentData(args, reference, set));
    ExecutorRun run = executor.run(memory.pointers(), options);
    const auto fail = [&](TrialError error, std::string reason) {
        check.error = error;
        check.reason = std::move(reason);
        check.run = std::move(run);
        return false;
    };
    if (!run.findings.empty()) return fail(TrialError::RuntimeDevice, findingsText(program, run));
    for (size_t i = 0; i < args.size(); ++i) {
        if (!args[i].output) continue;
        const ReferenceTensor &tensor = reference.tensors()[i];
        const std::byte *const expected = reference.data(tensor, set);
        if (!run.written[i].empty()) {
            if (!run.sampled())
                return fail(TrialError::WrongAnswer,
                            fmt::format("not all of output `{}` is written by any thread", tensor.name));
            adopt(tensor, expected, run.written[i], memory.data(i));
        }
        const AnswerCheck answer = checkAnswer(tensor, expected, reference.bounds(tensor, set), memory.data(i));
        check.maxError = std::max(check.maxError, answer.maxError);
        if (!answer.problem.empty())
            return fail(TrialError::WrongAnswer, set == InputSet::Exact
                                                     ? answer.problem + " (inputs are small whole numbers here)"
                                                     : answer.problem);
    }
    if (set == InputSet::Random) check.run = std::move(run);
    return true;
}

std::string ranText(const ExecutorRun &run) {
    const std::string sample = run.sampleText();
    return sample.empty() ? fmt::format("all {} {}", run.counts.blocks, run.counts.blocks == 1 ? "block" : "blocks")
                          : sample;
}

} // namespace

ExecutorOptions executorOptions(int64_t sampleBlocks, uint64_t seed) {
    ExecutorOptions options;
    options.maxBlocks = sampleBlocks;
    options.maxWork = sampleBlocks > 0 ? 0 : kUsualWork;
    options.seed = seed;
    return options;
}

ExecutorCheck checkOnExecutor(const LoopProgram &program, const ReferenceView &reference,
                              const ExecutorOptions &options) {
    ExecutorCheck check;
    const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name);
    const Outcome<Executor> executor = Executor::of(program);
    if (!launch || !executor) {
        check.error = TrialError::CompileDevice;
        check.reason = launch ? executor.why() : launch.why();
        return check;
    }
    if (!checkSet(program, *executor, launch->args, reference, InputSet::Random, options, check)) return check;
    ExecutorOptions again = options; // who accesses what is the same
    again.watch = false;
    if (reference.has(InputSet::Exact) &&
        !checkSet(program, *executor, launch->args, reference, InputSet::Exact, again, check))
        return check;
    check.reason = fmt::format("checked by the executor, not timed: {} ran", ranText(check.run));
    return check;
}

Outcome<BuiltKernel> buildForExecutor(const LoopProgram &program, const std::string &steps) {
    const Outcome<Executor> executor = Executor::of(program);
    if (!executor) return executor.refusal();
    Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name);
    if (!launch) return launch.refusal();
    BuiltKernel built;
    built.launch = std::move(launch).value();
    built.object.assign(steps.begin(), steps.end());
    return built;
}

void runOnExecutor(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference,
                   RunReport &report) {
    report.phase = RunPhase::Loading;
    forbidFileWrites();
    const DagPtr dag = dagOf(setup);
    if (setup.memoryLimitMiB > 0) limitMemory(setup.memoryLimitMiB);
    for (size_t i = 0; i < request.kernels.size(); ++i) {
        report.kernel = static_cast<int32_t>(i);
        const std::vector<char> &object = request.kernels[i].object;
        const Outcome<LoopState> state =
            replay(dag, stepsFromJson(nlohmann::json::parse(object.begin(), object.end())));
        LOOPSCOPE_CHECK(state.ok(), "what was built replays");
        LowerOptions options;
        options.layoutRewrite = setup.layoutRewrite;
        const Outcome<LoopProgram> program = lower(*state, setup.target, options);
        LOOPSCOPE_CHECK(program.ok(), "what was built is lowered");
        report.phase = RunPhase::Checking;
        if (request.fault != Fault::None) commitFaultBeforeKernel(request.fault);
        const ExecutorCheck check =
            checkOnExecutor(*program, reference, executorOptions(setup.sampleBlocks, setup.seed));
        report.maxError = std::max(report.maxError, check.maxError);
        report.fail(check.error, check.reason);
        if (check.error != TrialError::None) return;
    }
}

} // namespace loopscope
