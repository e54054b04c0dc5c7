#pragma once
// Two step lists beside each other: which step of one is which of the other. They are compared as lines of scripts, by
// names, so that a stage inserted in front changes no number behind it.

#include "base/outcome.h"
#include "schedule/loop_state.h"

#include <string>
#include <vector>

namespace loopscope {

/// A step of both lists, or of one.
struct StepPair {
    int a = -1; // its number; -1: not in this list
    int b = -1;
    bool same = false;
    bool followed = false; // a line names it, by its label: p and the number of the pair
    std::string lineA;     // of the script, without the label; empty: none
    std::string lineB;
};

/// In order: the fewest differences, a step changed counting less than one gone and one come. A step is changed where
/// primitive, stage and loop are the same; of fuse, parallel and vectorize the loop may be another. A refusal where one
/// of the lists does not apply.
Outcome<std::vector<StepPair>> alignSteps(const DagPtr &dag, const Steps &a, const Steps &b);

/// A step of a schedule whose computation is not known, which can be told by numbers alone.
struct SpelledStep {
    std::string text;
    std::string place; // what kind of step, at which stage and loop: steps that share it are one that has changed
};
Outcome<std::vector<StepPair>> alignWords(const std::vector<SpelledStep> &a, const std::vector<SpelledStep> &b);

/// "split C i: 4, 8 → 8, 4": what two lines begin with, then how each goes on.
std::string lineChange(const std::string &before, const std::string &after);
/// A line for each pair that is not the same: how it changed, or "no longer: " or "new: " and its step.
std::vector<std::string> differences(const std::vector<StepPair> &pairs);

/// The steps of `a` with those pairs replaced by what `b` has there. A refusal where they do not apply together.
Outcome<Steps> mixedSteps(const DagPtr &dag, const std::vector<StepPair> &pairs, const std::vector<bool> &fromB);

} // namespace loopscope
