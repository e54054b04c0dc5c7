#include "check.h"
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
        if (mine.stage != there[i]->stage || mine.iter != there[i]->iter || mine.extent != there[i]->extent ||
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
