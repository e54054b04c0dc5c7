#include "records/export/export_schedule.h"

#include "base/foreign_text.h"
#include "measure/standalone_build.h"
#include "records/export/c_files.h"
#include "records/export/check_program.h"
#include "records/export/cpp_program.h"
#include "records/export/cuda_code.h"
#include "records/export/link_library.h"
#include "records/export/reproducer.h"
#include "records/record/record.h"
#include "schedule/loop_state.h"
#include "schedule/script/schedule_script.h"
#include "schedule/translate/halide_cpp.h"
#include "schedule/translate/te_python.h"
#include "schedule/translate/tir_python.h"

#include <algorithm>
#include <export_texts.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

std::string fileStem(const ExportRequest &request) {
    return request.stem.empty() ? exportedFunction(request.task.dag->name()) : request.stem;
}

Outcome<ExportedFiles> recordFile(const ExportRequest &request) {
    const Outcome<LoopState> state = replay(request.task.dag, request.steps);
    if (!state) return state.refusal();
    Trial trial;
    if (request.measured) {
        trial = *request.measured;
    } else {
        trial.error = TrialError::Unknown; // what Ansor's readers pass over when they look for times
        trial.reason = "it was not measured";
    }
    trial.steps = PackedSteps(request.steps);
    Record record = makeRecord(request.task, trial);
    record.layoutRewrite = request.layoutRewrite;
    return ExportedFiles{{fileStem(request) + ".json", recordComment(record) + recordLine(record) + "\n"}};
}

Outcome<ExportedFiles> scriptFile(const ExportRequest &request) {
    Outcome<std::string> script = scriptOf(request.task.dag, request.steps);
    if (!script) return script.refusal();
    return ExportedFiles{
        {fileStem(request) + ".schedule",
         fmt::format("# {} for {}\n", commentText(request.task.dag->name()), commentText(request.task.target.text())) +
             (script->empty() ? "# the naive schedule: no primitives\n" : *script)}};
}

/// Why the format is none of this target, with those that are.
Refusal otherFormats(const ExportFormatInfo &wanted, const Target &target) {
    std::vector<std::string_view> legal;
    for (const ExportFormatInfo &info : exportFormats())
        if (servesTarget(info, target)) legal.push_back(info.name);
    const std::string_view last = legal.back();
    legal.pop_back();
    return Refusal{fmt::format("the format {} is made for {}, and this schedule is one for {}; {} and {} are legal",
                               wanted.name, target.isGpu() ? "processors (llvm targets)" : "GPUs (cuda targets)",
                               target.isGpu() ? "a GPU" : "a processor", fmt::join(legal, ", "), last)};
}

/// The file of a schedule in the language of another system.
Outcome<ExportedFiles> translatedFile(const ExportRequest &request, ExportFormat format) {
    const DagPtr &dag = request.task.dag;
    if (const Outcome<LoopState> state = replay(dag, request.steps); !state) return state.refusal();
    Outcome<std::string> text = format == ExportFormat::Halide     ? halideCpp(dag, request.steps)
                                : format == ExportFormat::TePython ? tePython(dag, request.steps)
                                                                   : tirPython(dag, request.steps);
    if (!text) return text.refusal();
    return ExportedFiles{{fileStem(request) + std::string(infoOf(format).suffix), std::move(text).value()}};
}

/// What somebody who calls the code has to know.
std::string aboutCode(const KernelSource &kernel, const Task &task, bool startsThreads) {
    return fmt::format(
        "{} for {}, made by Loopscope.\nThe function `{}` of C takes pointers to, in this order:\n{}It needs "
        "the C library{} and, for vectors, its libmvec (-lm{}).\n",
        task.dag->name(), task.target.text(), kernel.function, kernel.layout, startsThreads ? ", OpenMP's" : "",
        startsThreads ? " -fopenmp" : "");
}

