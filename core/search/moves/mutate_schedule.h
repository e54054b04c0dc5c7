#pragma once
// The search's own changes, made one at a time and looked at: what one of its mutation rules makes of a schedule.

#include "base/outcome.h"
#include "language/target/target.h"
#include "language/task/task.h"
#include "measure/compare/aligned_steps.h"
#include "schedule/loop_state.h"
#include "search/search_options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// The rules of that kind of target, and "crossover" with another schedule.
std::vector<std::string> mutationRules(TargetKind kind);

struct MutationRequest {
    std::string rule;      // empty: one that applies, as likely as in a search
    uint64_t seed = 0;     // another seed, another change
    SearchOptions options; // limits of lengths, and locks, which are kept
    Steps other;           // for crossover; empty: there is none
};

/// A schedule and how it differs from the one it was made of.
struct ChangedSchedule {
    Steps steps;
    std::string rule;
    std::vector<StepPair> lines;
};

/// What the rule changes and the schedule has not, with what adds it; nothing where it has some, of which
/// mutateSchedule says whether it may be changed. Costs next to nothing.
std::optional<std::string> whatMutationLacks(std::string_view rule, const Steps &schedule);

/// Refused where the rule finds nothing it may change. The schedule made is legal and is another one.
Outcome<ChangedSchedule> mutateSchedule(const Task &task, const Steps &schedule, const MutationRequest &request);
/// The rules that find something.
std::vector<std::string> applicableMutations(const Task &task, const Steps &schedule, const MutationRequest &request);

} // namespace loopscope
