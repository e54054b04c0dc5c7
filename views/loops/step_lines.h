#pragma once
// The steps of a schedule as sentences with names: which loop of which stage, with what, and which loops of the
// finished schedule each step concerns. Stage and loop numbers in a step hold only at the moment it is applied, so the
// steps are replayed one by one to find the names.

#include "schedule/edit_steps.h"

#include <QString>

#include <vector>

namespace loopscope {

/// Loops of the finished schedule by name; an empty iterator stands for the whole stage.
struct LoopTarget {
    QString stage;
    QString iterator;
    bool operator==(const LoopTarget &) const = default;
};

struct StepLine {
    int number = 0;     // from 0, as in logs and refusals
    QString tag;        // "SP"
    QString word;       // "split"
    QString stage;      // names at the time
    QString loop;       // one or several; empty when it is about the whole stage
    QString parameters; // "512 → 8 × 4 × 16"
    QString json;       // as in a log
    QString problem;    // why it could not be applied; the steps after it are not looked at
    std::vector<LoopTarget> targets;
};

std::vector<StepLine> describeSteps(const DagPtr &dag, const Steps &steps);
/// All of them, the refused ones, too, each with its reason.
std::vector<StepLine> describeSteps(const EditedSteps &steps);

} // namespace loopscope
