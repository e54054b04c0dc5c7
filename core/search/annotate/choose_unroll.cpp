#include "schedule/stage_facts.h"
#include "search/sketch/sketch_facts.h"
#include "search/target_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace loopscope {

namespace {

/// Ops that ask for it have their innermost loops over the listed axes unrolled, each axis once.
Outcome<LoopState> unrollListed(LoopState state, StageId id) {
    const auto listed = listedNames(state, id, "auto_scheduler_always_unroll_inner");
    if (listed.empty()) return state;
    std::set<std::string, std::less<>> seen;
    for (size_t i = state.stage(id).iters.size(); i > 0; --i) {
        const Iter &iter = state.stage(id).iters[i - 1];
        const auto names = originalIterNames(iter.name);
        const bool fresh = std::any_of(names.begin(), names.end(), [&](auto name) { return !seen.contains(name); });
        if (!fresh) break;
        for (const auto name : names) seen.emplace(name);
        if (names.size() == 1 && listed.contains(std::string(names.front())) && iter.annotation == Annotation::None) {
            auto unrolled = state.apply(AnnotateStep{id, IterId(i - 1), Annotation::Unroll});
            if (!unrolled) return unrolled;
            state = std::move(unrolled).value();
        }
    }
    return state;
}

Outcome<LoopState> chooseUnroll(const AnnotateContext &context, LoopState state) {
    const auto &limits = rulesFor(context.target.kind).unrollLimits;
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const StageId id(s);
        if (state.stage(id).op->isPlaceholder() || state.stage(id).location == ComputeLocation::Inlined) continue;
        const StageConstraint *constraint = constraintOf(context, state, id);
        const bool closed = constraint != nullptr && constraint->closed;
        if (closed && !constraint->pragma && !constraint->unrolls) continue;
        if (context.onlyOpen && state.stage(id).autoUnrollMaxStep >= 0) continue;
        auto listed = unrollListed(std::move(state), id);
        if (!listed) return listed;
        state = std::move(listed).value();
        if (!hasReduceIter(state.stage(id))) continue;
        if (closed && !constraint->pragma) continue;
        const int limit = limits[context.random.index(limits.size())];
        std::string text = fmt::format("auto_unroll_max_step${}", limit);
        if (constraint != nullptr && constraint->pragma) text = *constraint->pragma;
        auto limited = state.apply(PragmaStep{id, IterId(0), std::move(text)});
        if (!limited) return limited;
        state = std::move(limited).value();
    }
    return state;
}

} // namespace

const AnnotateRule kChooseUnroll = {"Unroll", chooseUnroll};

} // namespace loopscope
