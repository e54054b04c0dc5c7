#include "records/export/cuda_code.h"

#include "codegen/cuda/cuda_dialect.h"
#include "codegen/cuda/cuda_source.h"
#include "schedule/script/schedule_script.h"

#include <export_texts.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

/// As kernels and their launcher have it: floats of 16 bits are handed over as bits.
std::string cudaStorage(const KernelArg &arg) { return std::string(cudaDialect().storageName(arg.dtype)); }

std::string extents(const std::array<int64_t, 3> &counts) {
    if (counts[1] * counts[2] == 1) return std::to_string(counts[0]);
    return counts[2] == 1 ? fmt::format("{} x {}", counts[0], counts[1]) : fmt::format("{}", fmt::join(counts, " x "));
}

std::string launchesText(const std::vector<CudaKernel> &kernels) {
    std::string text;
    for (const CudaKernel &kernel : kernels) {
        const std::string blocks = extents(kernel.launch.blocks);
        const std::string threads = extents(kernel.launch.threads);
        text += fmt::format("  {}: {} block{} of {} thread{}", kernel.name, blocks, blocks == "1" ? "" : "s", threads,
                            threads == "1" ? "" : "s");
        if (kernel.launch.sharedBytes > 0)
            text += fmt::format(", {} bytes of shared memory{}", kernel.launch.sharedBytes,
                                kernel.dynamicSharedBytes > 0 ? ", asked for at the launch" : "");
        text += fmt::format("; takes {}\n", fmt::join(kernel.parameters, ", "));
    }
    return text;
}

std::string scheduleText(const ExportRequest &request) {
    const Outcome<std::string> script = scriptOf(request.task.dag, request.steps);
    if (!script) return "The schedule has no script: " + script.why() + "\n";
    if (script->empty()) return "The schedule is the naive one.\n";
    std::string text = "The schedule:\n";
    for (size_t begin = 0; begin < script->size();) {
        const size_t end = std::min(script->find('\n', begin), script->size());
        text += "  " + script->substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return text;
}

std::string timeText(const ExportRequest &request) {
    if (!request.measured || !request.measured->valid()) return "It was not timed.\n";
    return fmt::format("Loopscope measured {:.6g} ms on {}.\n", request.measured->cost() * 1e3,
                       request.task.target.text());
}

} // namespace

std::string nvccCommand(const Target &target) {
    const auto arch = target.attrs.find("arch");
    return fmt::format("nvcc -O3 -arch={} ", arch == target.attrs.end() ? "sm_80" : arch->second);
}

std::string onHostName(const KernelSource &kernel) { return kernel.function + "_on_host"; }

Outcome<std::string> cudaCode(const KernelSource &kernel, const LoopProgram &program, const ExportRequest &request) {
    const Task &task = request.task;
    const Outcome<CudaSource> source = emitCuda(program, task.target);
    if (!source) return source.refusal();
    const double flops = task.dag->flops();
    std::string about = fmt::format(
        "{} on {}, scheduled by Loopscope{}.\n\n    {}-c {}.cu\n\n`{}` of C launches the kernels on a stream and "
        "returns "
        "at once, with CUDA's error where there is one. It takes\npointers to memory of the device, which may not "
        "overlap, in this order:\n{}\nThe kernels, launched one after the other:\n{}",
        task.dag->name(), task.target.text(),
        flops > 0 ? fmt::format("; {:.6g} floating-point operations a call", flops) : "", nvccCommand(task.target),
        kernel.stem, kernel.function, kernel.layout, launchesText(source->kernels));
    about += "\n" + timeText(request) + "\n" + scheduleText(request);
    std::string packing;
    for (size_t i = 0; i < kernel.args.size(); ++i)
        if (!kernel.args[i].packing.empty())
            packing += packFunction(kernel.args[i], kernel.names[i], kernel.function, cudaStorage(kernel.args[i]));
    if (!packing.empty()) packing = "\n#ifndef __CUDACC_RTC__\n#include <stdint.h>\n" + packing + "#endif\n";
    return commented(about, "// ") + "\n" + source->code.text + packing;
}

std::string cudaOnHost(const KernelSource &kernel) {
    std::string takes;
    std::vector<std::string> given;
    std::vector<std::string> bytes;
    std::string launch;
    std::string back;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg &arg = kernel.args[i];
        const std::string pointer = (arg.output ? "" : "const ") + cudaStorage(arg) + " *";
        given.push_back("p" + std::to_string(i)); // whatever the arguments are called
        takes += (i > 0 ? ", " : "") + pointer + given.back();
        bytes.push_back(std::to_string(argBytes(arg)));
        launch += fmt::format("({})held[{}], ", pointer, i);
        if (arg.output)
            back += fmt::format("    {}_must(cudaMemcpy({}, held[{}], bytes[{}], cudaMemcpyDeviceToHost), \"copying "
                                "back\");\n",
                                kernel.called, given.back(), i, i);
    }
    return filledIn(kHostPart, {{"@CALLED@", kernel.called},
                                {"@TAKES@", takes},
                                {"@COUNT@", std::to_string(kernel.args.size())},
                                {"@GIVEN@", fmt::format("{}", fmt::join(given, ", "))},
                                {"@BYTES@", fmt::format("{}", fmt::join(bytes, ", "))},
                                {"@LAUNCH@", fmt::format("{}({}0)", kernel.function, launch)},
                                {"@BACK@", back}});
}

} // namespace loopscope
