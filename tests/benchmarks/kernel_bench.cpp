// How close machine code comes to the core's peak where the schedule is a good one: Ansor-style step lists written by
// hand, each checked against the interpreter, then timed in turn on one thread. Prints the median, the share of the FMA
// peak and the time to compile.
//
// kernel_bench [--asm DIR] [--threads N] [NAME-PART]
#include "codegen/lower/lower.h"
#include "codegen/runtime/loaded_kernel.h"
#include "fma_peak.h"
#include "harness/kernel_check.h"
#include "harness/sample_dags.h"
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

struct SpatialTile {
    int64_t extent;
    std::array<int64_t, 3> lengths;
};
struct ReduceTile {
    int64_t extent;
    int64_t length;
};

/// Ansor's multi-level tiling with a cache write: the stage tiled SSRSRS, the output attached at the second level,
/// outer loops fused and parallel, innermost vectorized. A padding stage before it is one parallel nest of its own.
std::string tiledSteps(int stage, const std::vector<SpatialTile> &spatial, const std::vector<ReduceTile> &reduce,
                       int unroll, int padStage = -1, int padRank = 0) {
    const int ns = static_cast<int>(spatial.size());
    const int nr = static_cast<int>(reduce.size());
    std::vector<std::string> steps;
    const auto list = [](const std::vector<int> &values) { return fmt::format("[{}]", fmt::join(values, ", ")); };
    const auto range = [](int first, int count, int step) {
        std::vector<int> values;
        for (int i = 0; i < count; ++i) values.push_back(first + i * step);
        return values;
    };
    const auto append = [](std::vector<int> &to, const std::vector<int> &more) {
        to.insert(to.end(), more.begin(), more.end());
    };
    steps.push_back(fmt::format(R"(["CHW", {}, "local"])", stage));
    std::vector<int> splits;
    for (int s = 0; s < ns; ++s) {
        splits.push_back(static_cast<int>(steps.size()));
        const auto &[extent, l] = spatial[static_cast<size_t>(s)];
        steps.push_back(fmt::format(R"(["SP", {}, {}, {}, [{}, {}, {}], 1])", stage, 4 * s, extent, l[0], l[1], l[2]));
    }
    for (int r = 0; r < nr; ++r)
        steps.push_back(fmt::format(R"(["SP", {}, {}, {}, [{}], 1])", stage, 4 * ns + 2 * r,
                                    reduce[static_cast<size_t>(r)].extent, reduce[static_cast<size_t>(r)].length));
    std::vector<int> order;
    append(order, range(0, ns, 4));
    append(order, range(1, ns, 4));
    append(order, range(4 * ns, nr, 2));
    append(order, range(2, ns, 4));
    append(order, range(4 * ns + 1, nr, 2));
    append(order, range(3, ns, 4));
    steps.push_back(fmt::format(R"(["RE", {}, {}])", stage, list(order)));
    for (int s = 0; s < ns; ++s)
        steps.push_back(fmt::format(R"(["FSP", {}, {}, {}, 2])", stage + 1, 3 * s, splits[static_cast<size_t>(s)]));
    order.clear();
    for (int level = 0; level < 3; ++level) append(order, range(level, ns, 3));
    steps.push_back(fmt::format(R"(["RE", {}, {}])", stage + 1, list(order)));
    steps.push_back(fmt::format(R"(["CA", {}, {}, {}])", stage, stage + 1, 2 * ns - 1));
    steps.push_back(fmt::format(R"(["FU", {}, {}])", stage + 1, list(range(0, ns, 1))));
    steps.push_back(fmt::format(R"(["AN", {}, 0, 3])", stage + 1));
    steps.push_back(fmt::format(R"(["PR", {}, 0, "auto_unroll_max_step${}"])", stage, unroll));
    steps.push_back(fmt::format(R"(["AN", {}, {}, 2])", stage, 4 * ns + 2 * nr - 1));
    steps.push_back(fmt::format(R"(["AN", {}, {}, 2])", stage + 1, 2 * ns));
    if (padStage >= 0) {
        steps.push_back(fmt::format(R"(["FU", {}, {}])", padStage, list(range(0, padRank - 1, 1))));
        steps.push_back(fmt::format(R"(["AN", {}, 0, 3])", padStage));
        steps.push_back(fmt::format(R"(["AN", {}, 1, 2])", padStage));
    }
    return fmt::format("[{}]", fmt::join(steps, ", "));
}

