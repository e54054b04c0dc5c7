#include "views/grouping/step_facts.h"

#include "schedule/grouping/loop_plan.h"
#include "schedule/grouping/merge_history.h"
#include "views/session/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopscope {

namespace {

constexpr int kColours = 6; // Theme::series

/// Groups that read one another differ; a group keeps its colour from the first merge to the last.
std::map<int, int> coloursOf(const ShownGrouping &result) {
    const Grouping &grouping = result.grouping;
    const Pipeline &pipeline = grouping.pipeline;
    std::map<int, int> colours;                                // by stage of the output
    std::vector<std::set<int>> finals(pipeline.stages.size()); // outputs of groups that hold a stage
    for (const Group &group : grouping.groups)
        for (size_t stage = 0; stage < finals.size(); ++stage)
            if (group.holds[stage]) finals[stage].insert(pipeline.node(group.output).stage);
    std::map<int, std::set<int>> beside;
    for (size_t stage = 0; stage < finals.size(); ++stage)
        for (const BufferNumber read : result.reads[stage]) {
            if (pipeline.isInput(read)) continue;
            for (const int a : finals[stage])
                for (const int b : finals[static_cast<size_t>(read)])
                    if (a != b) {
                        beside[a].insert(b);
                        beside[b].insert(a);
                    }
        }
    const auto choose = [&](int stage, int first) {
        std::set<int> taken;
        for (const int other : beside[stage])
            if (const auto found = colours.find(other); found != colours.end()) taken.insert(found->second);
        int colour = first % kColours;
        for (int tries = 0; tries < kColours && taken.contains(colour); ++tries) colour = (colour + 1) % kColours;
        colours.emplace(stage, colour);
    };
    int next = 0;
    for (const Group &group : grouping.groups) {
        const int stage = pipeline.node(group.output).stage;
        const auto held = std::count(group.holds.begin(), group.holds.end(), true);
        if (held > 1 && !colours.contains(stage)) choose(stage, next++);
    }
    for (const GroupMerge &merge : grouping.merges)
        for (const int consumer : merge.consumers)
            if (const int stage = pipeline.node(consumer).stage; !colours.contains(stage)) choose(stage, next++);
    return colours;
}

QString loopsText(const NestPlan &plan) {
    QStringList parallel;
    QStringList rest;
    for (size_t i = plan.loops.size(); i-- > 0;) {
        const PlannedLoop &loop = plan.loops[i];
        if (loop.parallel) parallel << qt(loop.name);
        if (loop.vector) rest << QObject::tr("vector %1").arg(loop.extent);
    }
    if (!parallel.isEmpty()) rest.prepend(QObject::tr("parallel %1").arg(parallel.join(QStringLiteral(", "))));
    return rest.join(QStringLiteral(" \u00b7 "));
}

class StepBuilder {
  public:
    StepBuilder(const ShownGrouping &result, size_t place)
        : m_result(result), m_grouping(result.grouping), m_pipeline(result.pipeline()) {
        m_facts.place = std::min(place, lastPlace(m_grouping));
        m_facts.merges = mergesBefore(m_grouping, m_facts.place);
        m_groups = m_facts.place == lastPlace(m_grouping) ? m_grouping.groups : groupsAfter(m_grouping, m_facts.merges);
        m_facts.after = totalsOf(m_groups);
        m_facts.before = m_facts.after;
        if (m_facts.place > 0 && m_grouping.rounds[m_facts.place - 1].best >= 0) {
            m_facts.merge = m_grouping.merges[m_facts.merges - 1];
            m_facts.before = totalsOf(groupsAfter(m_grouping, m_facts.merges - 1));
        }
    }

    StepFacts make() {
        m_facts.stages.resize(m_pipeline.stages.size());
        const std::map<int, int> colours = coloursOf(m_result);
        for (const Group &group : m_groups) {
            const int stage = m_pipeline.node(group.output).stage;
            if (group.output != m_pipeline.lastNode(stage)) continue; // the updates stand for their stage
            ShownGroup shown{group, stage, {}, -1};
            for (size_t held = 0; held < group.holds.size(); ++held)
                if (group.holds[held]) place(static_cast<int>(held), shown);
            if (shown.several())
                if (const auto colour = colours.find(stage); colour != colours.end()) shown.colour = colour->second;
            m_facts.groups.push_back(std::move(shown));
        }
        placeEarlyInlined();
        sayLoops();
        return std::move(m_facts);
    }

