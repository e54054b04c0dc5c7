#pragma once
// Kernels selected where they run. How long one takes depends on where the one before left its data: in which
// thread's caches, in which part of memory. So all alternatives of a kernel stand next to each other in one plan, a run
// takes one of each, and each is timed together with what runs right after it; one task after the other, as what is
// chosen for one changes what the next one finds.

#include "deploy/plan/plan_runner.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loopscope {

/// Kernels that one choice is made for.
struct SelectionTask {
    uint64_t alternatives = 1;
    double terms = 1; // that one element of the answer sums up
};

struct SelectionPlace {
    static constexpr uint64_t kNoTask = UINT64_MAX;
    uint64_t call = 0;       // of the plan; of the first alternative, which the others stand behind
    uint64_t task = kNoTask; // one call, without alternatives
};

struct PlanSelection {
    std::vector<SelectionTask> tasks;
    std::vector<SelectionPlace> places; // in the order in which they run
};

struct SelectionRules {
    int screening = 3; // runs of each alternative; the fastest `few` then have `rounds`
    uint64_t few = 4;
    int rounds = 9;
    int sweeps = 2;        // over all tasks
    double seconds = 120;  // about so long at most: fewer sweeps, then fewer runs of each, where that is not enough
    double worthIt = 0.99; // of the time with what is chosen so far
};

struct SelectedTask {
    uint64_t chosen = 0;              // the first alternative stays where none is faster
    double secondsBefore = 0;         // with the first, of its kernels and what runs right after each
    double seconds = 0;               // with the chosen one
    std::vector<uint64_t> wrong = {}; // alternatives that took no part, as their answers differ from the first one's
    std::vector<std::string> problems = {}; // in what, of each
};

struct SelectionOutcome {
    std::vector<SelectedTask> tasks;
    double secondsBefore = 0; // of a run with the first of each
    double seconds = 0;       // of one with those chosen, timed in turn with that
};

/// What makes the selection none of the plan's, as a sentence; nothing when it is one.
std::optional<std::string> problemOf(const PlanSelection &selection, const ExecutionPlan &plan);

/// On what the inputs hold; whoever asks has the machine to himself meanwhile. Where a run with all that was chosen is
/// no faster, nothing is. `progress` is told of each task before it is looked at.
SelectionOutcome selectInContext(PlanRunner &runner, const PlanSelection &selection, const SelectionRules &rules,
                                 const std::function<void(size_t done, size_t of, size_t task)> &progress = {});

} // namespace loopscope
