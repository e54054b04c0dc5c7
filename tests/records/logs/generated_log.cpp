#include "generated_log.h"

#include "base/random.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace loopscope {

namespace {

constexpr size_t kTasks = 30;
constexpr size_t kRound = 64;

int64_t factor(Random &random) { return int64_t{1} << random.below(6); }

void split(std::string &out, Random &random, int iter, int extent, int parts) {
    fmt::format_to(std::back_inserter(out), R"(["SP", 3, {}, {}, [)", iter, extent);
    for (int i = 0; i < parts; ++i) fmt::format_to(std::back_inserter(out), "{}{}", i > 0 ? ", " : "", factor(random));
    out += "], 1], ";
}

/// A convolution tiled for a processor: some 800 bytes.
void processorSteps(std::string &out, Random &random, int extent) {
    out += R"(["CI", 5], )";
    const std::array<int, 4> iters{0, 4, 8, 12};
    for (const int iter : iters) split(out, random, iter, iter == 0 ? 1 : extent, 3);
    split(out, random, 16, 512, 1);
    split(out, random, 18, 3, 1);
    split(out, random, 20, 3, 1);
    out += R"(["RE", 3, [0, 4, 8, 12, 1, 5, 9, 13, 16, 18, 20, 2, 6, 10, 14, 17, 19, 21, 3, 7, 11, 15]], )";
    out += R"(["FSP", 6, 0, 1, 2], ["FSP", 6, 3, 2, 2], ["RE", 6, [0, 3, 1, 4, 2, 5]], ["CA", 3, 6, 3], )";
    fmt::format_to(std::back_inserter(out), R"(["FU", 1, [{}]], ["AN", 1, 0, 3], ["FU", 3, [0, 1, 2]], )",
                   random.below(2) == 0 ? "0, 1" : "0, 1, 2");
    fmt::format_to(std::back_inserter(out), R"(["AN", 3, 0, 3], ["PR", 3, 0, "auto_unroll_max_step${}"], )",
                   16 << (2 * random.below(3)));
    fmt::format_to(std::back_inserter(out), R"(["AN", 1, 2, {}], ["AN", 3, 18, 2])", 1 + random.below(2));
}

/// The same for a GPU, with copies in shared memory: some 1400 bytes.
void gpuSteps(std::string &out, Random &random, int extent) {
    for (int iter = 0; iter < 20; iter += 5) split(out, random, iter, extent, 4);
    split(out, random, 20, 512, 2);
    split(out, random, 23, 3, 2);
    out +=
        R"(["RE", 3, [0, 5, 10, 15, 1, 6, 11, 16, 2, 7, 12, 17, 20, 23, 21, 24, 3, 8, 13, 18, 22, 25, 4, 9, 14, 19]], )"
        R"(["FSP", 5, 0, 0, 3], ["FSP", 5, 4, 1, 3], ["FSP", 5, 8, 2, 3], ["FSP", 5, 12, 3, 3], )"
        R"(["RE", 5, [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]], ["CA", 3, 5, 11], )"
        R"(["CHR", 2, "shared", [4]], ["CA", 3, 4, 14], ["CHR", 1, "shared", [5]], ["CA", 2, 5, 14], )"
        R"(["CI", 1], ["FU", 8, [0, 1, 2, 3]], ["AN", 8, 0, 5], ["FU", 8, [1, 2, 3, 4]], ["AN", 8, 1, 4], )"
        R"(["FU", 8, [2, 3, 4, 5]], ["AN", 8, 2, 6], ["FU", 4, [0, 1, 2, 3]], )";
    split(out, random, 0, extent * 4, 1);
    fmt::format_to(std::back_inserter(out),
                   R"(["AN", 4, 1, 2], ["FFSP", 4, 0, [0, 1, 2, 3], 1, 1], ["AN", 4, 1, 6], ["FU", 2, [0, 1, 2, 3]], )"
                   R"(["SP", 2, 0, {}, [{}], 1], ["AN", 2, 1, {}], ["FFSP", 2, 0, [0, 1, 2, 3], 1, 1], )"
                   R"(["AN", 2, 1, 6], ["PR", 5, 0, "auto_unroll_max_step${}"])",
                   extent * 16, factor(random), 2 + random.below(2), 16 << (2 * random.below(4)));
}

} // namespace

std::string GeneratedLog::lines(size_t record) const {
    Random random(m_seed, record);
    const size_t task = record / kRound % kTasks;
    const bool gpu = task % 2 == 1;
    const int extent = 7 << (task % 4);
    std::string out;
    const int error = random.below(16) == 0 ? static_cast<int>(1 + random.below(8)) : 0;
    if (error != 0 && task % 3 == 0)
        fmt::format_to(std::back_inserter(out), "# failed: stage {} writes past its buffer\n", random.below(9));
    fmt::format_to(std::back_inserter(out),
                   R"({{"i": [["[\"{:032x}\", [1, {}, {}, 64], [3, 3, 64, {}], [1, {}, {}, {}]]", "{}", )"
                   R"([{}], "", {}, []], [[], [)",
                   task * 0x9E3779B97F4A7C15ull, extent, extent, 8 << (task % 5), extent, extent, 8 << (task % 5),
                   gpu ? "cuda -keys=cuda,gpu -arch=sm_80 -max_num_threads=1024 -thread_warp_size=32"
                       : "llvm -keys=cpu -mcpu=skylake-avx512 -num-cores=16",
                   gpu ? "-1, 16, 64, 49152, 2147483647, 1024, 8, 32" : "16, 64, 64, 0, 0, 0, 0, 0", gpu ? 0 : 2);
    if (gpu) {
        gpuSteps(out, random, extent);
    } else {
        processorSteps(out, random, extent);
    }
    out += R"(]]], "r": [[)";
    const double seconds = 1e-5 * std::exp2(static_cast<double>(task % 8) + 6 * random.uniform());
    for (uint64_t i = 0; i <= (error == 0 ? task % 3 : 0); ++i)
        fmt::format_to(std::back_inserter(out), "{}{:.6g}", i > 0 ? ", " : "",
                       error != 0 ? 1e10 : seconds * (1 + 0.03 * random.uniform()));
    fmt::format_to(std::back_inserter(out),
                   R"(], {}, {:.6g}, {}], "v": "v0.6"}})"
                   "\n",
                   error, 0.5 + random.uniform(), 1700000000 + record / 3);
    return out;
}

uint64_t GeneratedLog::write(const std::string &path, size_t records) const {
    std::ofstream file(path, std::ios::binary);
    uint64_t bytes = 0;
    for (size_t i = 0; i < records; ++i) {
        const std::string text = lines(i);
        bytes += text.size();
        file << text;
    }
    return file.flush() ? bytes : 0;
}

} // namespace loopscope
