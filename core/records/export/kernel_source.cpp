#include "records/export/kernel_source.h"

#include "base/check.h"
#include "base/foreign_text.h"
#include "codegen/c/c_expr.h"
#include "codegen/cuda/cuda_names.h"
#include "codegen/kernel_code.h"
#include "codegen/lower/lower.h"
#include "records/export/cuda_code.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <cctype>
#include <export_texts.h>
#include <fmt/format.h>
#include <string_view>

namespace loopscope {

namespace {

std::string upper(std::string text) {
    for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string storageOf(const KernelArg &arg, const std::string &function) {
    return arg.dtype == DType::Float16 ? function + "_float16" : std::string(cStorageName(arg.dtype));
}

/// `place`: where functions that pack stand.
std::string layoutOf(const KernelSource &kernel, std::string_view place) {
    std::string text;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg &arg = kernel.args[i];
        text += fmt::format("  {}: {}, {} {}", kernel.names[i], arg.output ? "written" : "read", dtypeName(arg.dtype),
                            arg.shape.empty() ? "scalar" : shapeOf(arg.shape));
        if (arg.packing.empty()) {
            text += arg.shape.size() > 1 ? ", row after row\n" : "\n";
            continue;
        }
        std::vector<std::string> dims;
        for (const PackedDim &dim : arg.packing)
            dims.push_back(fmt::format("{} of dimension {} in steps of {}", dim.extent, dim.origin, dim.stride));
        text += fmt::format(", packed to {} elements: {}; {}_pack_{} of the {} does it\n", arg.elements,
                            fmt::join(dims, ", then "), kernel.function, kernel.names[i], place);
    }
    return text;
}

std::string headerOf(const KernelSource &kernel, const std::string &workload) {
    std::string packing;
    std::string takes;
    bool half = false;
    bool boolean = false;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg &arg = kernel.args[i];
        half = half || arg.dtype == DType::Float16;
        boolean = boolean || arg.dtype == DType::Bool;
        takes += fmt::format("{}{}{} *{}", i > 0 ? ", " : "", arg.output ? "" : "const ",
                             storageOf(arg, kernel.function), kernel.names[i]);
        if (!arg.packing.empty())
            packing += packFunction(arg, kernel.names[i], kernel.function, storageOf(arg, kernel.function));
    }
    return filledIn(
        kHeader,
        {{"@ABOUT@",
          commented(fmt::format("{}: a kernel made by Loopscope. Its arguments:\n{}The pointers may not overlap. {}",
                                workload, kernel.layout,
                                kernel.timesItself
                                    ? "They are to memory of the host: the function copies, computes on the GPU, and "
                                      "copies back.\nThen it computes `calls` times more, and returns the seconds of "
                                      "these. It ends the program when CUDA reports an error."
                                    : "It may be called from several threads at once."),
                    "// ")},
         {"@GUARD@", "LOOPSCOPE_" + upper(kernel.function) + "_H"},
         {"@BOOL@", boolean ? "#include <stdbool.h>\n" : ""},
         {"@HALF@", half ? filledIn(kHalf, {{"@NAME@", kernel.function}}) : ""},
         {"@PROTOTYPE@", kernel.timesItself ? "double " + kernel.called + "(" + takes + ", int64_t /* calls */)"
                                            : "void " + kernel.called + "(" + takes + ")"},
         {"@PACKING@", packing}});
}

std::string codeOf(const KernelSource &kernel, const LoopProgram &program, const Task &task) {
    const double flops = task.dag->flops();
    std::string about =
        fmt::format("{} on {}, scheduled by Loopscope{}.\nCompile it with optimisation for the machine:\n\n"
                    "    cc -O3 -march=native -ffp-contract=fast -fopenmp -c {}.c\n",
                    task.dag->name(), task.target.text(),
                    flops > 0 ? fmt::format("; {:.6g} floating-point operations a call", flops) : "", kernel.stem);
    const bool half = std::any_of(kernel.args.begin(), kernel.args.end(),
                                  [](const KernelArg &arg) { return arg.dtype == DType::Float16; });
    if (half) about += "\nfloat16 needs GCC 12 or Clang 15.\n";
    return commented(about, "// ") + "\n#include \"" + kernel.stem + ".h\"\n\n" +
           "#if defined(__clang__)\n#pragma clang diagnostic ignored \"-Wpass-failed\" // lanes are asked for, not "
           "demanded\n"
           "#endif\n\n" +
           emitC(program, task.target).text;
}

} // namespace

