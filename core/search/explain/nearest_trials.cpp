#include "search/explain/nearest_trials.h"

#include "schedule/steps_json.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace loopscope {

namespace {

std::vector<std::string> sortedTexts(const Steps &steps) {
    std::vector<std::string> texts;
    for (const Step &step : steps) texts.push_back(stepText(step));
    std::sort(texts.begin(), texts.end());
    return texts;
}

/// Steps of either list that the other has not.
size_t distance(const std::vector<std::string> &a, const std::vector<std::string> &b) {
    std::vector<std::string> only;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    return only.size();
}

} // namespace

std::vector<NearTrial> nearestTrials(const DagPtr &dag, const Steps &steps, const MeasuredTrials &trials, size_t most) {
    const std::vector<std::string> own = sortedTexts(steps);
    std::vector<size_t> far(trials.count);
    std::vector<double> seconds(trials.count);
    for (size_t i = 0; i < trials.count; ++i) {
        far[i] = distance(own, sortedTexts(trials.stepsOf(i)));
        const double time = trials.secondsOf(i);
        seconds[i] = time > 0 ? time : std::numeric_limits<double>::infinity();
    }
    std::vector<size_t> order(trials.count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::tie(far[a], seconds[a], a) < std::tie(far[b], seconds[b], b); });
    // Numbers move when a stage is inserted in front: somewhat more are looked at than are wanted.
    constexpr size_t kLookedAt = 4;
    order.resize(std::min(order.size(), kLookedAt * most));
    std::vector<NearTrial> near;
    for (const size_t trial : order) {
        auto pairs = alignSteps(dag, steps, trials.stepsOf(trial));
        if (!pairs) continue;
        NearTrial one{trial, {}};
        for (StepPair &pair : *pairs)
            if (!pair.same) one.differences.push_back(std::move(pair));
        near.push_back(std::move(one));
    }
    const auto key = [&](const NearTrial &one) {
        return std::make_tuple(one.differences.size(), seconds[one.trial], one.trial);
    };
    std::sort(near.begin(), near.end(), [&](const NearTrial &a, const NearTrial &b) { return key(a) < key(b); });
    if (near.size() > most) near.resize(most);
    return near;
}

} // namespace loopscope
