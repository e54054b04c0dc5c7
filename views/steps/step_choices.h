#pragma once
// What can stand in place of the numbers of a step: for each of them the legal ones, so that a schedule is changed by
// choosing. Lengths that do not divide a loop are legal, but cost a guard; they are kept apart.

#include "language/target/target.h"
#include "schedule/edit_steps.h"

#include <QString>

#include <cstddef>
#include <vector>

namespace loopscope {

struct StepChoice {
    QString label; // "8"
    Step step;     // with it, in the numbers of the list
    bool chosen = false;
    bool operator==(const StepChoice &) const = default;
};

struct ChoiceGroup {
    QString title; // "length of i.1"
    QString tip;   // a sentence; may be empty
    std::vector<StepChoice> choices;
    std::vector<StepChoice> guarded; // lengths that do not divide the loop
    bool operator==(const ChoiceGroup &) const = default;
};

/// Of step `at`; empty where there is nothing to choose, or the step does not apply.
std::vector<ChoiceGroup> stepChoices(const EditedSteps &steps, size_t at, const Target &target);

} // namespace loopscope
