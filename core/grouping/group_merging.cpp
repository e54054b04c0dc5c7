// The greedy loop: every node a group, the merge that saves most is done, until none saves anything; first for
// inlining, then for tiles. Groups are visited by name, then by node, and the first of equals wins.
//
// In fixed tiles come first: what a stage costs where it is inlined is weighed against what it costs as a member of a
// tile, not against main memory. Members are inlined, too, and it goes on as long as one leads to another.

#include "dag/stays_in_memory.h"
#include "grouping/group_evaluation.h"
#include "grouping/inlining.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace loopscope {

namespace {

/// A node by its place among the names, so that sets of them are in the order they are visited.
using Place = int;

class GreedyMerging {
  public:
    GreedyMerging(Grouping &grouping, const MergeListener &listener)
        : m_grouping(grouping), m_listener(listener), m_pipeline(grouping.pipeline),
          m_evaluation(m_pipeline, grouping.machine, grouping.mode), m_groups(m_pipeline.nodes.size()),
          m_place(m_pipeline.nodes.size(), -1) {
        for (const int stage : m_pipeline.byName) {
            if (stageAt(stage).removed) continue;
            for (const int node : stageAt(stage).nodes) {
                m_place[static_cast<size_t>(node)] = static_cast<Place>(m_nodeAt.size());
                m_nodeAt.push_back(node);
            }
        }
        for (const int node : m_nodeAt) {
            for (const int read : m_evaluation.readStages(node))
                m_readers[placeOf(m_pipeline.lastNode(read))].insert(placeOf(node));
            if (m_pipeline.node(node).update())
                m_readers[placeOf(m_pipeline.stageOf(node).nodes.front())].insert(placeOf(node));
        }
    }

    void run() {
        for (const int node : m_nodeAt) {
            Group group = alone(node);
            const std::vector<TileCost> tiles = m_evaluation.allTiles(group);
            const size_t best = m_evaluation.bestTile(tiles);
            group.tile = tiles[best].tile;
            group.cost = tiles[best].cost;
            groupOf(node) = std::move(group);
        }
        for (const int node : m_nodeAt) m_grouping.alone.push_back(*groupOf(node));
        m_grouping.before = totals();
        if (fixed()) {
            size_t known = 0;
            do {
                known = m_grouping.merges.size();
                merge(false);
                merge(true);
            } while (!m_ended && m_grouping.merges.size() > known);
        } else {
            merge(true);
            merge(false);
        }
        m_grouping.after = totals();
        for (const int node : m_nodeAt)
            if (groupOf(node)) m_grouping.groups.push_back(*groupOf(node));
    }

  private:
    struct Weighed {
        std::vector<TileCost> tiles;
        size_t best = 0;
    };
    using Choice = std::pair<int, int>; // producer (stage), consumer (node)

    bool fixed() const { return m_grouping.mode == GroupingMode::Fixed; }
    const PipelineStage &stageAt(int stage) const { return m_pipeline.stages[static_cast<size_t>(stage)]; }
    Place placeOf(int node) const { return m_place[static_cast<size_t>(node)]; }
    int nodeAt(Place place) const { return m_nodeAt[static_cast<size_t>(place)]; }
    std::optional<Group> &groupOf(int node) { return m_groups[static_cast<size_t>(node)]; }

    Group alone(int node) const {
        Group group;
        group.output = node;
        group.members = {node};
        group.holds.assign(m_pipeline.stages.size(), false);
        group.inlined.assign(m_pipeline.stages.size(), false);
        group.holds[static_cast<size_t>(m_pipeline.node(node).stage)] = true;
        return group;
    }

    GroupingTotals totals() {
        GroupingTotals sum;
        for (const auto &group : m_groups) {
            if (!group) continue;
            sum.arith = addSaturating(sum.arith, group->cost.arith);
            sum.memory = addSaturating(sum.memory, group->cost.memory);
        }
        return sum;
    }

    Group merged(int producer, int consumer, bool inlining) {
        std::vector<const Group *> from;
        for (const int node : stageAt(producer).nodes)
            if (const auto &group = groupOf(node)) from.push_back(&*group);
        return mergedGroup(*groupOf(consumer), producer, from, inlining);
    }

