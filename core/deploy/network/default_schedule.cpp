#include "deploy/network/default_schedule.h"

#include "search/annotate/sample_population.h"
#include "search/cost/draft_estimate.h"
#include "search/evolve/evolve_population.h"
#include "search/naive_schedule.h"
#include "search/sketch/sketch.h"

#include <algorithm>
#include <limits>
#include <string>

namespace loopscope {

namespace {

/// Of the least estimated time first.
Outcome<std::vector<Candidate>> bestCandidates(const Task &task, const DefaultScheduleOptions &options) {
    if (draftEstimateFor(task.target.kind) == nullptr)
        return Refusal{"there is no analytic estimate for the target `" + task.target.text() +
                       "`, so its kernels have to be tuned"};
    SearchOptions search;
    search.seed = options.seed;
    search.population = options.population;
    search.minInitialPopulation = std::max(1, options.population / 4);
    constexpr int kRound = 1;

    ThreadPool pool(1); // several tasks at once are what threads are for
    std::vector<Scratch> scratch(1);
    const auto sketches = generateSketches(task.dag, task.target, search.sketch);
    const auto unknown = [](const StateKey &) { return false; };
    auto sampled = samplePopulation(task, sketches, search, kRound, unknown, pool, scratch);

    double least = std::numeric_limits<double>::infinity();
    const auto score = [&least](std::vector<Candidate> &candidates) {
        for (const Candidate &candidate : candidates)
            if (candidate.draft > 0) least = std::min(least, candidate.draft);
        for (Candidate &candidate : candidates)
            candidate.score = candidate.draft > 0 ? static_cast<float>(least / candidate.draft)
                                                  : -std::numeric_limits<float>::infinity();
    };
    // Scores are relative to the least estimate so far, which a later generation may lower: sorted anew at the end.
    auto best =
        evolvePopulation(task, search, kRound, options.generations, std::move(sampled.candidates),
                         std::max<size_t>(64, options.keep), score, unknown, pool, scratch, [](const SearchEvent &) {});
    std::sort(best.begin(), best.end(), [](const Candidate &a, const Candidate &b) {
        return a.draft != b.draft ? a.draft < b.draft : a.key < b.key;
    });
    if (best.size() > options.keep) best.resize(options.keep);
    return best;
}

/// Estimates that are nearer to each other than this are of schedules that hardly differ.
constexpr double kAlike = 1.01;
constexpr size_t kDrawsPerTask = 3;

} // namespace

Outcome<std::vector<Steps>> variedSchedules(const Task &task, const DefaultScheduleOptions &options, size_t most) {
    std::vector<Candidate> drawn;
    for (size_t draw = 0; draw < kDrawsPerTask; ++draw) {
        DefaultScheduleOptions of = options;
        of.seed += draw;
        of.keep = 8 * most;
        auto best = bestCandidates(task, of);
        if (!best) return best.refusal();
        for (Candidate &candidate : *best)
            if (candidate.draft > 0) drawn.push_back(std::move(candidate));
    }
    std::ranges::stable_sort(drawn, {}, &Candidate::draft);
    std::vector<Steps> varied;
    double last = 0;
    for (Candidate &candidate : drawn) {
        if (varied.size() == most) break;
        if (candidate.draft < kAlike * last) continue;
        last = candidate.draft;
        varied.push_back(std::move(candidate.steps));
    }
    return varied;
}

Outcome<double> estimatedCycles(const Task &task, const DefaultScheduleOptions &options) {
    const auto best = bestCandidates(task, options);
    if (!best) return best.refusal();
    for (const Candidate &candidate : *best)
        if (candidate.draft > 0) return candidate.draft;
    Candidate naive;
    naive.steps = naiveSteps(task);
    Scratch scratch;
    std::string reason;
    if (!evaluate(task.dag, task.target, naive, scratch, reason)) return Refusal{reason};
    return naive.draft;
}

Outcome<std::vector<Steps>> defaultSchedules(const Task &task, const DefaultScheduleOptions &options) {
    auto best = bestCandidates(task, options);
    if (!best) return best.refusal();
    std::vector<Steps> schedules;
    for (Candidate &candidate : *best) schedules.push_back(std::move(candidate.steps));
    schedules.push_back(naiveSteps(task));
    return schedules;
}

} // namespace loopscope
