// How close machine code comes to the core's peak where the schedule is a good one: Ansor-style step lists written by hand,
// each checked against the interpreter, then timed in turn on one thread. Prints the median, the share of the FMA peak and
// the time to compile.
//
// kernel_bench [--asm DIR] [--threads N] [NAME-PART]
#include "fma_peak.h"
#include "harness/kernel_check.h"
#include "harness/sample_dags.h"
#include "lower/lower.h"
#include "runtime/loaded_kernel.h"
#include "schedule/steps_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

using namespace loopscope;

namespace {

struct Entry {
    std::string name;
    DagPtr dag;
    std::string steps;
    int layoutRewrite = 0;
};

/// Cache write, SSRSRS tiling of both spatial loops and the reduction, output attached at the second level, outer loops
/// fused and parallel, innermost vectorized.
std::string matmulSteps(int64_t n, std::array<int64_t, 3> i, std::array<int64_t, 3> j, int64_t k, int unroll) {
    return fmt::format(
        R"([["CHW", 2, "local"],
["SP", 2, 0, {n}, [{}, {}, {}], 1], ["SP", 2, 4, {n}, [{}, {}, {}], 1], ["SP", 2, 8, {n}, [{}], 1],
["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]],
["FSP", 3, 0, 1, 2], ["FSP", 3, 3, 2, 2], ["RE", 3, [0, 3, 1, 4, 2, 5]], ["CA", 2, 3, 3],
["FU", 3, [0, 1]], ["AN", 3, 0, 3], ["PR", 2, 0, "auto_unroll_max_step${unroll}"],
["AN", 2, 9, 2], ["AN", 3, 4, 2]])",
        i[0], i[1], i[2], j[0], j[1], j[2], k, fmt::arg("n", n), fmt::arg("unroll", unroll));
}

std::vector<Entry> entries() {
    std::vector<Entry> all;
    all.push_back({"matmul 512 4x16", matmulDag(), matmulSteps(512, {1, 16, 4}, {1, 4, 16}, 16, 64), 0});
    all.push_back({"matmul 512 4x16 packed", matmulDag(), matmulSteps(512, {1, 16, 4}, {1, 4, 16}, 16, 64), 2});
    all.push_back({"matmul 512 4x16 unroll 512", matmulDag(), matmulSteps(512, {1, 16, 4}, {1, 4, 16}, 16, 512), 2});
    all.push_back({"matmul 1024 4x16 packed", matmulDag(1024, 1024, 1024),
                   matmulSteps(1024, {1, 16, 4}, {1, 4, 16}, 64, 64), 2});
    return all;
}

struct Candidate {
    std::string name;
    double flops = 0;
    double compileSeconds = 0;
    std::unique_ptr<LoadedKernel> kernel;
    std::vector<GuardedBuffer> buffers;
    std::vector<void *> pointers;
    std::vector<double> seconds;

    void sample(int calls) {
        const auto start = std::chrono::steady_clock::now();
        for (int c = 0; c < calls; ++c) (*kernel)(pointers.data());
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
    }
    [[nodiscard]] double median() {
        std::ranges::sort(seconds);
        return seconds[seconds.size() / 2];
    }
};

Candidate prepare(const Entry &entry, const Target &target, const std::string &asmFolder) {
    const Outcome<LoopState> state = replay(entry.dag, stepsFromJson(nlohmann::json::parse(entry.steps)));
    if (!state) throw Error(entry.name + ": " + state.why());
    LowerOptions options;
    options.layoutRewrite = entry.layoutRewrite;
    const Outcome<LoopProgram> program = lower(*state, target, options);
    if (!program) throw Error(entry.name + ": " + program.why());
    const std::string wrong = checkKernel(*program, *entry.dag, hostCompiler(), 1, true);
    if (!wrong.empty()) throw Error(entry.name + ": " + wrong);
    if (!asmFolder.empty()) {
        CodegenOptions texts;
        texts.wantAssembly = texts.wantIr = texts.debugLines = true;
        const Outcome<MachineCode> code = hostCompiler().compile(*program, texts);
        std::string file = entry.name;
        std::ranges::replace(file, ' ', '_');
        std::ofstream(asmFolder + "/" + file + ".s") << code->assembly.text;
        std::ofstream(asmFolder + "/" + file + ".ll") << code->ir.text;
        std::ofstream(asmFolder + "/" + file + ".loops") << printProgram(*program);
    }
    const Outcome<MachineCode> code = hostCompiler().compile(*program);
    Candidate candidate;
    candidate.name = entry.name;
    candidate.flops = entry.dag->flops();
    candidate.compileSeconds = code->seconds;
    candidate.kernel = std::make_unique<LoadedKernel>(code->object);
    size_t shift = 0;
    for (const ProgramArg &arg : program->args) {
        // Buffers begin at different offsets in their pages, as malloc would place them.
        const auto bytes = static_cast<size_t>(arg.buffer->elements() * dtypeBytes(arg.buffer->dtype));
        GuardedBuffer &buffer = candidate.buffers.emplace_back(bytes + 4096, true);
        auto *data = static_cast<std::byte *>(buffer.data()) + shift;
        shift += 256;
        for (size_t at = 0; at + 4 <= bytes; at += 4) {
            const float value = static_cast<float>(at % 7) - 3;
            std::memcpy(data + at, &value, sizeof value);
        }
        candidate.pointers.push_back(data);
    }
    return candidate;
}

} // namespace

int main(int argc, char **argv) {
    std::string asmFolder;
    std::string part;
    int threads = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--asm" && i + 1 < argc)
            asmFolder = argv[++i];
        else if (word == "--threads" && i + 1 < argc)
            threads = std::stoi(argv[++i]);
        else
            part = word;
    }
    try {
        setKernelThreads(threads);
        const Target target = parseTarget("llvm");
        std::vector<Candidate> candidates;
        for (const Entry &entry : entries())
            if (entry.name.find(part) != std::string::npos) candidates.push_back(prepare(entry, target, asmFolder));
        constexpr int rounds = 15;
        for (int round = 0; round < rounds; ++round)
            for (Candidate &candidate : candidates) candidate.sample(std::max(1, int(2e8 / candidate.flops)));
        const double peak = fmaPeakGflops() * threads;
        fmt::print("{:<36} {:>9} {:>9} {:>8} {:>8} {:>11}\n", "", "ms", "best ms", "GFLOP/s", "of peak", "compile ms");
        for (Candidate &candidate : candidates) {
            const double median = candidate.median();
            const double gflops = candidate.flops / median * 1e-9;
            fmt::print("{:<36} {:>9.3f} {:>9.3f} {:>8.1f} {:>7.0f}% {:>11.1f}\n", candidate.name, median * 1e3,
                       candidate.seconds.front() * 1e3, gflops, 100 * gflops / peak, candidate.compileSeconds * 1e3);
        }
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