    const Weighed &weighed(int producer, int consumer, bool inlining) {
        const auto [entry, novel] = weighedBy(inlining).try_emplace(Choice{producer, consumer});
        if (!novel) return entry->second;
        const Group group = merged(producer, consumer, inlining);
        if (inlining && !fixed()) {
            const TileSizes point(m_pipeline.node(consumer).loops.size(), 1);
            entry->second.tiles = {{point, m_evaluation.cost(group, point)}};
        } else {
            entry->second.tiles = m_evaluation.allTiles(group);
            entry->second.best = m_evaluation.bestTile(entry->second.tiles);
        }
        return entry->second;
    }

    std::map<Choice, Weighed> &weighedBy(bool inlining) { return m_weighed[inlining ? 1 : 0]; }

    std::optional<int64_t> benefit(GroupMerge &merge) {
        GroupCost &after = merge.after;
        after = {true, 0, 0, std::numeric_limits<int64_t>::max()};
        std::set<int> replaced;
        for (const int node : stageAt(merge.producer).nodes)
            if (groupOf(node)) replaced.insert(node);
        for (const int consumer : merge.consumers) {
            replaced.insert(consumer);
            const Weighed &found = weighed(merge.producer, consumer, merge.inlining);
            const GroupCost &cost = found.tiles[found.best].cost;
            after.arith = addSaturating(after.arith, cost.arith);
            after.memory = addSaturating(after.memory, cost.memory);
            after.parallelism = std::min(after.parallelism, cost.parallelism);
        }
        if (!m_evaluation.parallelEnough(after)) return std::nullopt;
        int64_t benefit = addSaturating(-after.arith, -after.memory);
        for (const int node : replaced) benefit = addSaturating(benefit, groupOf(node)->cost.total());
        return benefit;
    }

    /// Stages that could go to where they are read.
    std::vector<int> candidates(bool inlining) {
        std::vector<int> found;
        for (const int node : m_nodeAt) {
            const int stage = m_pipeline.node(node).stage;
            if (!groupOf(node) || stageAt(stage).output || node != m_pipeline.lastNode(stage)) continue;
            const auto readers = m_readers.find(placeOf(node));
            if (readers == m_readers.end()) continue;
            if (staysInMemory(m_pipeline.dag->op(static_cast<size_t>(stageAt(stage).op)))) continue;
            std::set<int> stages;
            for (const Place reader : readers->second) stages.insert(m_pipeline.node(nodeAt(reader)).stage);
            if (inlining ? stageAt(stage).pure() && holdsNoLoops(*groupOf(node)) : stages.size() == 1)
                found.push_back(stage);
        }
        if (inlining && fixed())
            for (const int node : m_nodeAt) {
                const int stage = m_pipeline.node(node).stage;
                if (!groupOf(node) && stageAt(stage).pure() && !holders(stage).empty()) found.push_back(stage);
            }
        return found;
    }

    /// Beside the output's own.
    bool holdsNoLoops(const Group &group) const {
        if (!fixed()) return true;
        const auto own = static_cast<size_t>(m_pipeline.node(group.output).stage);
        for (size_t stage = 0; stage < group.holds.size(); ++stage)
            if (stage != own && group.holds[stage] && !group.inlined[stage]) return false;
        return true;
    }

    /// Groups that a stage is a member of, with loops of its own.
    std::vector<int> holders(int stage) {
        std::vector<int> found;
        for (const int node : m_nodeAt)
            if (const auto &group = groupOf(node);
                group && group->holds[static_cast<size_t>(stage)] && !group->inlined[static_cast<size_t>(stage)])
                found.push_back(node);
        return found;
    }

    void merge(bool inlining) {
        while (!m_ended) {
            GroupingRound round;
            round.inlining = inlining;
            int64_t most = 0;
            for (const int stage : candidates(inlining)) {
                GroupMerge candidate;
                candidate.inlining = inlining;
                candidate.producer = stage;
                if (groupOf(m_pipeline.lastNode(stage)))
                    for (const Place reader : m_readers.at(placeOf(m_pipeline.lastNode(stage))))
                        candidate.consumers.push_back(nodeAt(reader));
                else
                    candidate.consumers = holders(stage);
                candidate.benefit = benefit(candidate);
                if (candidate.benefit && *candidate.benefit > most) {
                    most = *candidate.benefit;
                    round.best = static_cast<int>(round.candidates.size());
                }
                round.candidates.push_back(std::move(candidate));
            }
            const int best = round.best;
            m_grouping.rounds.push_back(std::move(round));
            if (best < 0) return;
            perform(m_grouping.rounds.back().candidates[static_cast<size_t>(best)]);
        }
    }