/// Padded input, weight and convolution as Ansor's suite writes them, the weight free in its layout.
DagPtr convDag(int64_t size, int64_t channels) {
    DagBuilder b;
    const Tensor &in = b.placeholder("inputs", {1, size, size, channels});
    const auto p = axes({"i0", "i1", "i2", "i3"}, {1, size + 2, size + 2, channels});
    const auto inside = [&](const Axis &axis) {
        return logicalAnd(fold(ExprKind::Ge, axis.var, makeInt(1)), fold(ExprKind::Lt, axis.var, makeInt(size + 1)));
    };
    const Expr value = load(in, {p[0].var, p[1].var - 1, p[2].var - 1, p[3].var});
    const Tensor &padded =
        b.compute("PadInput", p, ifThenElse(logicalAnd(inside(p[1]), inside(p[2])), value, makeFloat(0)));
    const Tensor &weight = b.placeholder("weight", {3, 3, channels, channels});
    const auto s = axes({"n", "h", "w", "co"}, {1, size, size, channels});
    const auto r = axes({"rh", "rw", "rc"}, {3, 3, channels});
    const Expr product = load(padded, {s[0].var, s[1].var + r[0].var, s[2].var + r[1].var, r[2].var}) *
                         load(weight, {r[0].var, r[1].var, r[2].var, s[3].var});
    const Tensor &conv = b.reduce("conv2d_nhwc", s, ReduceKind::Sum, r, product,
                                  {{"layout_free_placeholders", std::vector<std::string>{"weight"}}});
    return b.build({&conv});
}

std::vector<Entry> entries() {
    std::vector<Entry> all;
    // Each as it stands and with the second operand laid out in the order it is read.
    const auto add = [&](const std::string &name, const DagPtr &dag, const std::string &steps) {
        all.push_back({name, dag, steps, 0});
        all.push_back({name + " packed", dag, steps, 2});
    };
    const auto matmul = [&](const std::string &name, int64_t n, std::array<int64_t, 3> i, std::array<int64_t, 3> j,
                            int64_t k, int unroll) {
        add("matmul " + std::to_string(n) + " " + name, matmulDag(n, n, n),
            tiledSteps(2, {{n, i}, {n, j}}, {{n, k}}, unroll));
    };
    matmul("4x16 k16", 512, {1, 16, 4}, {1, 4, 16}, 16, 64);
    matmul("4x16 k128", 512, {1, 16, 4}, {1, 4, 16}, 128, 16);
    matmul("4x16 k512", 512, {1, 16, 4}, {1, 4, 16}, 512, 16);
    matmul("6x16 k128", 512, {1, 8, 6}, {1, 4, 16}, 128, 16);
    matmul("4x16 k256", 1024, {1, 16, 4}, {1, 4, 16}, 256, 16);
    add("conv 14x14x256 7x8", convDag(14, 256),
        tiledSteps(3, {{1, {1, 1, 1}}, {14, {1, 2, 1}}, {14, {1, 2, 7}}, {256, {1, 2, 8}}}, {{3, 1}, {3, 3}, {256, 64}},
                   16, 1, 4));
    add("conv 14x14x256 2x2x24", convDag(14, 256),
        tiledSteps(3, {{1, {1, 1, 1}}, {14, {1, 7, 2}}, {14, {1, 7, 2}}, {256, {1, 1, 24}}},
                   {{3, 1}, {3, 1}, {256, 256}}, 16, 1, 4));
    add("conv 14x14x256 2x2x16", convDag(14, 256),
        tiledSteps(3, {{1, {1, 1, 1}}, {14, {1, 7, 2}}, {14, {1, 7, 2}}, {256, {1, 2, 16}}},
                   {{3, 1}, {3, 1}, {256, 256}}, 16, 1, 4));
    add("conv 14x14x256 7x1x16 rc64", convDag(14, 256),
        tiledSteps(3, {{1, {1, 1, 1}}, {14, {1, 7, 2}}, {14, {1, 7, 2}}, {256, {1, 1, 16}}},
                   {{3, 3}, {3, 3}, {256, 64}}, 16, 1, 4));
    add("conv 7x7x512 5x16", convDag(7, 512),
        tiledSteps(3, {{1, {1, 1, 1}}, {7, {1, 7, 1}}, {7, {1, 2, 4}}, {512, {1, 1, 16}}}, {{3, 1}, {3, 1}, {512, 512}},
                   16, 1, 4));
    add("conv 7x7x512 7x8", convDag(7, 512),
        tiledSteps(3, {{1, {1, 1, 1}}, {7, {1, 7, 1}}, {7, {1, 1, 7}}, {512, {1, 1, 8}}}, {{3, 1}, {3, 1}, {512, 512}},
                   16, 1, 4));
    add("batch matmul 12x128x128x64", batchMatmulDag(12, 128, 128, 64),
        tiledSteps(2, {{12, {1, 1, 1}}, {128, {1, 16, 4}}, {128, {1, 4, 16}}}, {{64, 64}}, 16));
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
    candidate.kernel = std::make_unique<LoadedKernel>(code->kernel.object);
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
        fmt::print("{:<36} {:>9} {:>9} {:>8} {:>8} {:>8} {:>11}\n", "", "ms", "best ms", "GFLOP/s", "of peak",
                   "at best", "compile ms");
        for (Candidate &candidate : candidates) {
            const double median = candidate.median();
            const double gflops = candidate.flops / median * 1e-9;
            const double best = candidate.seconds.front();
            fmt::print("{:<36} {:>9.3f} {:>9.3f} {:>8.1f} {:>7.0f}% {:>7.0f}% {:>11.1f}\n", candidate.name,
                       median * 1e3, best * 1e3, gflops, 100 * gflops / peak, candidate.flops / best * 1e-7 / peak,
                       candidate.compileSeconds * 1e3);
        }
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
