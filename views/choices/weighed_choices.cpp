#include "views/choices/weighed_choices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace loopscope {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity(); // stands first

ChoiceAxis axisOf(const std::vector<float> &values) {
    const auto keyOf = [](float value) { return std::isnan(value) ? kNone : static_cast<double>(value); };
    std::map<double, int> places;
    for (const float value : values) places.emplace(keyOf(value), 0);
    ChoiceAxis axis;
    for (auto &[value, place] : places) {
        place = static_cast<int>(axis.values.size());
        axis.values.push_back(std::isinf(value) ? std::numeric_limits<double>::quiet_NaN() : value);
    }
    axis.placeOf.reserve(values.size());
    for (const float value : values) axis.placeOf.push_back(places[keyOf(value)]);
    return axis;
}

} // namespace

double WeighedChoices::share(int choice) const {
    return importance.share.empty() ? std::numeric_limits<double>::quiet_NaN()
                                    : importance.share[static_cast<size_t>(choice)];
}

double firstSeconds(const TrialEntry &entry) {
    return entry.valid() ? entry.trial.cost() : std::numeric_limits<double>::infinity();
}

bool noneTimed(const TaskState *state) {
    if (state == nullptr) return false;
    const auto timed = [](const TrialEntry &entry) { return entry.valid() && !entry.untimed(); };
    return std::ranges::any_of(state->trials, &TrialEntry::valid) && std::ranges::none_of(state->trials, timed);
}

ChoiceInput choiceInput(const TaskState &state) {
    ChoiceInput input;
    input.dag = state.task->dag;
    input.schedules.reserve(state.trials.size());
    input.seconds.reserve(state.trials.size());
    for (const TrialEntry &entry : state.trials) {
        input.schedules.push_back(entry.trial.steps);
        input.seconds.push_back(firstSeconds(entry));
    }
    return input;
}

WeighedChoicesPtr weighChoices(const ChoiceInput &input, const std::atomic<bool> &cancel) {
    auto weighed = std::make_shared<WeighedChoices>();
    weighed->trials = input.schedules.size();
    weighed->table = choiceTable(input.dag, input.schedules, &cancel);
    weighed->importance = choiceImportance(weighed->table, input.seconds, &cancel);
    for (const auto &values : weighed->table.values) weighed->axes.push_back(axisOf(values));
    weighed->order.resize(weighed->table.choices.size());
    std::iota(weighed->order.begin(), weighed->order.end(), 0);
    if (!weighed->importance.share.empty())
        std::stable_sort(weighed->order.begin(), weighed->order.end(),
                         [&](int a, int b) { return weighed->share(a) > weighed->share(b); });
    return weighed;
}

} // namespace loopscope