  private:
    StageState &stateOf(int stage) { return m_facts.stages[static_cast<size_t>(stage)]; }

    void place(int stage, ShownGroup &in) {
        in.stages.push_back(stage);
        StageState &state = stateOf(stage);
        state.groups.push_back(static_cast<int>(m_facts.groups.size()));
        if (stage == in.stage)
            state.role = StageRole::Root;
        else if (in.group.inlined[static_cast<size_t>(stage)])
            state.role = StageRole::Inlined;
        else
            state.role = StageRole::Member;
    }

    /// They stand where what reads them stands.
    void placeEarlyInlined() {
        for (size_t stage = m_pipeline.stages.size(); stage-- > 0;) {
            if (!m_pipeline.stages[stage].removed) continue;
            std::set<int> groups;
            for (size_t reader = stage + 1; reader < m_pipeline.stages.size(); ++reader)
                if (std::ranges::count(m_result.reads[reader], static_cast<BufferNumber>(stage)) > 0)
                    groups.insert(m_facts.stages[reader].groups.begin(), m_facts.stages[reader].groups.end());
            StageState &state = m_facts.stages[stage];
            state.role = StageRole::InlinedEarly;
            state.groups.assign(groups.begin(), groups.end());
            for (const int group : groups)
                m_facts.groups[static_cast<size_t>(group)].stages.push_back(static_cast<int>(stage));
        }
    }

    void sayLoops() {
        Grouping then = m_grouping;
        then.pipeline = withOwnArena(m_grouping.pipeline);
        then.groups = m_groups;
        std::map<int, const NestPlan *> plans; // by stage
        const std::vector<GroupPlan> all = planLoops(then);
        for (const GroupPlan &plan : all) {
            for (const NestPlan &member : plan.members) keep(plans, member);
            keep(plans, plan.output);
        }
        for (size_t stage = 0; stage < m_facts.stages.size(); ++stage)
            say(m_facts.stages[stage], static_cast<int>(stage), plans);
    }

    void keep(std::map<int, const NestPlan *> &plans, const NestPlan &plan) const {
        const NestPlan *&known = plans[m_pipeline.node(plan.node).stage];
        if (known == nullptr || plan.node > known->node) known = &plan;
    }

    void say(StageState &state, int stage, const std::map<int, const NestPlan *> &plans) const {
        if (state.role == StageRole::InlinedEarly || state.role == StageRole::Inlined) {
            state.where = state.role == StageRole::Inlined ? QObject::tr("inlined") : QObject::tr("inlined early");
            if (state.groups.size() > 1)
                state.where += QObject::tr(" into %1").arg(countedText(state.groups.size(), "group"));
            return;
        }
        const auto plan = plans.find(stage);
        if (state.role == StageRole::Root) {
            const ShownGroup &group = m_facts.groups[static_cast<size_t>(state.groups.front())];
            // Point by point, as after inlining, is no tile.
            const bool cut = std::ranges::any_of(group.group.tile, [](int64_t size) { return size > 0; }) &&
                             !std::ranges::all_of(group.group.tile, [](int64_t size) { return size == 1; });
            state.where =
                cut ? QObject::tr("root, tiles %1").arg(tileText(m_pipeline, group.group.output, group.group.tile))
                    : QObject::tr("root");
        } else if (plan == plans.end() || plan->second->attachedTo < 0) {
            state.where = QObject::tr("root: its group has no tiles");
        } else {
            state.where = QObject::tr("at %1 of %2")
                              .arg(qt(plan->second->attachedAt), qt(m_pipeline.stageOf(plan->second->attachedTo).name));
        }
        if (plan != plans.end()) state.loops = loopsText(*plan->second);
    }

