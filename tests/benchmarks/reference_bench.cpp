// How long the reference answer of each sample takes, with one thread and with all cores: a search waits for it before
// its first trial.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

using namespace loopscope;

int main(int argc, char **argv) {
    std::vector<std::string> paths(argv + 1, argv + argc);
    if (paths.empty())
        for (const auto &entry : std::filesystem::directory_iterator(LOOPSCOPE_SOURCE_DIR "/samples"))
            if (entry.path().extension() == ".te") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    double slowest = 0;
    for (const std::string &path : paths) {
        const auto dag = ComputeDag::fromWorkload(loadWorkload(path));
        const auto inputs = randomInputs(*dag, 1);
        const auto seconds = [&](int threads) {
            const auto start = std::chrono::steady_clock::now();
            interpret(*dag, inputs, threads);
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        const double one = seconds(1), all = seconds(cores);
        slowest = std::max(slowest, all);
        std::printf("%-60s %8.3f s %8.3f s\n", std::filesystem::path(path).stem().c_str(), one, all);
    }
    std::printf("slowest with %d threads: %.3f s\n", cores, slowest);
}
