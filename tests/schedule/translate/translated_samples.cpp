#include "schedule/translate/translated_samples.h"

#include "base/random.h"
#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "harness/sample_targets.h"
#include "language/te/workload.h"
#include "search/annotate/sample_population.h"

#include <QtGlobal>

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace loopscope {

const std::vector<TranslatedSample> &translatedSamples() {
    static const std::vector<TranslatedSample> samples = [] {
        const std::pair<const char *, ParamOverrides> of[] = {
            {"matmul", {{"M", 64}, {"N", 48}, {"K", 32}}},
            {"matmul_relu", {{"M", 37}, {"N", 41}, {"K", 29}}},
            {"matmul_int8", {{"M", 32}, {"N", 48}, {"K", 40}}},
            {"batch_matmul", {{"B", 2}, {"N", 24}, {"M", 20}, {"K", 16}}},
            {"conv2d_bias_relu", {{"CO", 16}, {"CI", 12}}},
            {"conv2d_bias_relu_nhwc", {{"H", 14}, {"W", 14}, {"CI", 8}, {"CO", 16}}},
            {"conv2d_bn_relu", {{"H", 12}, {"W", 12}, {"CI", 6}, {"CO", 16}}},
            {"conv1d_ncl", {{"CI", 8}, {"L", 32}, {"CO", 16}}},
            {"depthwise_conv2d_nhwc", {{"H", 14}, {"W", 14}, {"C", 8}}},
            {"conv2d_transpose_nhwc", {{"CI", 8}, {"CO", 12}}},
            {"conv2d_winograd_nhwc", {{"H", 8}, {"W", 8}, {"CI", 6}, {"CO", 8}, {"tile", 2}}},
            {"max_pool2d", {{"H", 15}, {"W", 15}, {"C", 8}}},
            {"avg_pool2d", {{"C", 6}, {"H", 11}, {"W", 11}}},
            {"softmax", {{"M", 24}, {"N", 40}}},
            {"layer_norm", {{"M", 12}, {"N", 48}}},
            {"norm", {{"B", 2}, {"M", 32}, {"N", 24}}},
            {"argmax", {{"M", 12}, {"N", 50}}},
            {"reduce", {{"M", 24}, {"N", 64}}},
            {"elementwise", {{"M", 32}, {"N", 24}}},
            {"gather", {{"N", 12}, {"V", 40}, {"D", 16}}},
            {"concat", {{"H", 6}, {"W", 6}, {"C1", 8}, {"C2", 12}}},
            {"transpose_batch_matmul", {{"length", 16}, {"heads", 3}, {"dim", 8}}},
        };
        std::vector<TranslatedSample> made;
        for (const auto &[name, overrides] : of)
            made.push_back({name, ComputeDag::fromWorkload(loadWorkload(
                                      std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/" + name + ".te", overrides))});
        return made;
    }();
    return samples;
}

DagPtr translatedSample(const std::string &name) {
    for (const TranslatedSample &sample : translatedSamples())
        if (sample.name == name) return sample.dag;
    throw std::runtime_error("no sample is called " + name);
}

std::vector<Steps> drawnSchedules(const DagPtr &dag, uint64_t seed, int count) {
    const Task task = makeTask(dag, processorTarget());
    SearchOptions options;
    options.seed = seed;
    options.population = std::max(8, count);
    options.minInitialPopulation = std::max(1, count);
    ThreadPool pool(1);
    std::vector<Scratch> scratch(1);
    const SampledPopulation drawn = samplePopulation(
        task, generateSketches(dag, task.target, options.sketch), options, 1, [](const StateKey &) { return false; },
        pool, scratch);
    std::vector<Steps> schedules;
    for (const Candidate &candidate : drawn.candidates)
        if (static_cast<int>(schedules.size()) < count) schedules.push_back(candidate.steps);
    return schedules;
}

RandomCase randomCase(uint64_t number) {
    static const std::vector<DagPtr> small = smallDags();
    number += static_cast<uint64_t>(qEnvironmentVariableIntValue("LOOPSCOPE_FIRST"));
    Random random(11, number);
    const DagPtr dag = number % 2 == 0 ? small[(number / 2) % small.size()] : randomDag(random, {.maxWork = 5000});
    const LoopState state = randomSchedule(dag, random, {.attempts = 25, .maxIterations = 100000});
    return {fmt::format("{} ({})", number, dag->name()), dag, state.steps()};
}

} // namespace loopscope
