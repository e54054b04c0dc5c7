// What the libraries reach on this machine, on the shapes of benchmark_shapes.h:
//   peers_bench [--threads N] [--rounds N] [--against NAME[,NAME...]] [CLASS-PREFIX ...]      e.g. peers_bench
//   --threads 2 GMM
// Samples of the libraries are interleaved. The percentage is of the FMA peak of the cores used, at the third best.

#include "benchmark_shapes.h"
#include "fma_peak.h"
#include "peers/peer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

using namespace loopscope;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// What the machine does when nothing disturbs it: with two threads on a virtual machine, both may share a core for
/// milliseconds, which a median of few samples does not always leave out.
double thirdBest(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[std::min<size_t>(2, values.size() - 1)];
}

struct Contender {
    std::shared_ptr<const Peer> peer;
    std::unique_ptr<PreparedPeer> prepared;
    int repeats = 1;
    std::vector<double> samples;
};

/// One sample: warm caches and workers, then as many runs as fill about 5 ms.
double sample(Contender &contender) {
    contender.prepared->run();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < contender.repeats; ++i) contender.prepared->run();
    return secondsSince(start) / contender.repeats;
}

void rest(const Contender &contender, int threads) {
    if (threads > 1) std::this_thread::sleep_for(std::chrono::duration<double>(contender.peer->restSeconds()));
}

void measure(const BenchmarkShape &shape, const std::vector<std::shared_ptr<const Peer>> &peers, int threads,
             int rounds, double peak) {
    const PeerSizes sizes = bufferSizes(shape.problem);
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
    const PeerBuffers buffers{data.data(),     weights.data(),  channels.data(),
                              channels.data(), channels.data(), out.data()};

    std::vector<Contender> contenders;
    for (const auto &peer : peers) {
        auto prepared = peer->prepare(shape.problem, buffers, threads);
        if (!prepared) continue; // the table shows only what a library can do
        Contender contender{peer, std::move(prepared).value(), 1, {}};
        contender.prepared->run();
        const Clock::time_point start = Clock::now();
        contender.prepared->run();
        contender.repeats = std::clamp(int(5e-3 / secondsSince(start)), 1, 2000);
        rest(contender, threads);
        contenders.push_back(std::move(contender));
    }
    for (int round = 0; round < rounds; ++round)
        for (Contender &contender : contenders) {
            contender.samples.push_back(sample(contender));
            rest(contender, threads);
        }
    const double work = flops(shape.problem);
    for (const Contender &contender : contenders) {
        const double seconds = median(contender.samples);
        const double best = thirdBest(contender.samples);
        std::printf(
            "%-6s %d  %-22s median %9.1f us %6.1f GFLOP/s, third best %9.1f us %6.1f GFLOP/s %3.0f %%  %-11s %s\n",
            shape.name.c_str(), threads, contender.peer->name().c_str(), seconds * 1e6, work / seconds * 1e-9,
            best * 1e6, work / best * 1e-9, 100 * work / best * 1e-9 / (peak * threads),
            contender.prepared->implementation().c_str(), describe(shape.problem).c_str());
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
        std::fprintf(stderr, "peers_bench: --threads and --rounds take a number from 1 up\n");
        return 2;
    }
    const double peak = fmaPeakGflops();
    std::printf("FMA peak of one core: %.1f GFLOP/s\n", peak);

    std::vector<std::shared_ptr<const Peer>> peers;
    for (const PeerKind kind : allPeers()) {
        if (("," + against + ",").find("," + std::string(peerName(kind)) + ",") == std::string::npos) continue;
        auto peer = openPeer(kind);
        if (peer)
            peers.push_back(*peer);
        else
            std::printf("%s is left out: %s\n", std::string(peerName(kind)).c_str(), peer.why().c_str());
    }
    for (const BenchmarkShape &shape : benchmarkShapes()) {
        const bool chosen = wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string &prefix) {
                                return shape.name.starts_with(prefix);
                            });
        if (chosen) measure(shape, peers, threads, rounds, peak);
    }
}
