#pragma once
// An edited list of steps as people read and write it: each step in plain words, as a line of a script and as Ansor's
// array; and a line somebody types in the place of a step, read in the state there.

#include "schedule/edit_steps.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>
#include <vector>

namespace loopscope {

struct StepText {
    QString words;   // "split C.i into 4 × 8"
    QString script;  // "split C i into 8"
    QString array;   // ["SP", 2, 0, 32, [8], 1]
    QString problem; // why it does not apply, and what would be legal; empty: it applies
    bool operator==(const StepText &) const = default;
};

StepText stepTextOf(const EditedSteps &steps, size_t at);
/// Of all steps, the refused ones, too: these in the names they mean.
std::vector<StepText> stepTexts(const EditedSteps &steps);

/// Why a refused step does not apply, and what would be legal.
QString refusalText(const EditedSteps &steps, size_t at);

/// Followed steps count all of the list there, in states those alone that apply.
Step asApplied(const EditedSteps &steps, Step inList);
Step asListed(const EditedSteps &steps, size_t at, Step applied);

struct TypedStep {
    std::optional<Step> step; // in the list's numbers; none: it cannot be applied there
    QString problem;          // then why
    QStringList legal;        // and what could stand there
};
/// A line of a script in front of step `at`.
TypedStep readStep(const EditedSteps &steps, size_t at, const QString &line);

} // namespace loopscope
