#include "base/check.h"
#include "schedule/stepwise_replay.h"
#include "search/annotate/gpu_lengths.h"
#include "search/target_rules.h"

#include <algorithm>
#include <utility>

namespace loopscope {

const Mutation &drawMutation(TargetKind kind, Random &random) {
    const std::vector<const Mutation *> &mutations = rulesFor(kind).mutations;
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

std::vector<bool> splitAgain(const DagPtr &dag, const Steps &steps) {
    constexpr int kNobody = -1;
    std::vector<std::vector<int>> innermostOf; // by stage and loop: the split whose innermost part it is
    for (const OpPtr &op : dag->ops()) innermostOf.emplace_back(op->axes.size() + op->reduceRank(), kNobody);
    std::vector<bool> again(steps.size());
    bool any = false;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (const auto *split = std::get_if<SplitStep>(&steps[i])) {
            std::vector<int> &loops = innermostOf[split->stage.index()];
            const size_t at = split->iter.index();
            if (at >= loops.size() || !split->innerToOuter) return {};
            if (loops[at] != kNobody) any = again[static_cast<size_t>(loops[at])] = true;
            loops[at] = kNobody;
            loops.insert(loops.begin() + static_cast<ptrdiff_t>(at) + 1, split->lengths.size(), kNobody);
            loops[at + split->lengths.size()] = static_cast<int>(i);
        } else if (const auto *fuse = std::get_if<FuseStep>(&steps[i])) {
            std::vector<int> &loops = innermostOf[fuse->stage.index()];
            if (fuse->iters.empty() || fuse->iters.front().index() + fuse->iters.size() > loops.size()) return {};
            const auto first = loops.begin() + static_cast<ptrdiff_t>(fuse->iters.front().index());
            *first = kNobody;
            loops.erase(first + 1, first + static_cast<ptrdiff_t>(fuse->iters.size()));
        } else if (const auto *reorder = std::get_if<ReorderStep>(&steps[i])) {
            std::vector<int> &loops = innermostOf[reorder->stage.index()];
            if (reorder->order.size() != loops.size()) return {};
            std::vector<int> ordered;
            for (const IterId iter : reorder->order) ordered.push_back(loops[iter.index()]);
            loops = std::move(ordered);
        } else if (!std::holds_alternative<AnnotateStep>(steps[i]) && !std::holds_alternative<PragmaStep>(steps[i]) &&
                   !std::holds_alternative<ComputeAtStep>(steps[i]) &&
                   !std::holds_alternative<ComputeInlineStep>(steps[i]) &&
                   !std::holds_alternative<ComputeRootStep>(steps[i]) &&
                   !std::holds_alternative<StorageAlignStep>(steps[i])) {
            return {}; // stages come and get other numbers, or lengths follow those of others
        }
    }
    return any ? again : std::vector<bool>();
}

Steps withFittingLengths(const DagPtr &dag, Steps steps) {
    StepwiseReplay replay(dag, steps.size());
    for (Step &step : steps) {
        if (auto *split = std::get_if<SplitStep>(&step); split && split->stage.index() < replay.state().stageCount()) {
            const auto &iters = replay.state().stage(split->stage).iters;
            if (split->iter.index() < iters.size() && iters[split->iter.index()].extent > 0)
                split->extent = iters[split->iter.index()].extent;
            if (split->lengths.size() == 1 && split->extent > 0)
                split->lengths[0] = std::min(split->lengths[0], split->extent);
        }
        if (replay.apply(step)) break; // whoever replays it says why
    }
    return steps;
}

namespace {

/// What an earlier split made has other extents in each parent; it is the same loop all the same.
bool splitsPartOf(const Steps &steps, const std::vector<size_t> &splits, size_t which) {
    const auto &split = std::get<SplitStep>(steps[splits[which]]);
    return std::any_of(splits.begin(), splits.begin() + static_cast<ptrdiff_t>(which), [&](size_t earlier) {
        const auto &made = std::get<SplitStep>(steps[earlier]);
        return made.stage == split.stage && !made.lengths.empty() && made.lengths.back() == split.extent;
    });
}

} // namespace

std::optional<Steps> crossover(const Steps &first, const Steps &second, Random &random) {
    // Same sketch: the same splits of the same loops, in the same order.
    std::vector<size_t> here;
    std::vector<size_t> others;
    std::vector<const SplitStep *> there;
    for (size_t i = 0; i < first.size(); ++i)
        if (std::holds_alternative<SplitStep>(first[i])) here.push_back(i);
    for (size_t i = 0; i < second.size(); ++i)
        if (const auto *split = std::get_if<SplitStep>(&second[i])) {
            others.push_back(i);
            there.push_back(split);
        }
    if (here.size() != there.size() || here.empty()) return std::nullopt;
    bool differs = false;
    for (size_t i = 0; i < here.size(); ++i) {
        const auto &mine = std::get<SplitStep>(first[here[i]]);
        // What a block fetches is as long as its tiles make it.
        const bool sameLoop = mine.extent == there[i]->extent || splitsFetch(first, here[i]) ||
                              (splitsPartOf(first, here, i) && splitsPartOf(second, others, i));
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
