#include "codegen/nvidia/ptx_assembler.h"

#include "base/input_file.h"
#include "base/isolate/child_process.h"
#include "base/isolate/run_program.h"
#include "codegen/nvidia/cuda_compiler.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sys/wait.h>

namespace loopscope {

namespace {

constexpr size_t kMaxCubin = size_t{256} << 20;

/// The number in front of `what`, as in "54 registers"; 0 where there is none.
int64_t numberBefore(std::string_view line, std::string_view what) {
    const size_t at = line.find(what);
    if (at == std::string_view::npos || at == 0) return 0;
    size_t begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    int64_t number = 0;
    std::from_chars(line.data() + begin, line.data() + at, number);
    return number;
}

int64_t sumBefore(std::string_view line, std::string_view what) {
    int64_t sum = 0;
    for (size_t at = line.find(what); at != std::string_view::npos; at = line.find(what)) {
        sum += numberBefore(line, what);
        line.remove_prefix(at + what.size());
    }
    return sum;
}

/// What stands in quotes after `what`.
std::string quotedAfter(std::string_view line, std::string_view what) {
    const size_t at = line.find(what);
    if (at == std::string_view::npos) return {};
    const size_t begin = line.find('\'', at);
    const size_t end = begin == std::string_view::npos ? begin : line.find('\'', begin + 1);
    if (end == std::string_view::npos) return {};
    return std::string(line.substr(begin + 1, end - begin - 1));
}

std::string firstComplaint(const std::string &said) {
    for (const char *mark : {"error", "fatal"}) {
        const size_t at = said.find(mark);
        if (at == std::string::npos) continue;
        const size_t before = said.rfind('\n', at);
        const size_t begin = before == std::string::npos ? 0 : before + 1;
        return said.substr(begin, said.find('\n', at) - begin);
    }
    return said.substr(0, said.find('\n'));
}

} // namespace

std::vector<KernelResources> readResources(std::string_view said) {
    std::vector<KernelResources> kernels;
    while (!said.empty()) {
        const size_t end = std::min(said.find('\n'), said.size());
        const std::string_view line = said.substr(0, end);
        said.remove_prefix(std::min(end + 1, said.size()));
        if (std::string name = quotedAfter(line, "Compiling entry function"); !name.empty()) {
            kernels.emplace_back();
            kernels.back().kernel = std::move(name);
        }
        if (kernels.empty()) continue;
        KernelResources &kernel = kernels.back();
        if (line.find("bytes stack frame") != std::string_view::npos) {
            kernel.stackBytes = numberBefore(line, " bytes stack frame");
            kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
            kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
        }
        if (line.find("Used ") != std::string_view::npos) {
            kernel.registers = static_cast<int>(numberBefore(line, " registers"));
            kernel.barriers = static_cast<int>(numberBefore(line, " barriers"));
            kernel.sharedBytes = numberBefore(line, " bytes smem");
            kernel.constantBytes = sumBefore(line, " bytes cmem");
        }
    }
    return kernels;
}

Outcome<AssembledPtx> assemblePtx(const std::string &ptx, const std::string &architecture,
                                  const PtxAssemblerOptions &options, const NvidiaTools &tools) {
    if (tools.ptxas.empty()) return Refusal{missingTool("ptxas")};
    const NvidiaTool *chosen = nullptr;
    std::set<std::string> known;
    for (const NvidiaTool &ptxas : tools.ptxas) {
        if (chosen == nullptr && ptxas.architectures.contains(architecture)) chosen = &ptxas;
        known.insert(ptxas.architectures.begin(), ptxas.architectures.end());
    }
    if (chosen == nullptr)
        return Refusal{fmt::format("no ptxas found here assembles for {}; {} are legal", architecture,
                                   listed({known.begin(), known.end()}))};
    try {
        const WorkFolder folder("ptxas");
        std::ofstream(folder.file("kernels.ptx"), std::ios::binary) << ptx;
        std::vector<std::string> words = {chosen->path, "-v", "-arch=" + architecture};
        if (options.debugLines) words.emplace_back("-lineinfo");
        words.insert(words.end(), {"-o", folder.file("kernels.cubin"), folder.file("kernels.ptx")});
        const Outcome<ProgramOutput> run = runProgram(words, {.timeout = options.timeout});
        if (!run) return run.refusal();
        const std::string name = "ptxas " + versionText(chosen->version);
        if (!WIFEXITED(run->status)) return Refusal{name + " " + endingText(run->status)};
        if (!run->succeeded()) return Refusal{name + " does not accept the PTX: " + firstComplaint(run->output)};
        AssembledPtx result;
        result.cubin = readInputFile(folder.file("kernels.cubin"), "the machine code", kMaxCubin);
        result.assembler = name;
        result.kernels = readResources(run->output);
        return result;
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
