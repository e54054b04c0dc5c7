#include "grouping/loop_plan.h"

#include "grouping/locality.h"

#include <algorithm>

namespace loopscope {

namespace {

class NestPlanning {
  public:
    NestPlanning(const Grouping &grouping, const GroupEvaluation &evaluation, int node, const Box &bounds)
        : m_grouping(grouping), m_evaluation(evaluation), m_node(grouping.pipeline.node(node)) {
        plan.node = node;
        for (size_t i = 0; i < m_node.loops.size(); ++i)
            plan.loops.push_back(
                {m_node.loops[i].name, bounds[i].max - bounds[i].min + 1, isSerial(m_node, i), false, false});
    }

    void reorderForLocality(const std::vector<bool> &inlined, const std::vector<Box> &local) {
        const auto strides = accessStrides(m_grouping.pipeline, m_evaluation, plan.node, inlined, local);
        std::vector<PlannedLoop> ordered;
        for (const size_t loop : localOrder(m_node, strides)) ordered.push_back(plan.loops[loop]);
        plan.loops = std::move(ordered);
    }

    void tile(const TileSizes &sizes, std::vector<std::string> &interTile) {
        std::vector<PlannedLoop> inner;
        std::vector<PlannedLoop> outer;
        for (const PlannedLoop &loop : plan.loops) {
            const int64_t size = sizes[indexOf(loop.name)];
            if (size == 0 || loop.extent <= size) {
                inner.push_back(loop);
            } else if (size == 1) {
                outer.push_back(loop);
            } else {
                const auto [within, between] = split(loop, size, "_i", "_o");
                inner.push_back(within);
                outer.push_back(between);
            }
        }
        for (const PlannedLoop &loop : outer) interTile.push_back(loop.name);
        plan.loops = std::move(inner);
        plan.loops.insert(plan.loops.end(), outer.begin(), outer.end());
    }

    void vectorize() {
        int lanes = 0;
        for (const Expr value : m_node.values)
            lanes = std::max(lanes, m_grouping.machine.vectorBytes / dtypeBytes(value->dtype));
        for (size_t i = 0; i < plan.loops.size(); ++i) {
            const PlannedLoop loop = plan.loops[i];
            if (loop.serial || loop.extent < lanes) continue;
            auto [within, between] = split(loop, lanes, "_vi", "_vo");
            within.vector = true;
            plan.loops[i] = between;
            plan.loops.insert(plan.loops.begin() + static_cast<std::ptrdiff_t>(i), within);
            return;
        }
    }

    void parallelize() {
        int64_t tasks = 1;
        size_t sequential = plan.loops.size(); // the outermost loop that takes its steps in turn
        for (size_t i = plan.loops.size(); i-- > 0;) {
            if (plan.loops[i].vector) return;
            if (plan.loops[i].serial) {
                if (sequential == plan.loops.size()) sequential = i;
                continue;
            }
            if (tasks >= m_grouping.machine.parallelism) return;
            plan.loops[i].parallel = true;
            tasks = mulSaturating(tasks, plan.loops[i].extent);
            if (sequential < plan.loops.size()) {
                std::swap(plan.loops[i], plan.loops[sequential]);
                sequential = i;
            }
        }
    }

    NestPlan plan;

  private:
    size_t indexOf(const std::string &name) const {
        const auto found = std::find_if(m_node.loops.begin(), m_node.loops.end(),
                                        [&](const PipelineAxis &axis) { return axis.name == name; });
        return static_cast<size_t>(found - m_node.loops.begin());
    }

    /// The loop within and the one around it.
    std::pair<PlannedLoop, PlannedLoop> split(const PlannedLoop &loop, int64_t length, const char *inner,
                                              const char *outer) {
        PlannedLoop within = loop;
        PlannedLoop between = loop;
        within.name += inner;
        within.extent = length;
        between.name += outer;
        between.extent = (loop.extent + length - 1) / length;
        plan.splits.push_back({loop.name, between.name, within.name, length});
        return {within, between};
    }

    const Grouping &m_grouping;
    const GroupEvaluation &m_evaluation;
    const PipelineNode &m_node;
};

} // namespace

std::vector<GroupPlan> planLoops(const Grouping &grouping) {
    const GroupEvaluation evaluation(grouping.pipeline, grouping.machine);
    const std::vector<bool> inlined = grouping.inlinedStages();
    std::vector<GroupPlan> plans;
    for (const Group &group : grouping.groups) {
        const PipelineNode &output = grouping.pipeline.node(group.output);
        const NeededRegions needed = evaluation.needed(group, group.tile);
        std::vector<Box> local(grouping.pipeline.stages.size());
        for (size_t stage = 0; stage < local.size(); ++stage)
            if (group.holds[stage] && static_cast<int>(stage) != output.stage)
                local[stage] = needed.allocated(static_cast<int>(stage));

        GroupPlan plan;
        NestPlanning nest(grouping, evaluation, group.output, evaluation.nodeBounds(group.output));
        const bool reordered = output.loops.size() > 1;
        if (reordered) nest.reorderForLocality(inlined, local);
        nest.tile(group.tile, plan.interTile);
        nest.vectorize();
        nest.parallelize();
        const size_t inner = nest.plan.loops.size() - plan.interTile.size();
        const std::string attach = plan.interTile.empty() ? std::string() : nest.plan.loops[inner].name;
        for (const int node : group.members) {
            const PipelineNode &member = grouping.pipeline.node(node);
            if (member.stage == output.stage || group.inlined[static_cast<size_t>(member.stage)] ||
                !needed.computed.has(member.stage))
                continue;
            TileSizes region(member.loops.size(), 0);
            const auto box = needed.computed.box(member.stage);
            for (size_t d = 0; d < box.size(); ++d) region[member.reduceLoops + d] = box[d].max - box[d].min + 1;
            NestPlanning own(grouping, evaluation, node, evaluation.tileBounds(node, region));
            if (!attach.empty()) {
                own.plan.attachedTo = group.output;
                own.plan.attachedAt = attach;
            }
            // As in Halide, it is the rank of the output that decides whether members are reordered.
            if (reordered) own.reorderForLocality(inlined, local);
            own.vectorize();
            plan.members.push_back(std::move(own.plan));
        }
        plan.output = std::move(nest.plan);
        plans.push_back(std::move(plan));
    }
    return plans;
}

} // namespace loopscope