std::string packFunction(const KernelArg &arg, const std::string &name, const std::string &function,
                         const std::string &type) {
    std::string text = fmt::format(
        "\n/* Elements of `{0}` as {1} reads it. */\n#define {2}_{3}_ELEMENTS {4}\n/* Lays `{0}` out so, from {5} "
        "elements "
        "row after row; what lies outside the tensor becomes 0. */\nstatic inline void {1}_pack_{0}(const {6} *plain, "
        "{6} *packed) {{\n    int64_t at = 0;\n",
        name, function, upper(function), upper(name), arg.elements, shapeOf(arg.shape), type);
    std::string depth = "    ";
    for (size_t p = 0; p < arg.packing.size(); ++p) {
        text += fmt::format("{}for (int64_t p{} = 0; p{} < {}; ++p{}) {{\n", depth, p, p, arg.packing[p].extent, p);
        depth += "    ";
    }
    std::vector<int64_t> strides(arg.shape.size(), 1);
    for (size_t d = arg.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * arg.shape[d];
    std::string inside;
    std::string offset;
    for (size_t d = 0; d < arg.shape.size(); ++d) {
        std::string index;
        int64_t most = 0;
        for (size_t p = 0; p < arg.packing.size(); ++p) {
            const PackedDim &dim = arg.packing[p];
            if (static_cast<size_t>(dim.origin) != d) continue;
            index += fmt::format("{}p{} * {}", index.empty() ? "" : " + ", p, dim.stride);
            most += dim.stride * (dim.extent - 1);
        }
        if (index.empty()) continue; // of extent 1
        text += fmt::format("{}const int64_t d{} = {};\n", depth, d, index);
        if (most >= arg.shape[d]) inside += fmt::format("{}d{} < {}", inside.empty() ? "" : " && ", d, arg.shape[d]);
        offset += fmt::format("{}d{} * {}", offset.empty() ? "" : " + ", d, strides[d]);
    }
    const std::string element = fmt::format("plain[{}]", offset.empty() ? "0" : offset);
    text += fmt::format("{}packed[at++] = {};\n", depth,
                        inside.empty() ? element : fmt::format("{} ? {} : 0", inside, element));
    for (size_t p = 0; p < arg.packing.size(); ++p) {
        depth.resize(depth.size() - 4);
        text += depth + "}\n";
    }
    return text + "}\n";
}

std::string filledIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const auto *found = text[at] != '@' ? nullptr : [&]() -> const std::pair<std::string, std::string> * {
            for (const auto &value : values)
                if (text.compare(at, value.first.size(), value.first) == 0) return &value;
            return nullptr;
        }();
        if (found == nullptr) {
            result += text[at++];
        } else {
            result += found->second;
            at += found->first.size();
        }
    }
    return result;
}

std::string commented(const std::string &text, const std::string &mark) {
    std::string result;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        // Blanks in front are how the text is set.
        const size_t word = std::min(text.find_first_not_of(' ', begin), end);
        result += mark + std::string(word - begin, ' ') + commentText(text.substr(word, end - word));
        while (!result.empty() && result.back() == ' ') result.pop_back();
        result += '\n';
        begin = end + 1;
    }
    return result;
}

std::string shapeOf(const std::vector<int64_t> &shape) {
    return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, " x "));
}

std::string exportedFunction(const std::string &workload) {
    std::string name = CNames().unique(workload);
    for (const char *taken : {"omp_", "GOMP_", "loopscope_", "check_", "cuda"})
        if (name.starts_with(taken)) return "kernel_" + name;
    return isReservedInCuda(name) ? "kernel_" + name : name;
}

Outcome<KernelSource> kernelSource(const ExportRequest &request) {
    const Outcome<LoopState> state = replay(request.task.dag, request.steps);
    if (!state) return state.refusal();
    LowerOptions options;
    options.layoutRewrite = request.layoutRewrite;
    Outcome<LoopProgram> program = lower(*state, request.task.target, options);
    if (!program) return program.refusal();
    KernelSource kernel;
    kernel.function = exportedFunction(request.task.dag->name());
    kernel.stem = request.stem.empty() ? kernel.function : request.stem;
    program->name = kernel.function;
    Outcome<KernelLaunch> launch = describeLaunch(*program, request.task.target.kind, kernel.function);
    if (!launch) return launch.refusal();
    kernel.args = std::move(launch->args);
    // As the workload has them, though the text may call a packed one otherwise.
    CNames names;
    names.unique(kernel.function);
    for (const Tensor *arg : request.task.dag->args()) kernel.names.push_back(names.unique(tensorText(*arg)));
    LOOPSCOPE_CHECK(kernel.names.size() == kernel.args.size(), "a kernel has the arguments of its task");
    const bool gpu = request.task.target.isGpu();
    kernel.called = gpu ? onHostName(kernel) : kernel.function;
    kernel.timesItself = gpu;
    kernel.layout = layoutOf(kernel, gpu ? "CUDA file" : "header");
    kernel.header = headerOf(kernel, request.task.dag->name());
    if (!gpu) {
        kernel.code = codeOf(kernel, *program, request.task);
        return kernel;
    }
    Outcome<std::string> code = cudaCode(kernel, *program, request);
    if (!code) return code.refusal();
    kernel.code = std::move(code).value();
    return kernel;
}

} // namespace loopscope
