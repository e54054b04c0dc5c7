#include "records/export/cpp_program.h"

#include "base/foreign_text.h"
#include "language/te/workload.h"
#include "records/export/kernel_source.h"
#include "schedule/loop_state.h"
#include "schedule/script/schedule_script.h"

#include <export_texts.h>
#include <fmt/format.h>

namespace loopscope {

namespace {

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
