#include "explain/nearest_trials.h"

#include "schedule/steps_json.h"

#include <algorithm>
#include <numeric>
#include <string>

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

std::vector<NearTrial> nearestTrials(const DagPtr &dag, const Steps &steps, size_t trials,
                                     const std::function<Steps(size_t)> &stepsOf, size_t most) {
    const std::vector<std::string> own = sortedTexts(steps);
    std::vector<size_t> far(trials);
    for (size_t i = 0; i < trials; ++i) far[i] = distance(own, sortedTexts(stepsOf(i)));
    std::vector<size_t> order(trials);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return far[a] < far[b]; });
    // Numbers move when a stage is inserted in front: somewhat more are looked at than are wanted.
    constexpr size_t kLookedAt = 4;
    order.resize(std::min(order.size(), kLookedAt * most));
    std::vector<NearTrial> near;
    for (const size_t trial : order) {
        auto pairs = alignSteps(dag, steps, stepsOf(trial));
        if (!pairs) continue;
        NearTrial one{trial, {}};
        for (StepPair &pair : *pairs)
            if (!pair.same) one.differences.push_back(std::move(pair));
        near.push_back(std::move(one));
    }
    std::stable_sort(near.begin(), near.end(), [](const NearTrial &a, const NearTrial &b) {
        return a.differences.size() < b.differences.size();
    });
    if (near.size() > most) near.resize(most);
    return near;
}

} // namespace loopscope
