#include "schedule/grouping/grouped_schedule.h"

#include "schedule/bound_inference.h"
#include "schedule/grouping/stage_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>

namespace loopscope {

namespace {

class StepWriter {
  public:
    StepWriter(const Grouping &grouping, const std::vector<GroupPlan> &plans)
        : m_pipeline(grouping.pipeline), m_plans(plans), m_places(grouping), m_state(grouping.pipeline.dag) {}

    Outcome<GroupedSchedule> write() {
        for (const StageId stage : m_places.inlined())
            if (!apply(ComputeInlineStep{stage})) return *m_refusal;
        std::vector<const GroupPlan *> byStage(m_pipeline.stages.size(), nullptr);
        std::vector<const NestPlan *> memberAt(m_pipeline.stages.size(), nullptr);
        for (const GroupPlan &plan : m_plans)
            byStage[stageOf(plan.output.node)] = later(byStage[stageOf(plan.output.node)], &plan);
        // The first elements of a scan and its steps have a group each, and one nest: that of the steps.
        for (const bool ofNest : {false, true})
            for (const GroupPlan &plan : m_plans) {
                if ((byStage[stageOf(plan.output.node)] == &plan) != ofNest) continue;
                for (const NestPlan &member : plan.members) {
                    const NestPlan *&known = memberAt[stageOf(member.node)];
                    const bool other = known == nullptr || (ofNest && m_withoutNest[stageOf(member.node)]);
                    if (other || member.node > known->node) known = &member;
                    m_withoutNest[stageOf(member.node)] = !ofNest;
                }
            }
        // Readers first: a member is attached below where it is read.
        for (size_t stage = m_pipeline.stages.size(); stage-- > 0;) {
            if (byStage[stage] != nullptr)
                writeNest(byStage[stage]->output, byStage[stage]);
            else if (memberAt[stage] != nullptr)
                writeMember(*memberAt[stage]);
        }
        if (m_refusal) return *m_refusal;
        return GroupedSchedule{std::move(m_state), std::move(m_notes)};
    }

  private:
    size_t stageOf(int node) const { return static_cast<size_t>(m_pipeline.node(node).stage); }
    StageId idOf(size_t stage) const { return StageId(m_pipeline.stages[stage].op); }

    static const GroupPlan *later(const GroupPlan *a, const GroupPlan *b) {
        return a == nullptr || b->output.node > a->output.node ? b : a;
    }

    bool apply(const Step &step) {
        if (m_refusal) return false;
        auto next = m_state.apply(step);
        if (!next) {
            m_refusal = next.refusal();
            return false;
        }
        m_state = std::move(next.value());
        return true;
    }

    IterId iterNamed(size_t stage, const std::string &name) const {
        const auto &names = m_loops[stage];
        return IterId(static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
    }

    /// Cuts, orders and annotates the loops of a stage; `m_loops` then says what they are called.
    void writeNest(const NestPlan &plan, const GroupPlan *group) {
        const size_t stage = stageOf(plan.node);
        const StageId id = idOf(stage);
        std::vector<std::string> &names = m_loops[stage];
        for (const Iter &iter : m_state.stage(id).iters) names.push_back(iter.name);
        for (const PlannedSplit &split : plan.splits) {
            const IterId at = iterNamed(stage, split.loop);
            if (!apply(SplitStep{id, at, m_state.stage(id).iters[at.index()].extent, {split.length}, true})) return;
            names[at.index()] = split.outer;
            names.insert(names.begin() + at.value + 1, split.inner);
        }
        size_t parallel = 0;
        const std::vector<PlannedLoop> loops = withStepsInside(plan, parallel);
        orderLoops(loops, id, names);
        if (m_refusal) return;
        if (parallel > 1) {
            FuseStep fuse{id, {}};
            for (size_t i = 0; i < parallel; ++i) fuse.iters.emplace_back(i);
            if (!apply(fuse)) return;
            const std::string attach = group == nullptr || group->interTile.empty() ? "" : attachLoop(*group);
            const bool holds = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(parallel),
                                         attach) != names.begin() + static_cast<std::ptrdiff_t>(parallel);
            names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(parallel));
            names.insert(names.begin(), holds ? attach : "tasks");
        }
        if (parallel > 0) apply(AnnotateStep{id, IterId(0), Annotation::Parallel});
        for (const PlannedLoop &loop : loops)
            if (loop.vector || loop.unrolled)
                apply(AnnotateStep{id, iterNamed(stage, loop.name),
                                   loop.vector ? Annotation::Vectorize : Annotation::Unroll});
    }

    static std::string attachLoop(const GroupPlan &group) {
        return group.output.loops[group.output.loops.size() - group.interTile.size()].name;
    }

