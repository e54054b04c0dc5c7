// Lengths first, since everything later asks for extents; then the rules of the kind of target, in order.

#include "schedule/script/script_words.h"
#include "search/target_rules.h"

namespace loopscope {

namespace {

/// Of each step, the lengths that locks want.
Outcome<std::vector<std::vector<int64_t>>> constrainedLengths(const ScheduleLocks &locks, const LoopState &sketch) {
    const auto named = lockableSteps(sketch.originalDag(), sketch.steps());
    if (!named) return named.refusal();
    std::vector<std::vector<int64_t>> constrained(named->steps.size());
    for (size_t i = 0; i < constrained.size(); ++i) {
        const LockableStep &step = named->steps[i];
        const StageConstraint *stage = step.lengths.empty() ? nullptr : locks.constraintOf(step.stage);
        const std::vector<int64_t> *lengths = stage != nullptr ? stage->lengthsOf(step.loop) : nullptr;
        if (lengths == nullptr) continue;
        constrained[i] = *lengths;
        constrained[i].resize(step.lengths.size());
    }
    return constrained;
}

Outcome<LoopState> filled(const AnnotateContext &context, const LoopState &sketch) {
    std::vector<std::vector<int64_t>> constrained;
    if (context.options.locks) {
        auto lengths = constrainedLengths(*context.options.locks, sketch);
        if (!lengths) return lengths.refusal();
        constrained = std::move(lengths).value();
    }
    auto replayed = replay(sketch.originalDag(), fillTileSizes(context, sketch.steps(), constrained));
    if (!replayed) return replayed;
    return boundedState(*replayed, context.scratch);
}

} // namespace

const StageConstraint *constraintOf(const AnnotateContext &context, const LoopState &state, StageId stage) {
    return context.options.locks ? context.options.locks->constraintOf(scriptStage(state, stage)) : nullptr;
}

Outcome<LoopState> annotate(const AnnotateContext &context, const LoopState &sketch) {
    auto state = filled(context, sketch);
    if (!state) return state;
    for (const AnnotateRule *rule : rulesFor(context.target.kind).annotateRules) {
        state = rule->apply(context, std::move(state).value());
        if (!state) return state;
    }
    return state;
}

Outcome<LoopState> annotateOpen(AnnotateContext context, const LoopState &schedule) {
    context.onlyOpen = true;
    return annotate(context, schedule);
}

} // namespace loopscope
