#include "grouping/loop_plan.h"

#include "grouping/lane_steps.h"
#include "grouping/locality.h"
#include "grouping/point_cost.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace loopscope {

namespace {

class NestPlanning {
  public:
    NestPlanning(const Grouping &grouping, const GroupEvaluation &evaluation, int node, const Box &bounds)
        : m_grouping(grouping), m_evaluation(evaluation), m_node(grouping.pipeline.node(node)) {
        plan.node = node;
        for (size_t i = 0; i < m_node.loops.size(); ++i)
            plan.loops.push_back(
                {m_node.loops[i].name, bounds[i].max - bounds[i].min + 1, isSerial(m_node, i), false, false, false});
    }

    /// As the mode has it; both say how the loops inside a tile are cut and which of them are lanes.
    void cutLoops() {
        if (m_grouping.mode == GroupingMode::Compat)
            vectorize();
        else
            cutForRegisters();
    }

    void reorderForLocality(const std::vector<bool> &inlined, const std::vector<Box> &local) {
        const auto strides = accessStrides(m_grouping.pipeline, m_evaluation, plan.node, inlined, local);
        std::vector<PlannedLoop> ordered;
        for (const size_t loop : localOrder(m_node, strides)) ordered.push_back(plan.loops[loop]);
        plan.loops = std::move(ordered);
        if (m_grouping.mode == GroupingMode::Fixed) putInnermost(m_node.reduceLoops);
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
        const int lanes = this->lanes();
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

    /// Lanes along the axis whose elements are next to each other; of a reduction also a block of results that stay in
    /// registers while its steps are taken, and short reductions without loops.
    void cutForRegisters() {
        if (m_node.loops.size() == m_node.reduceLoops) return;
        if (m_node.loopOf[0] != static_cast<int>(m_node.reduceLoops)) {
            // Nothing runs along the lanes; around the steps are the loops that can be parallel.
            std::stable_partition(plan.loops.begin(), plan.loops.end(),
                                  [](const PlannedLoop &loop) { return loop.serial; });
            unrollShortReductions();
            return;
        }
        const std::string first = m_node.loops[m_node.reduceLoops].name;
        const auto alongLanes = std::find_if(plan.loops.begin(), plan.loops.end(), [&](const PlannedLoop &loop) {
            return loop.name == first || loop.name == first + "_i";
        });
        const int lanes = this->lanes();
        if (alongLanes == plan.loops.end() || alongLanes->extent < lanes) {
            unrollShortReductions();
            return;
        }
        const bool reduces =
            std::any_of(plan.loops.begin(), plan.loops.end(), [](const PlannedLoop &loop) { return loop.serial; });
        std::vector<PlannedLoop> block;
        const size_t at = static_cast<size_t>(alongLanes - plan.loops.begin());
        auto [within, between] = split(plan.loops[at], lanes, "_vi", "_vo");
        within.vector = true;
        plan.loops[at] = between;
        block.push_back(within);
        if (reduces) {
            if (between.extent % 2 == 0 && !gathers()) block.push_back(cutOff(at, 2));
            for (size_t i = 0; i < plan.loops.size(); ++i) {
                const PlannedLoop &loop = plan.loops[i];
                if (m_node.inOrder) break; // its rows have no steps in common
                if (i == at || loop.serial || loop.extent < 2) continue;
                const int64_t rows = loop.extent % 4 == 0 ? 4 : loop.extent % 3 == 0 ? 3 : loop.extent % 2 == 0 ? 2 : 1;
                if (rows > 1) block.push_back(cutOff(i, rows));
                break;
            }
            unrollShortReductions();
            // Around the block the steps of the reduction, around those all else.
            std::vector<PlannedLoop> ordered;
            for (const bool serial : {true, false})
                std::copy_if(plan.loops.begin(), plan.loops.end(), std::back_inserter(ordered),
                             [&](const PlannedLoop &loop) { return loop.serial == serial; });
            plan.loops = std::move(ordered);
        }
        plan.loops.insert(plan.loops.begin(), block.begin(), block.end());
    }

    void parallelize(size_t interTile) {
        if (m_grouping.mode == GroupingMode::Fixed) {
            parallelizeOuter(interTile);
            return;
        }
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
    [[nodiscard]] int lanes() const { return lanesOf(m_node, m_grouping.machine); }

    void putInnermost(size_t axis) {
        if (axis >= m_node.loops.size()) return;
        const auto found = std::find_if(plan.loops.begin(), plan.loops.end(),
                                        [&](const PlannedLoop &loop) { return loop.name == m_node.loops[axis].name; });
        std::rotate(plan.loops.begin(), found, found + 1);
    }

    /// Its lanes lie in rows of their own. Step after step of a reduction these rows are read on, and a cache has few
    /// places for lines that lie so far apart: more lanes would drive each other out.
    bool gathers() const {
        LaneSteps steps(m_node.loops[m_node.reduceLoops].var);
        for (const Expr value : m_node.openValues)
            for (const auto &[e, times] : countedNodes(value))
                if (e->kind == ExprKind::Load && steps.gathered(e)) return true;
        return false;
    }

    /// The inner part of a loop, unrolled; the rest stays in its place.
    PlannedLoop cutOff(size_t loop, int64_t length) {
        auto [within, between] = split(plan.loops[loop], length, "_r", "_q");
        within.unrolled = true;
        plan.loops[loop] = between;
        return within;
    }

    void unrollShortReductions() {
        constexpr int64_t most = 9;
        int64_t steps = 1;
        for (PlannedLoop &loop : plan.loops) {
            if (!loop.serial || loop.extent * steps > most) continue;
            steps *= loop.extent;
            loop.unrolled = true;
        }
    }

    /// Enough tasks that no thread waits long for the last ones; only loops from tile to tile, where there are any.
    void parallelizeOuter(size_t interTile) {
        const size_t inside = interTile > 0 ? plan.loops.size() - interTile : 0;
        int64_t tasks = 1;
        for (size_t i = plan.loops.size(); i-- > inside;) {
            PlannedLoop &loop = plan.loops[i];
            if (loop.vector || loop.serial || loop.unrolled || tasks >= 4 * m_grouping.machine.parallelism) return;
            loop.parallel = true;
            tasks = mulSaturating(tasks, loop.extent);
        }
    }

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
    const GroupEvaluation evaluation(grouping.pipeline, grouping.machine, grouping.mode);
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
        nest.cutLoops();
        nest.parallelize(plan.interTile.size());
        const size_t inner = nest.plan.loops.size() - plan.interTile.size();
        const std::string attach = plan.interTile.empty() ? std::string() : nest.plan.loops[inner].name;
        for (const int node : group.members) {
            const PipelineNode &member = grouping.pipeline.node(node);
            if (member.stage == output.stage || group.inlined[static_cast<size_t>(member.stage)] ||
                !needed.computed.has(member.stage))
                continue;
            TileSizes region(member.loops.size(), 0);
            const auto box = needed.computed.box(member.stage);
            for (size_t d = 0; d < box.size(); ++d)
                if (member.loopOf[d] >= static_cast<int>(member.reduceLoops))
                    region[static_cast<size_t>(member.loopOf[d])] = box[d].max - box[d].min + 1;
            NestPlanning own(grouping, evaluation, node, evaluation.tileBounds(node, region));
            if (!attach.empty()) {
                own.plan.attachedTo = group.output;
                own.plan.attachedAt = attach;
            }
            // As in Halide, it is the rank of the output that decides whether members are reordered.
            if (reordered || grouping.mode == GroupingMode::Fixed) own.reorderForLocality(inlined, local);
            own.cutLoops();
            plan.members.push_back(std::move(own.plan));
        }
        plan.output = std::move(nest.plan);
        plans.push_back(std::move(plan));
    }
    return plans;
}

} // namespace loopscope
