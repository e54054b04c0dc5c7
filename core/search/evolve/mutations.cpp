#include "check.h"
#include "schedule/stepwise_replay.h"
#include "search/annotate/gpu_lengths.h"
#include "search/target_rules.h"

namespace loopscope {

const Mutation &drawMutation(TargetKind kind, Random &random) {
    const std::vector<const Mutation *> &mutations = rulesFor(kind).mutations;
    LOOPSCOPE_CHECK(!mutations.empty(), "only targets with mutations are searched (whatSearchLacks)");
    double total = 0;
    for (const auto *mutation : mutations) total += mutation->weight;
    double ticket = random.uniform() * total;
    for (const auto *mutation : mutations) {
        ticket -= mutation->weight;
        if (ticket < 0) return *mutation;
    }
    return *mutations.back();
}

MutatedSteps mutate(const MutationContext &context, const Steps &steps) {
    const Mutation &first = drawMutation(context.target.kind, context.random);
    MutatedSteps mutated{first.name, first.apply(context, steps)};
    if (mutated.steps || context.locked == nullptr) return mutated;
    std::vector<const Mutation *> left = rulesFor(context.target.kind).mutations;
    std::erase(left, &first);
    while (!left.empty() && !mutated.steps) {
        double total = 0;
        for (const auto *mutation : left) total += mutation->weight;
        double ticket = context.random.uniform() * total;
        size_t at = 0;
        while (at + 1 < left.size() && (ticket -= left[at]->weight) >= 0) ++at;
        mutated = {left[at]->name, left[at]->apply(context, steps)};
        left.erase(left.begin() + static_cast<ptrdiff_t>(at));
    }
    return mutated;
}

Steps withKnownExtents(const DagPtr &dag, Steps steps) {
    StepwiseReplay replay(dag, steps.size());
    for (Step &step : steps) {
        if (auto *split = std::get_if<SplitStep>(&step); split && split->stage.index() < replay.state().stageCount()) {
            const auto &iters = replay.state().stage(split->stage).iters;
            if (split->iter.index() < iters.size() && iters[split->iter.index()].extent > 0)
                split->extent = iters[split->iter.index()].extent;
        }
        if (replay.apply(step)) break; // whoever replays it says why
    }
    return steps;
}

std::optional<Steps> crossover(const Steps &first, const Steps &second, Random &random) {
    // Same sketch: the same splits of the same loops, in the same order.
    std::vector<size_t> here;
    std::vector<const SplitStep *> there;
    for (size_t i = 0; i < first.size(); ++i)
        if (std::holds_alternative<SplitStep>(first[i])) here.push_back(i);
    for (const auto &step : second)
        if (const auto *split = std::get_if<SplitStep>(&step)) there.push_back(split);
    if (here.size() != there.size() || here.empty()) return std::nullopt;
    bool differs = false;
    for (size_t i = 0; i < here.size(); ++i) {
        const auto &mine = std::get<SplitStep>(first[here[i]]);
        // What a block fetches is as long as its tiles make it.
        const bool sameLoop = mine.extent == there[i]->extent || splitsFetch(first, here[i]);
        if (mine.stage != there[i]->stage || mine.iter != there[i]->iter || !sameLoop ||
            mine.lengths.size() != there[i]->lengths.size())
            return std::nullopt;
        differs = differs || mine.lengths != there[i]->lengths;
    }
    if (!differs) return std::nullopt;
    Steps child = first;
    bool changed = false;
    for (size_t i = 0; i < here.size(); ++i) {
        auto &mine = std::get<SplitStep>(child[here[i]]);
        if (random.below(2) == 0 || mine.lengths == there[i]->lengths) continue;
        mine.lengths = there[i]->lengths;
        changed = true;
    }
    if (!changed) return std::nullopt;
    return child;
}

} // namespace loopscope
