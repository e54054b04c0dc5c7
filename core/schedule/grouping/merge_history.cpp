#include "schedule/grouping/merge_history.h"

#include "schedule/grouping/group_evaluation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

/// Groups by the node of their output.
class ReplayedGroups {
  public:
    explicit ReplayedGroups(const Grouping &grouping)
        : m_pipeline(grouping.pipeline), m_groups(grouping.pipeline.nodes.size()) {
        for (const Group &group : grouping.alone) {
            m_order.push_back(group.output);
            at(group.output) = group;
        }
    }

    [[nodiscard]] const Group &of(int node) const { return *m_groups[static_cast<size_t>(node)]; }

    [[nodiscard]] Group merged(const GroupMerge &merge, int consumer) const {
        std::vector<const Group *> from;
        for (const int node : m_pipeline.stages[static_cast<size_t>(merge.producer)].nodes)
            if (const auto &group = m_groups[static_cast<size_t>(node)]) from.push_back(&*group);
        return mergedGroup(of(consumer), merge.producer, from, merge.inlining);
    }

    void perform(const GroupMerge &merge) {
        for (size_t i = 0; i < merge.consumers.size(); ++i) {
            Group group = merged(merge, merge.consumers[i]);
            group.tile = merge.chosen[i];
            const auto &tiles = merge.tiles[i];
            const auto cost =
                std::ranges::find_if(tiles, [&](const TileCost &tried) { return tried.tile == group.tile; });
            if (cost != tiles.end()) group.cost = cost->cost;
            at(merge.consumers[i]) = std::move(group);
        }
        for (const int node : m_pipeline.stages[static_cast<size_t>(merge.producer)].nodes) at(node).reset();
    }

    [[nodiscard]] std::vector<Group> all() const {
        std::vector<Group> groups;
        for (const int node : m_order)
            if (const auto &group = m_groups[static_cast<size_t>(node)]) groups.push_back(*group);
        return groups;
    }

  private:
    std::optional<Group> &at(int node) { return m_groups[static_cast<size_t>(node)]; }

    const Pipeline &m_pipeline;
    std::vector<std::optional<Group>> m_groups;
    std::vector<int> m_order;
};

ReplayedGroups replayed(const Grouping &grouping, size_t merges) {
    ReplayedGroups groups(grouping);
    for (size_t i = 0; i < std::min(merges, grouping.merges.size()); ++i) groups.perform(grouping.merges[i]);
    return groups;
}

} // namespace

size_t mergesBefore(const Grouping &grouping, size_t round) {
    return static_cast<size_t>(std::count_if(grouping.rounds.begin(),
                                             grouping.rounds.begin() + static_cast<std::ptrdiff_t>(round),
                                             [](const GroupingRound &earlier) { return earlier.best >= 0; }));
}

std::vector<Group> groupsAfter(const Grouping &grouping, size_t merges) { return replayed(grouping, merges).all(); }

GroupingTotals totalsOf(const std::vector<Group> &groups) {
    GroupingTotals sum;
    for (const Group &group : groups) {
        sum.arith = addSaturating(sum.arith, group.cost.arith);
        sum.memory = addSaturating(sum.memory, group.cost.memory);
    }
    return sum;
}

Pipeline withOwnArena(const Pipeline &pipeline) {
    Pipeline own = pipeline;
    own.arenas.push_back(std::make_shared<ExprArena>());
    return own;
}

std::vector<WeighedGroup> weighMerge(const Grouping &grouping, size_t round, const GroupMerge &candidate) {
    const ReplayedGroups groups = replayed(grouping, mergesBefore(grouping, round));
    const Pipeline pipeline = withOwnArena(grouping.pipeline);
    GroupEvaluation evaluation(pipeline, grouping.machine, grouping.mode);
    std::vector<WeighedGroup> weighed;
    for (const int consumer : candidate.consumers) {
        WeighedGroup one;
        one.before = groups.of(consumer);
        one.after = groups.merged(candidate, consumer);
        if (candidate.inlining && grouping.mode == GroupingMode::Compat) {
            const TileSizes point(pipeline.node(consumer).loops.size(), 1);
            one.tiles = {{point, evaluation.cost(one.after, point)}};
        } else {
            one.tiles = evaluation.allTiles(one.after);
            one.best = evaluation.bestTile(one.tiles);
        }
        one.after.tile = one.tiles[one.best].tile;
        one.after.cost = one.tiles[one.best].cost;
        weighed.push_back(std::move(one));
    }
    return weighed;
}

} // namespace loopscope