Outcome<ExportedFiles> machineFiles(const ExportRequest &request, ExportFormat format,
                                    const std::atomic<bool> *cancel) {
    Outcome<KernelSource> kernel = kernelSource(request);
    if (!kernel) return kernel.refusal();
    DisassemblyOptions options;
    options.workerPath = request.workerPath;
    Outcome<StandaloneCode> code =
        buildStandalone(request.task, request.steps, request.layoutRewrite, kernel->function, options, cancel);
    if (!code) return code.refusal();
    const std::string &stem = kernel->stem;
    const std::string about = aboutCode(*kernel, request.task, code->startsThreads);
    const std::string object(code->object.begin(), code->object.end());
    const ExportedFile header{stem + ".h", kernel->header};
    switch (format) {
    case ExportFormat::Llvm:
        return ExportedFiles{
            {stem + ".ll",
             commented(about + "clang says that it changes the target triple: -Wno-override-module.\n", "; ") +
                 code->ir}};
    case ExportFormat::Assembly:
        return ExportedFiles{{stem + ".s", commented(about, "# ") + code->assembly}};
    case ExportFormat::Object:
        return ExportedFiles{{stem + ".o", object}, header};
    default:
        break;
    }
    const std::string library = "lib" + stem + ".so";
    const Outcome<std::string> linked = linkLibrary(object, library, code->startsThreads);
    if (!linked) return linked.refusal();
    return ExportedFiles{{library, *linked},
                         header,
                         {stem + ".pc", filledIn(kPkgConfig, {{"@STEM@", stem},
                                                              {"@NAME@", commentText(request.task.dag->name())},
                                                              {"@TARGET@", commentText(request.task.target.text())}})}};
}

} // namespace

Outcome<CFiles> cFiles(const ExportRequest &request) {
    Outcome<KernelSource> kernel = kernelSource(request);
    if (!kernel) return kernel.refusal();
    const Target &target = request.task.target;
    const Outcome<CheckFacts> facts = checkFacts(*request.task.dag, target.isGpu() ? 1 : target.hardware.numCores);
    if (!facts) return facts.refusal();
    std::optional<ExpectedTime> expected;
    if (request.measured && request.measured->valid()) expected = ExpectedTime{request.measured->cost(), target.text()};
    Outcome<std::string> main = checkProgram(*kernel, request.task, *facts, expected);
    if (!main) return main.refusal();
    CFiles c{std::move(kernel).value(), {}};
    c.files = {{c.kernel.stem + (target.isGpu() ? ".cu" : ".c"),
                target.isGpu() ? c.kernel.code + cudaOnHost(c.kernel) : c.kernel.code},
               {c.kernel.stem + ".h", c.kernel.header},
               {c.kernel.stem + "_main.c", std::move(main).value()}};
    return c;
}

Outcome<ExportedFiles> exportSchedule(const ExportRequest &request, ExportFormat format,
                                      const std::atomic<bool> *cancel) {
    if (const ExportFormatInfo &info = infoOf(format); !servesTarget(info, request.task.target))
        return otherFormats(info, request.task.target);
    switch (format) {
    case ExportFormat::Record:
        return recordFile(request);
    case ExportFormat::Script:
        return scriptFile(request);
    case ExportFormat::TePython:
    case ExportFormat::TirPython:
    case ExportFormat::Halide:
        return translatedFile(request, format);
    case ExportFormat::Cpp:
        return cppProgram(request);
    case ExportFormat::C: {
        Outcome<CFiles> c = cFiles(request);
        if (!c) return c.refusal();
        return std::move(c->files);
    }
    case ExportFormat::Cuda: {
        const Outcome<KernelSource> kernel = kernelSource(request);
        if (!kernel) return kernel.refusal();
        return ExportedFiles{{kernel->stem + ".cu", kernel->code}};
    }
    case ExportFormat::Llvm:
    case ExportFormat::Assembly:
    case ExportFormat::Object:
    case ExportFormat::Library:
        return machineFiles(request, format, cancel);
    case ExportFormat::Reproducer:
        return reproducerFolder(request);
    }
    return Refusal{"there is no such format"};
}

} // namespace loopscope
