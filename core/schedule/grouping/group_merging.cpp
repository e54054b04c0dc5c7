// The greedy loop: every node a group, the merge that saves most is done, until none saves anything; first for
// inlining, then for tiles. Groups are visited by name, then by node, and the first of equals wins.
//
// In fixed tiles come first: what a stage costs where it is inlined is weighed against what it costs as a member of a
// tile, not against main memory. Members are inlined, too, and it goes on as long as one leads to another. And there it
// is done twice, since what is merged first may stand in the way of something better: once by itself, and once from the
// tiles on that compat comes to, which values main memory more. What costs less in the end is it.

#include "language/dag/stays_in_memory.h"
#include "schedule/grouping/group_evaluation.h"
#include "schedule/grouping/inlining.h"

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

    /// `first`: merges to do before all others, whatever they save by themselves. True: the listener ended it.
    bool run(const std::vector<GroupMerge> &first = {}) {
        for (const int node : m_nodeAt) {
            Group group = alone(node);
            TileCost best = m_evaluation.cheapestTile(group);
            group.tile = std::move(best.tile);
            group.cost = best.cost;
            groupOf(node) = std::move(group);
        }
        for (const int node : m_nodeAt) m_grouping.alone.push_back(*groupOf(node));
        m_grouping.before = totals();
        follow(first);
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
        return m_ended;
    }

  private:
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

    const TileCost &weighed(int producer, int consumer, bool inlining) {
        const auto [entry, novel] = weighedBy(inlining).try_emplace(Choice{producer, consumer});
        if (!novel) return entry->second;
        const Group group = merged(producer, consumer, inlining);
        if (inlining && !fixed()) {
            const TileSizes point(m_pipeline.node(consumer).loops.size(), 1);
            entry->second = {point, m_evaluation.cost(group, point)};
        } else {
            entry->second = m_evaluation.cheapestTile(group);
        }
        return entry->second;
    }

    std::map<Choice, TileCost> &weighedBy(bool inlining) { return m_weighed[inlining ? 1 : 0]; }

    std::optional<int64_t> benefit(GroupMerge &merge) {
        GroupCost &after = merge.after;
        after = {true, 0, 0, std::numeric_limits<int64_t>::max()};
        std::set<int> replaced;
        for (const int node : stageAt(merge.producer).nodes)
            if (groupOf(node)) replaced.insert(node);
        for (const int consumer : merge.consumers) {
            replaced.insert(consumer);
            const GroupCost &cost = weighed(merge.producer, consumer, merge.inlining).cost;
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

    /// Beside all that is inlined by now.
    bool inliningFits(int stage) {
        const auto [entry, novel] = m_fits.try_emplace(stage);
        if (!novel) return entry->second;
        std::vector<bool> inlined;
        for (const PipelineStage &other : m_pipeline.stages) inlined.push_back(other.removed);
        for (const auto &group : m_groups)
            for (size_t other = 0; group && other < inlined.size(); ++other)
                if (group->inlined[other]) inlined[other] = true;
        entry->second = loopscope::inliningFits(m_pipeline, inlined, stage);
        return entry->second;
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

    /// Those that put stages into tiles, as far as they are possible by themselves.
    void follow(const std::vector<GroupMerge> &merges) {
        for (const GroupMerge &merge : merges) {
            if (m_ended) return;
            const std::vector<int> possible = merge.inlining ? std::vector<int>() : candidates(false);
            if (std::ranges::find(possible, merge.producer) == possible.end()) continue;
            GroupMerge followed = candidateOf(merge.producer, false);
            if (!followed.benefit) continue;
            m_grouping.rounds.push_back({false, {followed}, 0});
            perform(std::move(followed));
        }
    }

    GroupMerge candidateOf(int stage, bool inlining) {
        GroupMerge candidate;
        candidate.inlining = inlining;
        candidate.producer = stage;
        if (groupOf(m_pipeline.lastNode(stage)))
            for (const Place reader : m_readers.at(placeOf(m_pipeline.lastNode(stage))))
                candidate.consumers.push_back(nodeAt(reader));
        else
            candidate.consumers = holders(stage);
        candidate.tooLong = inlining && !inliningFits(stage);
        if (!candidate.tooLong) candidate.benefit = benefit(candidate);
        return candidate;
    }

    void merge(bool inlining) {
        while (!m_ended) {
            GroupingRound round;
            round.inlining = inlining;
            int64_t most = 0;
            for (const int stage : candidates(inlining)) {
                GroupMerge candidate = candidateOf(stage, inlining);
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
        std::vector<TileCost> found;
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
            TileCost &chosen = found[i];
            Group group = merged(merge.producer, merge.consumers[i], merge.inlining);
            if (merge.inlining && !fixed())
                merge.tiles.push_back({chosen});
            else
                merge.tiles.push_back(m_evaluation.allTiles(group));
            group.tile = chosen.tile;
            group.cost = chosen.cost;
            groupOf(merge.consumers[i]) = std::move(group);
            merge.chosen.push_back(std::move(chosen.tile));
        }
        if (groupOf(m_pipeline.lastNode(merge.producer))) dissolve(merge.producer);
        if (merge.inlining) m_fits.clear();
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
    std::array<std::map<Choice, TileCost>, 2> m_weighed;
    std::map<int, bool> m_fits; // by stage: as inliningFits says, until another is inlined
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

namespace {

/// Nothing is left to be merged.
bool wholeTogether(const Grouping &grouping) {
    return std::ranges::all_of(grouping.groups,
                               [&](const Group &group) { return grouping.pipeline.stageOf(group.output).output; });
}

bool sameStagesTogether(const Grouping &a, const Grouping &b) {
    return std::ranges::equal(a.groups, b.groups, [](const Group &mine, const Group &other) {
        return mine.output == other.output && mine.holds == other.holds;
    });
}

} // namespace

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
    const Grouping unmerged = grouping;
    if (GreedyMerging(grouping, listener).run() || mode == GroupingMode::Compat || wholeTogether(grouping))
        return grouping;
    Grouping compat = unmerged;
    compat.mode = GroupingMode::Compat;
    compat.attempt = 2;
    if (GreedyMerging(compat, listener).run() || sameStagesTogether(grouping, compat)) return grouping;
    Grouping led = unmerged;
    led.attempt = 3;
    if (GreedyMerging(led, listener).run(compat.merges)) return grouping;
    // Memory is what all cores share, and whatever else runs: of whole schedules it counts half as much again.
    const auto total = [](const Grouping &of) {
        return static_cast<double>(of.after.arith) + 1.5 * static_cast<double>(of.after.memory);
    };
    return total(led) < total(grouping) ? led : grouping;
}

} // namespace loopscope
