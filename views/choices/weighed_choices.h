#pragma once
// In what the trials of a task differ, each difference with its weight in their times: what the view of choices shows.
// Made in a job, then only read.

#include "schedule/choices/choice_importance.h"
#include "views/session/document.h"

#include <atomic>
#include <memory>
#include <vector>

namespace loopscope {

/// Where the values of a choice stand on an axis: one place for each value that occurs, ascending, "none" first.
struct ChoiceAxis {
    std::vector<double> values; // that occur; the first may be NaN
    std::vector<int> placeOf;   // of each trial, in `values`
    [[nodiscard]] size_t places() const { return values.size(); }
};

struct WeighedChoices {
    ChoiceTable table; // of all trials there were
    ChoiceImportance importance;
    std::vector<int> order;       // of the choices, the weightiest first
    std::vector<ChoiceAxis> axes; // of each choice
    size_t trials = 0;

    [[nodiscard]] double share(int choice) const; // NaN when nothing could be weighed
};
using WeighedChoicesPtr = std::shared_ptr<const WeighedChoices>;

/// What the job needs of the document, copied: packed steps are shared.
struct ChoiceInput {
    DagPtr dag;
    std::vector<PackedSteps> schedules;
    std::vector<double> seconds; // +inf: failed
};
ChoiceInput choiceInput(const TaskState &state); // a task that is known
/// As it was measured first, which all trials were; some were measured again at another time. +inf: it failed.
double firstSeconds(const TrialEntry &entry);
/// There are trials whose answers are right, and no time of any.
bool noneTimed(const TaskState *state);
WeighedChoicesPtr weighChoices(const ChoiceInput &input, const std::atomic<bool> &cancel);

} // namespace loopscope