    void perform(GroupMerge merge) {
        std::vector<Weighed> found;
        for (const int consumer : merge.consumers) found.push_back(weighed(merge.producer, consumer, merge.inlining));
        for (auto &weighed : m_weighed)
            std::erase_if(weighed, [&](const auto &entry) {
                return entry.first.first == merge.producer ||
                       std::any_of(merge.consumers.begin(), merge.consumers.end(), [&](int consumer) {
                           return entry.first.first == m_pipeline.node(consumer).stage ||
                                  entry.first.second == consumer;
                       });
            });
        for (size_t i = 0; i < merge.consumers.size(); ++i) {
            const TileCost &chosen = found[i].tiles[found[i].best];
            Group group = merged(merge.producer, merge.consumers[i], merge.inlining);
            group.tile = chosen.tile;
            group.cost = chosen.cost;
            groupOf(merge.consumers[i]) = std::move(group);
            merge.chosen.push_back(chosen.tile);
            merge.tiles.push_back(std::move(found[i].tiles));
        }
        if (groupOf(m_pipeline.lastNode(merge.producer))) dissolve(merge.producer);
        m_grouping.merges.push_back(std::move(merge));
        m_ended = m_listener && !m_listener(m_grouping);
    }

    /// What its groups read is read by those that they went to.
    void dissolve(int stage) {
        const auto &nodes = stageAt(stage).nodes;
        const std::set<Place> heirs = m_readers.at(placeOf(nodes.back()));
        for (const int node : nodes) {
            groupOf(node).reset();
            m_readers.erase(placeOf(node));
            for (auto &[read, readers] : m_readers)
                if (readers.erase(placeOf(node)) > 0) readers.insert(heirs.begin(), heirs.end());
        }
    }

    Grouping &m_grouping;
    const MergeListener &m_listener;
    bool m_ended = false; // by the listener
    const Pipeline &m_pipeline;
    GroupEvaluation m_evaluation;
    std::vector<std::optional<Group>> m_groups; // by node of the output
    std::vector<Place> m_place;                 // of a node
    std::vector<int> m_nodeAt;                  // of a place
    std::map<Place, std::set<Place>> m_readers; // of a node: the groups that read it
    /// What a merge would come to, until one of its groups changes; put into tiles, and inlined.
    std::array<std::map<Choice, Weighed>, 2> m_weighed;
};

} // namespace

Group mergedGroup(const Group &consumer, int producer, const std::vector<const Group *> &from, bool inlining) {
    Group group = consumer;
    if (inlining) group.inlined[static_cast<size_t>(producer)] = true;
    for (const Group *other : from) {
        group.members.insert(group.members.end(), other->members.begin(), other->members.end());
        for (size_t stage = 0; stage < group.holds.size(); ++stage) {
            group.inlined[stage] = group.inlined[stage] || (inlining ? other->holds[stage] : other->inlined[stage]);
            group.holds[stage] = group.holds[stage] || other->holds[stage];
        }
    }
    return group;
}

std::vector<bool> Grouping::inlinedStages() const {
    std::vector<bool> all(pipeline.stages.size(), false);
    for (const Group &group : groups)
        for (size_t stage = 0; stage < all.size(); ++stage)
            if (group.inlined[stage]) all[stage] = true;
    return all;
}

Grouping groupPipeline(Pipeline pipeline, const MachineParameters &machine, GroupingMode mode,
                       const MergeListener &listener) {
    Grouping grouping;
    grouping.mode = mode;
    grouping.machine = machine;
    grouping.pipeline = std::move(pipeline);
    grouping.preInlined = inlineEarly(grouping.pipeline);
    GreedyMerging(grouping, listener).run();
    return grouping;
}

} // namespace loopscope
