#include "records/export/cpp_program.h"

#include "base/foreign_text.h"
#include "language/te/workload.h"
#include "records/export/kernel_source.h"
#include "schedule/loop_state.h"
#include "schedule/script/schedule_script.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr const char *kCmake = R"(# Builds @STEM@ against a build of Loopscope:
#
#     cmake -B build -DCMAKE_BUILD_TYPE=Release -DLoopscope_DIR=FOLDER_OF_LOOPSCOPE/build/release
#     cmake --build build && build/@STEM@
cmake_minimum_required(VERSION 3.25)
project(@STEM@ LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
find_package(Loopscope REQUIRED)
add_executable(@STEM@ @STEM@.cpp)
target_link_libraries(@STEM@ PRIVATE Loopscope::core)
)";

constexpr const char *kProgram =
    R"cpp(// @NAME@ made again by Loopscope's library: the workload, the schedule step by step, then code, check and time.

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
)cpp";

std::string iterCode(IterId id) { return fmt::format("IterId({})", id.value); }
std::string stageCode(StageId id) { return fmt::format("StageId({})", id.value); }

template <typename List, typename Code> std::string listCode(const List &list, Code &&code) {
    std::string text = "{";
    for (const auto &item : list) text += (text.size() > 1 ? ", " : "") + code(item);
    return text + "}";
}

std::string annotationCode(Annotation annotation) {
    switch (annotation) {
    case Annotation::None:
        return "None";
    case Annotation::Unroll:
        return "Unroll";
    case Annotation::Vectorize:
        return "Vectorize";
    case Annotation::Parallel:
        return "Parallel";
    case Annotation::VThread:
        return "VThread";
    case Annotation::BlockX:
        return "BlockX";
    case Annotation::ThreadX:
        return "ThreadX";
    case Annotation::BlockY:
        return "BlockY";
    case Annotation::ThreadY:
        return "ThreadY";
    case Annotation::BlockZ:
        return "BlockZ";
    case Annotation::ThreadZ:
        return "ThreadZ";
    case Annotation::Tensorize:
        return "Tensorize";
    }
    return "None";
}

std::string stepCode(const Step &step) {
    const auto number = [](int64_t value) { return std::to_string(value); };
    const auto source = [](StepId id) { return fmt::format("StepId({})", id.value); };
    return std::visit(
        StepVisitor{
            [](const AnnotateStep &s) {
                return fmt::format("AnnotateStep{{{}, {}, Annotation::{}}}", stageCode(s.stage), iterCode(s.iter),
                                   annotationCode(s.annotation));
            },
            [](const FuseStep &s) {
                return fmt::format("FuseStep{{{}, {}}}", stageCode(s.stage), listCode(s.iters, iterCode));
            },
            [](const PragmaStep &s) {
                return fmt::format("PragmaStep{{{}, {}, {}}}", stageCode(s.stage), iterCode(s.iter), cString(s.text));
            },
            [](const ReorderStep &s) {
                return fmt::format("ReorderStep{{{}, {}}}", stageCode(s.stage), listCode(s.order, iterCode));
            },
            [&](const SplitStep &s) {
                return fmt::format(
                    "SplitStep{{.stage = {}, .iter = {}, .extent = {}, .lengths = {}, .innerToOuter = {}}}",
                    stageCode(s.stage), iterCode(s.iter), s.extent, listCode(s.lengths, number), s.innerToOuter);
            },
            [&](const FollowSplitStep &s) {
                return fmt::format("FollowSplitStep{{.stage = {}, .iter = {}, .source = {}, .parts = {}}}",
                                   stageCode(s.stage), iterCode(s.iter), source(s.source), s.parts);
            },
            [&](const FollowFusedSplitStep &s) {
                return fmt::format(
                    "FollowFusedSplitStep{{.stage = {}, .iter = {}, .sources = {}, .level = {}, .factor = {}}}",
                    stageCode(s.stage), iterCode(s.iter), listCode(s.sources, source), s.level, s.factor);
            },
            [](const StorageAlignStep &s) {
                return fmt::format("StorageAlignStep{{.stage = {}, .iter = {}, .factor = {}, .offset = {}}}",
                                   stageCode(s.stage), iterCode(s.iter), s.factor, s.offset);
            },
            [](const ComputeAtStep &s) {
                return fmt::format("ComputeAtStep{{.stage = {}, .target = {}, .targetIter = {}}}", stageCode(s.stage),
                                   stageCode(s.target), iterCode(s.targetIter));
            },
            [](const ComputeInlineStep &s) { return fmt::format("ComputeInlineStep{{{}}}", stageCode(s.stage)); },
            [](const ComputeRootStep &s) { return fmt::format("ComputeRootStep{{{}}}", stageCode(s.stage)); },
            [](const CacheReadStep &s) {
                return fmt::format("CacheReadStep{{.stage = {}, .scope = {}, .readers = {}}}", stageCode(s.stage),
                                   cString(s.scope), listCode(s.readers, stageCode));
            },
            [](const CacheWriteStep &s) {
                return fmt::format("CacheWriteStep{{.stage = {}, .scope = {}}}", stageCode(s.stage), cString(s.scope));
            },
            [](const RfactorStep &s) {
                return fmt::format("RfactorStep{{.stage = {}, .iter = {}, .factorIter = {}}}", stageCode(s.stage),
                                   iterCode(s.iter), s.factorIter);
            },
        },
        step);
}

Outcome<std::string> stepsCode(const DagPtr &dag, const Steps &steps) {
    std::string text;
    LoopState state(dag);
    for (const Step &step : steps) {
        Outcome<LoopState> next = state.apply(step); // first: a step that does not apply has no line either
        if (!next) return next.refusal();
        text += fmt::format("    // {}\n    apply({});\n", commentText(scriptLine(state, step)), stepCode(step));
        state = std::move(next).value();
    }
    if (steps.empty()) text = "    (void)apply; // the naive schedule has no steps\n";
    return text;
}

} // namespace

Outcome<ExportedFiles> cppProgram(const ExportRequest &request) {
    const ComputeDag &dag = *request.task.dag;
    const Outcome<std::string> steps = stepsCode(request.task.dag, request.steps);
    if (!steps) return steps.refusal();
    const std::string stem = request.stem.empty() ? exportedFunction(dag.name()) : request.stem;
    const std::vector<std::pair<std::string, std::string>> values = {
        {"@INCLUDE@", "#include"}, // ours are read by those who look for forbidden ones
        {"@NAMETEXT@", cString(dag.name())},
        {"@NAME@", commentText(dag.name())},
        {"@STEM@", stem},
        {"@WORKLOAD@", cppRawString(printWorkload(dag.name(), dag.ops(), dag.args()))},
        {"@STEPS@", *steps},
        {"@TARGET@", cString(request.task.target.text())},
        {"@LAYOUT@", std::to_string(request.layoutRewrite)},
    };
    return ExportedFiles{{stem + ".cpp", filledIn(kProgram, values)}, {"CMakeLists.txt", filledIn(kCmake, values)}};
}

} // namespace loopscope
