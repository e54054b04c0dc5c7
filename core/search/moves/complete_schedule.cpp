#include "search/moves/complete_schedule.h"

#include "search/annotate/annotate_rule.h"
#include "search/target_rules.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace loopscope {

Outcome<ChangedSchedule> completeSchedule(const Task &task, const Steps &schedule, uint64_t seed,
                                          const SearchOptions &options) {
    const auto start = replay(task.dag, schedule);
    if (!start) return start.refusal();
    constexpr uint64_t kAttempts = 64;
    Scratch scratch;
    std::string reason;
    for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
        Random random(seed, (uint64_t{7} << 61) + attempt);
        const auto state = annotateOpen({task.target, options, random, scratch}, *start);
        if (!state) {
            reason = state.why();
            continue;
        }
        Candidate complete;
        complete.steps = state->steps();
        if (complete.steps == schedule) continue;
        if (!evaluateLocked(options, task.dag, task.target, complete, scratch, reason)) continue;
        auto lines = alignSteps(task.dag, schedule, complete.steps);
        if (!lines) return lines.refusal();
        return ChangedSchedule{std::move(complete.steps), "complete", std::move(lines).value()};
    }
    if (!reason.empty())
        return Refusal{fmt::format("none of {} ways to complete it that were drawn is legal: {}", kAttempts, reason)};
    return Refusal{"nothing is open: every length is a number, and no stage lacks parallel loops, vectors or unrolling "
                   "that the search would give it"};
}

} // namespace loopscope
