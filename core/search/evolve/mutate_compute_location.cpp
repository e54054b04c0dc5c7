// Computes a simple stage somewhere else: the places are those of the state as it stood when the step was applied.

#include "schedule/stage_facts.h"
#include "search/annotate/annotate_rule.h"
#include "search/evolve/mutation.h"

namespace loopscope {

namespace {

std::optional<Steps> mutateComputeLocation(const MutationContext &context, const Steps &steps) {
    if (!context.options.changeComputeLocation) return std::nullopt;
    std::vector<size_t> moves;
    for (size_t i = 0; i < steps.size(); ++i)
        if (context.mayChange(i) &&
            (std::holds_alternative<ComputeAtStep>(steps[i]) || std::holds_alternative<ComputeRootStep>(steps[i])))
            moves.push_back(i);
    if (moves.empty()) return std::nullopt;
    const size_t at = moves[context.random.index(moves.size())];
    const auto replayed = replay(context.dag, Steps(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(at)));
    if (!replayed || !replayed->concrete()) return std::nullopt;
    const StageId stage = stageOf(steps[at]);
    if (isTiled(replayed->stage(stage)) || replayed->dag()->access(stage.index()).needsMultiLevelTiling)
        return std::nullopt;
    const auto state = boundedState(*replayed, context.scratch);
    if (!state) return std::nullopt;
    auto places = computeLocations(*state, stage);
    if (const auto *now = std::get_if<ComputeAtStep>(&steps[at]))
        std::erase(places, AttachPoint{now->target, now->targetIter});
    const size_t choice = context.random.index(places.size() + 1);
    Steps child = steps;
    if (choice == places.size()) {
        if (std::holds_alternative<ComputeRootStep>(steps[at])) return std::nullopt;
        child[at] = ComputeRootStep{stage};
    } else {
        child[at] = ComputeAtStep{stage, places[choice].stage, places[choice].iter};
    }
    return child;
}

} // namespace

const Mutation kMutateComputeLocation = {"compute-location", 0.05, mutateComputeLocation};

} // namespace loopscope
