#include "schedule/grouping/loop_plan.h"

#include "schedule/grouping/lane_steps.h"
#include "schedule/grouping/line_buffers.h"
#include "schedule/grouping/locality.h"
#include "schedule/grouping/point_cost.h"
#include "schedule/grouping/split_reduction.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

/// The tile that a nest computes, or takes part in.
struct LoopsInTile {
    Box bounds; // of the node's loops
    bool tiled = false;
    size_t interTile = 0;            // loops of its own that go from tile to tile
    const std::vector<Box> *local{}; // by stage; empty: not of the tile
};

class NestPlanning {
  public:
    NestPlanning(const Grouping &grouping, const GroupEvaluation &evaluation, int node, const Box &bounds)
        : m_grouping(grouping), m_evaluation(evaluation), m_node(grouping.pipeline.node(node)) {
        plan.node = node;
        for (size_t i = 0; i < m_node.loops.size(); ++i)
            plan.loops.push_back({.name = m_node.loops[i].name,
                                  .extent = bounds[i].max - bounds[i].min + 1,
                                  .serial = isSerial(m_node, i),
                                  .axis = i});
    }

    /// As the mode has it; both say how the loops inside a tile are cut and which of them are lanes. `tile`: that the
    /// nest stands in.
    void cutLoops(const std::vector<bool> &inlined, const LoopsInTile &tile) {
        if (m_grouping.mode == GroupingMode::Compat) {
            vectorize();
            return;
        }
        cutForRegisters();
        if (tile.tiled) cutSteps(inlined, tile);
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
        if (lanes < 2) return;
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
        if (alongLanes == plan.loops.end() || lanes < 2 || alongLanes->extent < lanes) {
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

    /// By loop of the node: how many of its values an iteration of the loop takes that goes from row to row in the
    /// tile. 0: there is none, or members cannot be computed there.
    [[nodiscard]] std::vector<int64_t> rowLoops(size_t interTile) const {
        std::vector<int64_t> rows(m_node.loops.size(), 0);
        const size_t inside = plan.loops.size() - interTile;
        if (m_node.inOrder || !m_node.places.empty() || inside == 0 || m_node.loopOf.empty() ||
            m_node.loopOf[0] != static_cast<int>(m_node.reduceLoops))
            return rows;
        for (size_t i = inside; i-- > 0;) {
            const PlannedLoop &loop = plan.loops[i];
            if (loop.serial) break;
            if (loop.vector || loop.unrolled || loop.axis == m_node.reduceLoops) continue;
            rows[loop.axis] = loop.step;
        }
        return rows;
    }

    /// Its name.
    std::string putRowsOutermost(size_t axis, size_t interTile) {
        const auto inside = plan.loops.end() - static_cast<std::ptrdiff_t>(interTile);
        const auto rows = std::find_if(plan.loops.begin(), inside, [&](const PlannedLoop &loop) {
            return loop.axis == axis && !loop.vector && !loop.unrolled;
        });
        std::rotate(rows, rows + 1, inside);
        return (inside - 1)->name;
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

    /// Where the steps of a reduction reach over more than a cache holds, all blocks of the tile take some of them
    /// before any takes the next.
    void cutSteps(const std::vector<bool> &inlined, const LoopsInTile &tile) {
        if (m_node.inOrder || !m_node.places.empty() || tile.bounds.size() == m_node.reduceLoops) return;
        const size_t inside = plan.loops.size() - tile.interTile;
        ReductionTile reduction{plan.node, tile.bounds, TileSizes(m_node.loops.size(), 1), {}, 0};
        size_t outermost = inside;
        for (size_t i = 0; i < inside; ++i) {
            const PlannedLoop &loop = plan.loops[i];
            if (loop.serial) outermost = i;
            if (loop.vector || (loop.unrolled && !loop.serial)) reduction.block[loop.axis] *= loop.extent;
        }
        if (outermost == inside || plan.loops[outermost].unrolled) return;
        for (const Box &box : *tile.local) reduction.local.push_back(!box.empty());
        reduction.cut = plan.loops[outermost].axis;
        const int64_t length = stepsAtATime(m_evaluation, m_grouping.machine, inlined, reduction);
        if (length == 0) return;
        auto [within, between] = split(plan.loops[outermost], length, "_i", "_o");
        plan.loops[outermost] = within;
        plan.loops.insert(plan.loops.begin() + static_cast<std::ptrdiff_t>(inside), between);
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
        between.step *= length;
        between.name += outer;
        between.extent = (loop.extent + length - 1) / length;
        plan.splits.push_back({loop.name, between.name, within.name, length});
        return {within, between};
    }

    const Grouping &m_grouping;
    const GroupEvaluation &m_evaluation;
    const PipelineNode &m_node;
};

/// The nests of a group, those that read before those that are read.
class GroupPlanning {
  public:
    GroupPlanning(const Grouping &grouping, GroupEvaluation &evaluation, const Group &group,
                  const std::vector<bool> &inlined)
        : m_grouping(grouping), m_evaluation(evaluation), m_group(group), m_inlined(inlined),
          m_needed(evaluation.needed(group, group.tile)), m_local(grouping.pipeline.stages.size()),
          m_places(grouping.pipeline.stages.size()), m_open(grouping.pipeline.stages.size(), false) {
        const int output = grouping.pipeline.node(group.output).stage;
        for (size_t stage = 0; stage < m_local.size(); ++stage) {
            if (!group.holds[stage] || static_cast<int>(stage) == output) continue;
            m_local[stage] = m_needed.allocated(static_cast<int>(stage));
            m_open[stage] = !group.inlined[stage] && m_needed.computed.has(static_cast<int>(stage));
        }
        m_tiles = fixed() && std::ranges::find(m_open, true) != m_open.end();
    }

    GroupPlan make() {
        const Pipeline &pipeline = m_grouping.pipeline;
        const PipelineNode &output = pipeline.node(m_group.output);
        NestPlanning nest(m_grouping, m_evaluation, m_group.output, m_evaluation.nodeBounds(m_group.output));
        // As in Halide, it is the rank of the output that decides whether members are reordered.
        const bool reordered = output.loops.size() > 1;
        if (reordered) nest.reorderForLocality(m_inlined, m_local);
        nest.tile(m_group.tile, m_plan.interTile);
        const Box tile = m_evaluation.tileBounds(m_group.output, m_group.tile);
        const size_t interTile = m_plan.interTile.size();
        nest.cutLoops(m_inlined, {tile, interTile > 0, interTile, &m_local});
        nest.parallelize(interTile);
        if (interTile > 0) {
            const std::string attach = nest.plan.loops[nest.plan.loops.size() - interTile].name;
            for (size_t stage = 0; stage < m_places.size(); ++stage)
                if (m_open[stage]) m_places[stage] = {m_group.output, attach, std::nullopt};
            findLines(nest, tile, interTile);
        }
        m_plan.output = std::move(nest.plan);
        std::vector<std::optional<NestPlan>> members(pipeline.nodes.size());
        for (int stage = output.stage; stage-- > 0;) {
            if (!m_open[static_cast<size_t>(stage)]) continue;
            const std::vector<int> &nodes = pipeline.stages[static_cast<size_t>(stage)].nodes;
            for (size_t i = nodes.size(); i-- > 0;)
                members[static_cast<size_t>(nodes[i])] = planMember(nodes[i], reordered || fixed());
        }
        for (const int node : m_group.members)
            if (std::optional<NestPlan> &member = members[static_cast<size_t>(node)])
                m_plan.members.push_back(std::move(*member));
        return std::move(m_plan);
    }

  private:
    struct Place {
        int nest = -1; // node; -1: at root
        std::string loop;
        std::optional<NeededRegions> row; // what is needed there; otherwise what a tile needs
    };

    [[nodiscard]] bool fixed() const { return m_grouping.mode == GroupingMode::Fixed; }

    NestPlan planMember(int node, bool reordered) {
        const PipelineNode &member = m_grouping.pipeline.node(node);
        const Place &place = m_places[static_cast<size_t>(member.stage)];
        TileSizes region(member.loops.size(), 0);
        const auto box = (place.row ? *place.row : m_needed).computed.box(member.stage);
        for (size_t d = 0; d < box.size(); ++d)
            if (member.loopOf[d] >= static_cast<int>(member.reduceLoops))
                region[static_cast<size_t>(member.loopOf[d])] = box[d].max - box[d].min + 1;
        const Box bounds = m_evaluation.tileBounds(node, region);
        NestPlanning own(m_grouping, m_evaluation, node, bounds);
        own.plan.attachedTo = place.nest;
        own.plan.attachedAt = place.loop;
        if (place.row) own.plan.lineElements = boxPoints(place.row->allocated(member.stage));
        if (reordered) own.reorderForLocality(m_inlined, m_local);
        own.cutLoops(m_inlined, {bounds, place.nest >= 0, 0, &m_local});
        if (place.nest >= 0 && !place.row && node == m_grouping.pipeline.lastNode(member.stage))
            findLines(own, bounds, 0);
        return std::move(own.plan);
    }

    /// Members that go into the rows of a nest.
    void findLines(NestPlanning &nest, const Box &loops, size_t interTile) {
        if (!m_tiles) return;
        RowNest rows{nest.plan.node, loops, nest.rowLoops(interTile), m_open};
        for (size_t stage = 0; stage < m_open.size(); ++stage)
            if (m_places[stage].row || m_places[stage].nest < 0) rows.open[stage] = false;
        if (std::ranges::all_of(rows.rows, [](int64_t size) { return size == 0; })) return;
        if (!m_readers) m_readers.emplace(m_evaluation, m_group, m_inlined);
        const LineBuffers found = lineBuffers(m_evaluation, m_grouping.machine, m_group, *m_readers, rows);
        if (found.axis < 0 || found.spared < kMinSpared) return;
        const std::string loop = nest.putRowsOutermost(static_cast<size_t>(found.axis), interTile);
        for (size_t stage = 0; stage < m_open.size(); ++stage)
            if (found.stages[stage]) m_places[stage] = {nest.plan.node, loop, found.row};
    }

    /// Bytes of buffers that the first cache would not have kept anyway.
    static constexpr double kMinSpared = 16 << 10;

    const Grouping &m_grouping;
    GroupEvaluation &m_evaluation;
    const Group &m_group;
    const std::vector<bool> &m_inlined;
    NeededRegions m_needed;
    std::vector<Box> m_local;    // by stage
    std::vector<Place> m_places; // by stage
    std::vector<bool> m_open;    // by stage: a member with loops
    bool m_tiles = false;
    std::optional<GroupReaders> m_readers;
    GroupPlan m_plan;
};

} // namespace

std::vector<GroupPlan> planLoops(const Grouping &grouping) {
    GroupEvaluation evaluation(grouping.pipeline, grouping.machine, grouping.mode);
    const std::vector<bool> inlined = grouping.inlinedStages();
    std::vector<GroupPlan> plans;
    for (const Group &group : grouping.groups)
        plans.push_back(GroupPlanning(grouping, evaluation, group, inlined).make());
    return plans;
}

} // namespace loopscope
