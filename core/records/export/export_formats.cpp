#include "records/export/export_formats.h"

#include "base/check.h"

#include <algorithm>

namespace loopscope {

const std::vector<ExportFormatInfo> &exportFormats() {
    using F = ExportFormat;
    using S = ExportShape;
    using T = ExportTargets;
    static const std::vector<ExportFormatInfo> formats = {
        {F::Record, "record", "Ansor record",
         "The line of a tuning log: the steps with the times, for Ansor's readers and ours.", S::File, ".json", T::All},
        {F::Script, "script", "Schedule script",
         "The schedule as people write it, a primitive a line by names; `apply`, `measure` and the window read it.",
         S::File, ".schedule", T::All},
        {F::C, "c", "C with OpenMP",
         "A C11 function that needs nothing but a compiler, its header, and a main that checks and times it.",
         S::FileAndMore, ".c"},
        {F::Cuda, "cuda", "CUDA C++",
         "The kernels with the function that launches them, in one file for nvcc, which needs nothing else.", S::File,
         ".cu", T::Gpus},
        {F::Cpp, "cpp", "C++ on Loopscope's core",
         "A program that applies the schedule step by step through the library, compiles, checks and times it, with a "
         "CMakeLists.txt.",
         S::Folder, ""},
        {F::Llvm, "llvm", "LLVM IR",
         "The optimised intermediate code behind a plain C function, for opt, llc and clang.", S::File, ".ll"},
        {F::Assembly, "asm", "Assembly",
         "The machine code as text behind a plain C function, for GNU's assembler and Clang.", S::File, ".s"},
        {F::Object, "object", "Object file", "The machine code to link, with the header of its C function.",
         S::FileAndMore, ".o"},
        {F::Library, "library", "Shared library",
         "The machine code to load, with its C header and a description for pkg-config.", S::Folder, ""},
        {F::TirPython, "tir-python", "TensorIR schedule in Python",
         "The computation and its schedule for TVM as it is today (apache-tvm 0.27), with a main that builds and "
         "compares.",
         S::File, ".py"},
        {F::TePython, "te-python", "TE schedule in Python",
         "The same in TVM's tensor expressions, as its users wrote them: versions up to 0.18 run it.", S::File, ".py",
         T::All},
        {F::Halide, "halide", "Halide in C++",
         "The computation as Funcs with Halide's directives, and a main that compiles, runs and compares.", S::File,
         ".cpp"},
        {F::Reproducer, "reproducer", "Reproducer",
         "All it takes to see the kernel and its time elsewhere: workload, record, script, C or CUDA with its check, "
         "Makefile, the machine and the times measured on it.",
         S::Folder, "", T::All},
    };
    return formats;
}

const ExportFormatInfo &infoOf(ExportFormat format) {
    const auto found = std::find_if(exportFormats().begin(), exportFormats().end(),
                                    [&](const ExportFormatInfo &info) { return info.format == format; });
    LOOPSCOPE_CHECK(found != exportFormats().end(), "every format is in the list");
    return *found;
}

const ExportFormatInfo *exportFormatNamed(std::string_view name) {
    const auto found = std::find_if(exportFormats().begin(), exportFormats().end(),
                                    [&](const ExportFormatInfo &info) { return info.name == name; });
    return found == exportFormats().end() ? nullptr : &*found;
}

std::string_view targetsText(ExportTargets targets) {
    switch (targets) {
    case ExportTargets::All:
        return "all targets";
    case ExportTargets::Processors:
        return "processors";
    case ExportTargets::Gpus:
        return "GPUs";
    }
    return {};
}

bool servesTarget(const ExportFormatInfo &info, const Target &target) {
    return info.targets == ExportTargets::All || (info.targets == ExportTargets::Gpus) == target.isGpu();
}

std::string_view shapeText(ExportShape shape) {
    switch (shape) {
    case ExportShape::File:
        return "file";
    case ExportShape::FileAndMore:
        return "file with others beside it";
    case ExportShape::Folder:
        return "folder";
    }
    return {};
}

} // namespace loopscope
