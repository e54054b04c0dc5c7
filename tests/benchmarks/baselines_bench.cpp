// What the libraries reach on this machine, on the shapes of benchmark_shapes.h:
//   baselines_bench [--threads N] [--rounds N] [--against NAME[,NAME...]] [CLASS-PREFIX ...]      e.g. baselines_bench
//   --threads 2 GMM
// Samples of the libraries are interleaved. The percentage is of the FMA peak of the cores used, at the third best.

#include "benchmark_shapes.h"
#include "fma_peak.h"
#include "measure/baselines/baseline_process.h"
#include "sample_times.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

using namespace loopscope;

namespace {

/// What the machine does when nothing disturbs it: with two threads on a virtual machine, both may share a core for
/// milliseconds, which a median of few samples does not always leave out.
double thirdBest(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[std::min<size_t>(2, values.size() - 1)];
}

struct Contender {
    BaselineProcess *baseline = nullptr;
    std::string implementation;
    int repeats = 1;
    std::vector<double> samples;
};

void rest(const Contender &contender, int threads) {
    if (threads > 1) std::this_thread::sleep_for(std::chrono::duration<double>(contender.baseline->restSeconds()));
}

void measure(const BenchmarkShape &shape, const std::vector<std::unique_ptr<BaselineProcess>> &baselines, int threads,
             int rounds, double peak) {
    const BaselineSizes sizes = bufferSizes(shape.problem);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    auto fill = [&](size_t count) {
        std::vector<float> values(count);
        for (float &value : values) value = uniform(random);
        return values;
    };
    const std::vector<float> data = fill(sizes.data);
    const std::vector<float> weights = fill(sizes.weights);
    const std::vector<float> channels = fill(sizes.channels);
    std::vector<float> out(sizes.out);
    const BaselineBuffers buffers{data.data(),     weights.data(),  channels.data(),
                                  channels.data(), channels.data(), out.data()};

    std::vector<Contender> contenders;
    for (const auto &baseline : baselines) {
        if (baseline->died()) continue;
        const auto prepared = baseline->prepare(shape.problem, buffers, threads);
        const auto once = prepared ? baseline->time(1) : Outcome<double>(prepared.refusal());
        if (baseline->died())
            std::printf("%s is left out from here on: %s\n", baseline->name().c_str(), once.why().c_str());
        if (!once) continue; // the table shows only what a library can do
        contenders.push_back({baseline.get(), *prepared, std::clamp(int(5e-3 / *once), 1, 2000), {}});
        rest(contenders.back(), threads);
    }
    for (int round = 0; round < rounds; ++round)
        for (Contender &contender : contenders) {
            // About 5 ms, caches and workers warm.
            if (const auto seconds = contender.baseline->time(contender.repeats))
                contender.samples.push_back(*seconds / contender.repeats);
            rest(contender, threads);
        }
    const double work = flops(shape.problem);
    for (const Contender &contender : contenders) {
        if (contender.samples.empty()) continue;
        const double seconds = median(contender.samples);
        const double best = thirdBest(contender.samples);
        std::printf(
            "%-6s %d  %-22s median %9.1f us %6.1f GFLOP/s, third best %9.1f us %6.1f GFLOP/s %3.0f %%  %-11s %s\n",
            shape.name.c_str(), threads, contender.baseline->name().c_str(), seconds * 1e6, work / seconds * 1e-9,
            best * 1e6, work / best * 1e-9, 100 * work / best * 1e-9 / (peak * threads),
            contender.implementation.c_str(), describe(shape.problem).c_str());
    }
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
    int threads = 1;
    int rounds = 15;
    std::string against = "openblas,onednn,blis";
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--against") == 0 && i + 1 < argc)
            against = argv[++i];
        else
            wanted.emplace_back(argv[i]);
    }
    if (threads < 1 || rounds < 1) {
        std::fprintf(stderr, "baselines_bench: --threads and --rounds take a number from 1 up\n");
        return 2;
    }
    const double peak = fmaPeakGflops();
    std::printf("FMA peak of one core: %.1f GFLOP/s\n", peak);

    std::vector<std::unique_ptr<BaselineProcess>> baselines;
    for (const BaselineKind kind : allBaselines()) {
        if (("," + against + ",").find("," + std::string(baselineName(kind)) + ",") == std::string::npos) continue;
        auto baseline = BaselineProcess::start(kind);
        if (baseline)
            baselines.push_back(std::move(baseline).value());
        else
            std::printf("%s is left out: %s\n", std::string(baselineName(kind)).c_str(), baseline.why().c_str());
    }
    for (const BenchmarkShape &shape : benchmarkShapes()) {
        const bool chosen = wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string &prefix) {
                                return shape.name.starts_with(prefix);
                            });
        if (chosen) measure(shape, baselines, threads, rounds, peak);
    }
}
