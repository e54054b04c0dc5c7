#include "measure/compare/explain_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace loopscope {

namespace {

/// Of how many differences all twos are tried.
constexpr size_t kMaxCoupled = 40;

struct PossibleSwap {
    std::vector<size_t> pairs;
    Steps steps;
};

/// What could come next: each of the differences left that applies to the schedule as it is; where none does, each two
/// that do so together (what is fused, and the loop that is parallel then).
std::vector<PossibleSwap> possibleSwaps(const DagPtr &dag, const std::vector<StepPair> &pairs,
                                        const std::vector<bool> &made, const std::vector<size_t> &left) {
    std::vector<PossibleSwap> possible;
    const auto attempt = [&](std::vector<size_t> together) {
        std::vector<bool> next = made;
        for (const size_t pair : together) next[pair] = true;
        if (auto steps = mixedSteps(dag, pairs, next))
            possible.push_back({std::move(together), std::move(steps).value()});
    };
    for (const size_t pair : left) attempt({pair});
    if (!possible.empty() || left.size() > kMaxCoupled) return possible;
    for (size_t i = 0; i < left.size(); ++i)
        for (size_t j = i + 1; j < left.size(); ++j) attempt({left[i], left[j]});
    return possible;
}

/// The one whose kernel is fastest; nothing when none could be timed.
std::optional<size_t> fastestOf(Measurer &measurer, const std::vector<PossibleSwap> &possible, int rounds,
                                const MeasureWatch &watch) {
    if (possible.size() == 1) return 0;
    std::vector<Steps> candidates;
    for (const PossibleSwap &swap : possible) candidates.push_back(swap.steps);
    const auto samples = measurer.measureInterleaved(candidates, rounds, watch);
    std::optional<size_t> fastest;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < samples.size(); ++i) {
        const TimeInterval time = quartileInterval(samples[i].seconds, samples[i].least);
        if (!time.known() || time.seconds >= least) continue;
        least = time.seconds;
        fastest = i;
    }
    return fastest;
}

} // namespace

Outcome<std::vector<ExplainedStep>> explainDifference(const DagPtr &dag, Measurer &measurer,
                                                      const std::vector<StepPair> &pairs, const ExplainOptions &options,
                                                      const MeasureWatch &watch,
                                                      const std::function<void(size_t, size_t)> &onProgress) {
    std::vector<size_t> left;
    for (size_t i = 0; i < pairs.size(); ++i)
        if (!pairs[i].same) left.push_back(i);
    const size_t all = left.size();
    std::vector<bool> made(pairs.size(), false);
    auto now = mixedSteps(dag, pairs, made);
    if (!now) return now.refusal();
    std::vector<ExplainedStep> explained;
    while (!left.empty()) {
        const auto possible = possibleSwaps(dag, pairs, made, left);
        const auto fastest =
            possible.empty() ? std::nullopt : fastestOf(measurer, possible, options.screeningRounds, watch);
        if (watch.cancelled()) return Refusal{"the explanation was cancelled"};
        ExplainedStep step;
        if (fastest) {
            step.pairs = possible[*fastest].pairs;
        } else {
            step.pairs = left; // they only go together, and that is B
        }
        for (const size_t pair : step.pairs) {
            made[pair] = true;
            std::erase(left, pair);
        }
        const auto after = mixedSteps(dag, pairs, made);
        if (!after) return after.refusal();
        const auto timed = timePair(measurer, *now, *after, options.timing, watch);
        if (!timed) return timed.refusal();
        step.interval = timed->interval;
        explained.push_back(std::move(step));
        now = after;
        if (onProgress) onProgress(all - left.size(), all);
    }
    double whole = 0;
    for (const ExplainedStep &step : explained) whole += std::log(step.interval.ratio);
    for (ExplainedStep &step : explained) step.share = whole == 0 ? 0 : std::log(step.interval.ratio) / whole;
    return explained;
}

} // namespace loopscope
