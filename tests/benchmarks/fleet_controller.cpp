#include "fleet_controller.h"

#include "harness/sample_dags.h"
#include "measure/fleet/fleet.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace loopscope;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

double computed() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// As long as those of a convolution: some thousand characters.
std::vector<Steps> candidates(size_t count) {
    std::vector<Steps> all;
    for (size_t i = 0; i < count; ++i) {
        Steps steps;
        for (int step = 0; step < 40; ++step)
            steps.emplace_back(SplitStep{StageId(2), IterId(step), 64, {static_cast<int>(i % 16) + 1, 4, 2}, true});
        all.push_back(std::move(steps));
    }
    return all;
}

double share(std::vector<double> &sorted, double part) {
    return sorted.empty() ? 0 : sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void run(size_t nodes) {
    constexpr size_t kOfEach = 24; // candidates for every node
    constexpr size_t kRounds = 4;
    std::vector<FleetNodeSpec> specs;
    for (size_t i = 0; i < nodes; ++i) specs.push_back({"n" + std::to_string(i + 1), {LOOPSCOPE_SCRIPTED_NODE}});
    FleetOptions options;
    options.tell = [](const std::string &sentence) { std::printf("  %s\n", sentence.c_str()); };
    options.tolerance = 1000;
    Fleet fleet(std::move(specs), std::move(options));
    const int task = fleet.add(makeTask(matmulDag(64, 64, 64), parseTarget("llvm")));
    if (!fleet.prepare(task, nullptr)) return;
    while (!std::ranges::all_of(fleet.nodes(), [](const NodeStatus &node) {
        return node.state == NodeState::Idle && node.reference > 0 && node.prepared > 0;
    }))
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::vector<std::vector<double>> handOut(kRounds), idle(kRounds);
    const double before = computed();
    const auto begin = Clock::now();
    std::vector<std::thread> rounds;
    for (size_t round = 0; round < kRounds; ++round)
        rounds.emplace_back([&, round] {
            const std::vector<Steps> steps = candidates(nodes * kOfEach / kRounds);
            fleet.measure(task, steps,
                          [&](size_t, const Trial &trial) {
                              if (trial.buildSeconds > 0) handOut[round].push_back(trial.buildSeconds);
                              if (trial.runSeconds > 0) idle[round].push_back(trial.runSeconds);
                          },
                          {});
        });
    for (std::thread &round : rounds) round.join();
    const double took = secondsSince(begin);
    std::vector<double> times;
    double waited = 0;
    for (size_t round = 0; round < kRounds; ++round) {
        times.insert(times.end(), handOut[round].begin(), handOut[round].end());
        for (const double seconds : idle[round]) waited += seconds;
    }
    std::sort(times.begin(), times.end());
    const auto trials = static_cast<double>(nodes * kOfEach);
    std::printf("%5zu nodes: %7.0f trials a minute; the next batch is there after %.2f ms, 99 %% within %.2f ms, all "
                "within %.2f ms; nodes had nothing to do for %.2f %% of the time before the last batches; the "
                "controller computes %.2f ms a trial, %.0f %% of a core\n",
                nodes, 60 * trials / took, 1e3 * share(times, 0.5), 1e3 * share(times, 0.99), 1e3 * share(times, 1),
                100 * waited / (took * static_cast<double>(nodes)), 1e3 * (computed() - before) / trials,
                100 * (computed() - before) / took);
    std::fflush(stdout);
}

} // namespace

int controllerBench(const std::vector<std::string> &words) {
    std::vector<size_t> nodes;
    for (size_t i = 0; i + 1 < words.size(); i += 2)
        if (words[i] == "--nodes") nodes.push_back(std::stoul(words[i + 1]));
    if (nodes.empty()) nodes = {1, 10, 50, 200};
    for (const size_t count : nodes) run(count);
    return 0;
}
