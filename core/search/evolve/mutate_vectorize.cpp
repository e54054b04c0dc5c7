// Takes the vector annotation of one stage away, or gives one to a stage whose innermost loop has none. Ansor draws
// this once per sample and never changes it again.

#include "search/evolve/mutation.h"

namespace loopscope {

namespace {

std::optional<Steps> mutateVectorize(const MutationContext &context, const Steps &steps) {
    const auto replayed = replay(context.dag, steps);
    if (!replayed) return std::nullopt;
    const auto state = boundedState(*replayed, context.scratch);
    if (!state) return std::nullopt;
    struct Choice {
        bool remove;
        size_t step;
        StageId stage;
        IterId iter;
    };
    std::vector<Choice> choices;
    for (size_t i = 0; i < steps.size(); ++i)
        if (const auto *annotate = std::get_if<AnnotateStep>(&steps[i]);
            annotate && annotate->annotation == Annotation::Vectorize && context.mayChange(i))
            choices.push_back({true, i, {}, {}});
    for (size_t s = 0; s < state->stageCount(); ++s) {
        const Stage &stage = state->stage(StageId(s));
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined || stage.iters.empty()) continue;
        if (!context.mayAdd(StageId(s))) continue;
        const Iter &last = stage.iters.back();
        const IterId id(stage.iters.size() - 1);
        if (last.kind == IterKind::Spatial && last.annotation == Annotation::None && last.extent > 1 &&
            last.extent <= context.options.maxInnermostSplitFactor && !state->hasAttachedAt(StageId(s), id))
            choices.push_back({false, 0, StageId(s), id});
    }
    if (choices.empty()) return std::nullopt;
    const Choice &choice = choices[context.random.index(choices.size())];
    Steps child = steps;
    if (choice.remove) {
        // Later splits are followed by number, so only a step nobody counts past may go.
        for (size_t i = choice.step + 1; i < steps.size(); ++i)
            if (std::holds_alternative<FollowSplitStep>(steps[i]) ||
                std::holds_alternative<FollowFusedSplitStep>(steps[i]))
                return std::nullopt;
        child.erase(child.begin() + static_cast<ptrdiff_t>(choice.step));
    } else {
        child.emplace_back(AnnotateStep{choice.stage, choice.iter, Annotation::Vectorize});
    }
    return child;
}

} // namespace

const Mutation kMutateVectorize = {"vectorize", 0.03, mutateVectorize};

} // namespace loopscope