    const ShownGrouping &m_result;
    const Grouping &m_grouping;
    const Pipeline &m_pipeline;
    std::vector<Group> m_groups;
    StepFacts m_facts;
};

QString changeText(const QString &what, int64_t before, int64_t after) {
    QString text = QObject::tr("%1 %2 \u2192 %3").arg(what, costText(before), costText(after));
    if (before > 0)
        text += QStringLiteral(" (%1)").arg(deltaText(static_cast<double>(after) / static_cast<double>(before) - 1));
    return text;
}

QString namesOf(const Pipeline &pipeline, const std::vector<int> &nodes) {
    QStringList names;
    for (const int node : nodes)
        if (const QString name = qt(pipeline.stageOf(node).name); !names.contains(name)) names << name;
    return names.join(QStringLiteral(", "));
}

} // namespace

int StepFacts::groupOf(int stage) const {
    if (stage < 0 || static_cast<size_t>(stage) >= stages.size()) return -1;
    const auto &in = stages[static_cast<size_t>(stage)].groups;
    return in.empty() ? -1 : in.front();
}

StepFacts stepFacts(const ShownGrouping &result, size_t place) { return StepBuilder(result, place).make(); }

QString placeTitle(const ShownGrouping &result, size_t place) {
    const Grouping &grouping = result.grouping;
    if (place == 0) return QObject::tr("Before the first merge: every stage for itself");
    const GroupingRound &round = grouping.rounds[place - 1];
    if (round.best < 0) {
        const QString phase = round.inlining ? QObject::tr("Inlining ends") : QObject::tr("Merging ends");
        if (round.candidates.empty())
            return QObject::tr("%1: there is nothing to %2")
                .arg(phase, round.inlining ? QObject::tr("inline") : QObject::tr("merge"));
        return QObject::tr("%1: none of %2 saves anything")
            .arg(phase, countedText(round.candidates.size(), "possible merge"));
    }
    const GroupMerge &merge = grouping.merges[mergesBefore(grouping, place) - 1];
    return QObject::tr("%1 %2 of %3: %4 into %5 saves %6")
        .arg(merge.inlining ? QObject::tr("Inlining") : QObject::tr("Merge"))
        .arg(mergesBefore(grouping, place))
        .arg(grouping.merges.size())
        .arg(stageName(result.pipeline(), merge.producer), namesOf(result.pipeline(), merge.consumers),
             costText(merge.benefit.value_or(0)));
}

QString placeChange(const ShownGrouping &result, const StepFacts &facts) {
    QStringList parts;
    if (!facts.merge) parts << countedText(facts.groups.size(), "group");
    if (facts.merge && !facts.merge->inlining) {
        const std::vector<Group> before = groupsAfter(result.grouping, facts.merges - 1);
        QStringList tiles;
        for (size_t i = 0; i < facts.merge->consumers.size(); ++i) {
            const int node = facts.merge->consumers[i];
            const auto was = std::ranges::find_if(before, [&](const Group &group) { return group.output == node; });
            const QString from = was == before.end() ? QString() : tileText(result.pipeline(), node, was->tile);
            tiles << QObject::tr("tile %1 \u2192 %2")
                         .arg(from, tileText(result.pipeline(), node, facts.merge->chosen[i]));
        }
        tiles.removeDuplicates();
        parts << tiles;
    }
    if (!facts.merge) {
        parts << QObject::tr("operations %1").arg(costText(facts.after.arith))
              << QObject::tr("memory %1").arg(costText(facts.after.memory));
    } else {
        parts << changeText(QObject::tr("operations"), facts.before.arith, facts.after.arith)
              << changeText(QObject::tr("memory"), facts.before.memory, facts.after.memory);
    }
    if (facts.place == lastPlace(result.grouping) && result.grouping.before.memory > 0) {
        const auto total = [](const GroupingTotals &of) {
            return static_cast<double>(of.arith) + static_cast<double>(of.memory);
        };
        const double was = total(result.grouping.before);
        if (was > 0) parts << QObject::tr("cost %1 since the beginning").arg(deltaText(total(facts.after) / was - 1));
    }
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace loopscope