    /// Its loops, of which the `parallel` outermost run in parallel. A reduction or scan of one step is among these in
    /// a plan, since nothing is done twice; a schedule fuses loops of one kind, and has such a loop inside of them.
    std::vector<PlannedLoop> withStepsInside(const NestPlan &plan, size_t &parallel) const {
        std::vector<PlannedLoop> loops = plan.loops;
        const size_t steps = m_pipeline.node(plan.node).reduceLoops;
        const auto outermost = std::find_if_not(loops.rbegin(), loops.rend(), [](const PlannedLoop &loop) {
                                   return loop.parallel;
                               }).base();
        const auto first =
            std::stable_partition(outermost, loops.end(), [&](const PlannedLoop &loop) { return loop.axis < steps; });
        for (auto loop = outermost; loop != first; ++loop) loop->parallel = false;
        parallel = static_cast<size_t>(loops.end() - first);
        return loops;
    }

    void orderLoops(const std::vector<PlannedLoop> &loops, StageId id, std::vector<std::string> &names) {
        std::vector<std::string> wanted;
        for (size_t i = loops.size(); i-- > 0;)
            if (!loops[i].vector) wanted.push_back(loops[i].name);
        // Lanes are innermost: what a vector loop holds runs for all of them at once.
        for (const PlannedLoop &loop : loops)
            if (loop.vector) wanted.push_back(loop.name);
        if (wanted == names) return;
        ReorderStep reorder{id, {}};
        for (const std::string &name : wanted)
            reorder.order.emplace_back(
                static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
        if (apply(reorder)) names = std::move(wanted);
    }

    void writeMember(const NestPlan &plan) {
        const size_t stage = stageOf(plan.node);
        if (m_withoutNest[stage] && plan.attachedTo >= 0) {
            m_notes.push_back(fmt::format("{}: only the first elements of {} read it; it is computed at root",
                                          m_pipeline.stages[stage].name,
                                          m_pipeline.stages[stageOf(plan.attachedTo)].name));
        } else if (plan.attachedTo < 0) {
            m_notes.push_back(
                fmt::format("{}: its group has no tiles; it is computed at root", m_pipeline.stages[stage].name));
        } else if (const std::string reader = m_places.readerOutside(stage, stageOf(plan.attachedTo));
                   !reader.empty()) {
            m_notes.push_back(noteOfReaderOutside(m_pipeline.stages[stage].name, reader));
        } else {
            const size_t target = stageOf(plan.attachedTo);
            if (!apply(ComputeAtStep{idOf(stage), idOf(target), iterNamed(target, plan.attachedAt)})) return;
            m_places.attach(stage, target);
        }
        writeNest(plan, nullptr);
    }

    const Pipeline &m_pipeline;
    const std::vector<GroupPlan> &m_plans;
    StagePlaces m_places;
    LoopState m_state;
    std::vector<std::string> m_notes;
    std::vector<std::vector<std::string>> m_loops = std::vector<std::vector<std::string>>(m_pipeline.stages.size());
    /// Members of groups whose output's nest is another's.
    std::vector<bool> m_withoutNest = std::vector<bool>(m_pipeline.stages.size(), false);
    std::optional<Refusal> m_refusal;
};

/// Takes members out of rows that need more of them than the plan has, as far as bound inference can tell; a sentence
/// for each.
std::vector<std::string> wholeTilesInstead(const Pipeline &pipeline, const BoundedState &bounded,
                                           std::vector<GroupPlan> &plans) {
    std::vector<std::string> notes;
    for (GroupPlan &plan : plans) {
        std::set<int> nests; // whose rows they are
        for (const NestPlan &member : plan.members) {
            if (member.lineElements == 0) continue;
            const PipelineStage &stage = pipeline.stageOf(member.node);
            int64_t elements = 1;
            for (size_t axis = 0; axis < stage.axes.size(); ++axis)
                elements = mulSaturating(elements, bounded.stages[static_cast<size_t>(stage.op)].axes[axis].extent);
            if (2 * elements <= 3 * member.lineElements) continue;
            nests.insert(member.attachedTo);
            notes.push_back(fmt::format("{}: what a row of {} reads of it is not known exactly enough; it is computed "
                                        "for the whole tile",
                                        stage.name, pipeline.stageOf(member.attachedTo).name));
        }
        for (NestPlan &member : plan.members) {
            if (member.lineElements == 0 || nests.count(member.attachedTo) == 0) continue;
            member.lineElements = 0;
            member.attachedTo = plan.output.node;
            member.attachedAt = plan.output.loops[plan.output.loops.size() - plan.interTile.size()].name;
        }
    }
    return notes;
}

} // namespace

Outcome<GroupedSchedule> groupedSchedule(const Grouping &grouping, const std::vector<GroupPlan> &plans) {
    auto schedule = StepWriter(grouping, plans).write();
    const bool lines = std::ranges::any_of(plans, [](const GroupPlan &plan) {
        return std::ranges::any_of(plan.members, [](const NestPlan &member) { return member.lineElements > 0; });
    });
    if (!schedule || !lines) return schedule;
    const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
    if (!bounded) return bounded.refusal();
    std::vector<GroupPlan> known = plans;
    std::vector<std::string> notes = wholeTilesInstead(grouping.pipeline, bounded.value(), known);
    if (notes.empty()) return schedule;
    schedule = StepWriter(grouping, known).write();
    if (schedule) schedule->notes.insert(schedule->notes.end(), notes.begin(), notes.end());
    return schedule;
}

} // namespace loopscope
