#pragma once
// A task for two cores with schedules drawn for it, and what scores and changes them.

#include "base/thread_pool.h"
#include "harness/sample_dags.h"
#include "language/task/task.h"
#include "search/annotate/sample_population.h"
#include "search/search_options.h"
#include "search/sketch/sketch.h"

#include <vector>

namespace loopscope {

inline Task plainTaskForTwoCores(const DagPtr &dag) {
    Target target;
    target.hardware.numCores = 2;
    return makeTask(dag, target);
}

struct SampledTask {
    SampledTask(const DagPtr &dag, int threads, int population, uint64_t seed = 0)
        : SampledTask(plainTaskForTwoCores(dag), threads, population, seed) {}
    SampledTask(const Task &of, int threads, int population, uint64_t seed)
        : task(of), pool(threads), scratch(static_cast<size_t>(pool.threads())) {
        options.population = population;
        options.seed = seed;
        const auto sketches = generateSketches(task.dag, task.target);
        const auto unknown = [](const StateKey &) { return false; };
        sampled = samplePopulation(task, sketches, options, 1, unknown, pool, scratch).candidates;
    }
    Task task;
    SearchOptions options;
    ThreadPool pool;
    std::vector<Scratch> scratch;
    std::vector<Candidate> sampled;
};

} // namespace loopscope
