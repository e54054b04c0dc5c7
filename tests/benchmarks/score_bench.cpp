// What it costs to score one candidate of a search on one core, phase by phase: replay of its steps, bounds, identity,
// loop nest, features, analytic estimate, and the model's prediction; for random complete schedules of conv2d + bias +
// relu. Then one whole evolution with the trained model, on two threads. Run on a quiet machine.

#include "base/random.h"
#include "codegen/lower/lower.h"
#include "codegen/lower/passes.h"
#include "harness/sample_dags.h"
#include "schedule/state_key.h"
#include "search/annotate/sample_population.h"
#include "search/cost/cost_model.h"
#include "search/cost/draft_estimate.h"
#include "search/evolve/evolve_population.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

using namespace loopscope;

namespace {

enum Phase : uint8_t { Replay, Bounds, Key, Nest, Features, Draft, Predict, kPhases };
constexpr const char *kNames[kPhases] = {"replay", "bounds", "key", "nest", "features", "draft", "predict"};
constexpr int kRepeats = 7;

class Clock {
  public:
    double lap() { // microseconds since the last call
        const auto now = std::chrono::steady_clock::now();
        const double passed = std::chrono::duration<double, std::micro>(now - m_last).count();
        m_last = now;
        return passed;
    }

  private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

/// As many programs as a long search measures, with made-up times: what matters is how deep the trees are.
void train(CostModel &model, const std::vector<Candidate> &candidates) {
    Random random(7, 0);
    std::vector<TrainingSample> samples;
    for (size_t i = 0; i < candidates.size() && i < 1000; ++i)
        samples.push_back({*candidates[i].rows, 1e-3 * std::exp(2 * random.uniform()), 0});
    const TrainingReport report = model.update(samples);
    std::printf("  model: %zu programs, %d trees, trained in %.2f s\n", report.samples, report.trees, report.seconds);
}

std::array<double, kPhases> scoreAll(const Task &task, const std::vector<Candidate> &candidates, CostModel &model) {
    std::array<double, kPhases> spent{};
    Scratch scratch;
    FeatureMatrix matrix;
    for (const Candidate &candidate : candidates) {
        scratch.arena.reset();
        const ArenaScope scope(scratch.arena);
        Clock clock;
        auto state = replay(task.dag, candidate.steps);
        const bool nested = nestsParallelLoops(*state);
        spent[Replay] += clock.lap();
        const auto bounded = inferBounds(std::move(*state));
        spent[Bounds] += clock.lap();
        const StateKey key = stateKey(bounded->state);
        spent[Key] += clock.lap();
        auto nest = buildLoopNest(*bounded, {.forFeatures = true});
        spent[Nest] += clock.lap();
        extractFeatures(*nest, task.target, scratch.rows);
        matrix.append(scratch.rows);
        spent[Features] += clock.lap();
        splitPhases(*nest, {bounded->state, task.target});
        const double draft = draftEstimateFor(task.target.kind)(*nest, task.target);
        spent[Draft] += clock.lap();
        if (nested || !(key == candidate.key) || draft != candidate.draft) {
            std::fprintf(stderr, "a candidate scored differently the second time\n");
            std::exit(1);
        }
    }
    Clock clock;
    std::vector<float> scores;
    model.predict(matrix, scores);
    spent[Predict] = clock.lap();
    for (double &sum : spent) sum /= static_cast<double>(candidates.size());
    return spent;
}

/// Seconds of one evolution, first scores to the best candidates out.
void evolve(const Task &task, const SearchOptions &options, const std::vector<Candidate> &population,
            CostModel &model) {
    ThreadPool pool(2);
    std::vector<Scratch> scratch(2);
    std::vector<double> seconds;
    size_t kept = 0;
    for (int r = 0; r < kRepeats; ++r) {
        Clock clock;
        const auto best = evolvePopulation(
            task, options, 2 + r, options.generations, population, 64,
            [&](std::vector<Candidate> &candidates) { scoreCandidates(candidates, model, 0, 1); },
            [](const StateKey &) { return false; }, pool, scratch, [](const SearchEvent &) {});
        seconds.push_back(clock.lap() * 1e-6);
        kept = best.size();
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf("  evolution: population %d, %d generations, 2 threads: %.2f s (median of %d), best %zu kept\n",
                options.population, options.generations, seconds[kRepeats / 2], kRepeats, kept);
}

void measure(const char *name, DagPtr dag) {
    const Task task = makeTask(std::move(dag), parseTarget("llvm -num-cores=2"));
    SearchOptions options;
    ThreadPool pool(1);
    std::vector<Scratch> scratch(1);
    const auto sketches = generateSketches(task.dag, task.target, options.sketch);
    Clock clock;
    const auto sampled =
        samplePopulation(task, sketches, options, 1, [](const StateKey &) { return false; }, pool, scratch);
    const double sampling = clock.lap() / sampled.attempts;
    const auto &candidates = sampled.candidates;
    std::printf("%s: %zu sketches, %d random attempts, %zu candidates (%.0f us an attempt)\n", name, sketches.size(),
                sampled.attempts, candidates.size(), sampling);
    const auto model = makeXgboostModel({});
    train(*model, candidates);

    std::array<std::array<double, kRepeats>, kPhases + 1> laps{};
    for (size_t r = 0; r < kRepeats; ++r) {
        const auto spent = scoreAll(task, candidates, *model);
        for (size_t p = 0; p < kPhases; ++p) {
            laps[p][r] = spent[p];
            laps[kPhases][r] += spent[p];
        }
    }
    for (auto &lap : laps) std::sort(lap.begin(), lap.end());
    for (size_t p = 0; p < kPhases; ++p) std::printf("  %-9s %6.1f us\n", kNames[p], laps[p][kRepeats / 2]);
    const double total = laps[kPhases][kRepeats / 2];
    std::printf("  %-9s %6.1f us = %.0f candidates per second and core (median of %d)\n", "all", total, 1e6 / total,
                kRepeats);
    evolve(task, options, candidates, *model);
}

} // namespace

int main() {
    measure("conv2d+bias+relu NCHW 1x512x7x7", conv2dBiasReluNchwDag());
    measure("conv2d+bias+relu NHWC 1x7x7x512", conv2dBiasReluNhwcDag(7, 7, 512, 512, 3, 1, 1));
    return 0;
}
