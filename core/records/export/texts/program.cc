// @NAME@ made again by Loopscope's library: the workload, the schedule step by step, then code, check and time.

@INCLUDE@ "measure/answer/answer_check.h"
@INCLUDE@ "measure/answer/checkable.h"
@INCLUDE@ "codegen/code_generator.h"
@INCLUDE@ "codegen/lower/lower.h"
@INCLUDE@ "codegen/runtime/runner.h"
@INCLUDE@ "schedule/loop_state.h"
@INCLUDE@ "language/task/task.h"
@INCLUDE@ "language/te/workload.h"

@INCLUDE@ <algorithm>
@INCLUDE@ <cstddef>
@INCLUDE@ <cstdio>
@INCLUDE@ <cstdlib>
@INCLUDE@ <exception>
@INCLUDE@ <string>
@INCLUDE@ <vector>

using namespace loopscope;

namespace {

const char *const kWorkload = @WORKLOAD@;

/// The naive schedule with every step applied in turn; a step that does not apply says why.
LoopState schedule(const DagPtr &dag) {
    LoopState state(dag);
    const auto apply = [&state](const Step &step) {
        Outcome<LoopState> next = state.apply(step);
        if (!next) throw Error(next.why());
        state = std::move(next).value();
    };
@STEPS@    return state;
}

std::vector<std::byte> stored(const TensorValue &value) {
    std::vector<std::byte> bytes(value.size() * static_cast<size_t>(dtypeBytes(value.dtype)));
    storeElements(value, bytes.data());
    return bytes;
}

/// What an output should be, as the comparison wants it: 8 bytes an element.
std::vector<std::byte> widened(const TensorValue &value) {
    const auto *from = isFloat(value.dtype) ? reinterpret_cast<const std::byte *>(value.floats.data())
                                            : reinterpret_cast<const std::byte *>(value.integers.data());
    return {from, from + 8 * value.size()};
}

/// Runs the kernel on a set of inputs; the largest error of its bound, or throws.
double check(const KernelLaunch &launch, Runner &runner, const CheckedSet &set) {
    std::vector<std::vector<std::byte>> inputs;
    for (const TensorValue &input : set.inputs) inputs.push_back(stored(input));
    ArgumentData data;
    size_t next = 0;
    for (const KernelArg &arg : launch.args) data.inputs.push_back(arg.output ? nullptr : inputs[next++].data());
    const auto call = runner.bind(data);
    call->run();
    double worst = 0;
    next = 0;
    for (size_t i = 0; i < launch.args.size(); ++i) {
        const KernelArg &arg = launch.args[i];
        if (!arg.output) continue;
        const TensorValue &wanted = set.outputs[next++];
        const ReferenceTensor tensor{arg.name, true, arg.dtype, arg.shape, {}};
        const AnswerCheck answer = checkAnswer(tensor, widened(wanted).data(),
                                               wanted.bounds.empty() ? nullptr : wanted.bounds.data(), call->data(i));
        if (!answer.problem.empty()) throw Error(answer.problem);
        worst = std::max(worst, answer.maxError);
    }
    return worst;
}

int run(int samples) {
    const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(kWorkload, @NAMETEXT@));
    const Task task = makeTask(dag, parseTarget(@TARGET@));
    const LoopState state = schedule(dag);
    std::printf("%s\n", state.text().c_str());
    LowerOptions options;
    options.layoutRewrite = @LAYOUT@; // of weights: 0 as they are, 1 packed by the kernel, 2 packed before
    const auto program = lower(state, task.target, options);
    if (!program) throw Error(program.why());
    const auto generator = makeCodeGenerator(task.target);
    if (!generator) throw Error(generator.why());
    const auto code = (*generator)->compile(*program);
    if (!code) throw Error(code.why());
    const auto runner = makeRunner(code->kernel);
    if (!runner) throw Error(runner.why());
    (*runner)->prepare(task.target.hardware.numCores);

    const CheckedSets sets = makeCheckedSets(*dag, 0, task.target.hardware.numCores);
    double worst = check(code->kernel.launch, **runner, sets.random);
    if (sets.exact) worst = std::max(worst, check(code->kernel.launch, **runner, *sets.exact));
    std::printf("right, largest error %.3g of what rounding may do\n", worst);
    if (samples <= 0) return 0;

    std::vector<std::vector<std::byte>> inputs;
    for (const TensorValue &input : sets.random.inputs) inputs.push_back(stored(input));
    ArgumentData data;
    size_t next = 0;
    for (const KernelArg &arg : code->kernel.launch.args)
        data.inputs.push_back(arg.output ? nullptr : inputs[next++].data());
    const auto call = (*runner)->bind(data);
    const double once = call->time(1);
    const auto calls = static_cast<int64_t>(std::clamp(0.02 / once, 1.0, 1e6));
    std::vector<double> seconds;
    for (int i = 0; i < samples; ++i) seconds.push_back(call->time(calls) / static_cast<double>(calls));
    std::sort(seconds.begin(), seconds.end());
    std::printf("time: %.6g ms a call; median %.6g ms\n", 1e3 * seconds[seconds.size() > 2 ? 1 : 0],
                1e3 * seconds[seconds.size() / 2]);
    return 0;
}

} // namespace

/// The argument is the number of samples (0: only check).
int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? std::atoi(argv[1]) : 15);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s: %s\n", @NAMETEXT@, problem.what());
        return 1;
    }
}
