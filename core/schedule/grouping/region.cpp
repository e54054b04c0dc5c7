#include "schedule/grouping/region.h"

#include "language/expr/affine.h"
#include "language/expr/walk.h"
#include "schedule/grouping/common_values.h"

#include <algorithm>
#include <unordered_set>

namespace loopscope {

int64_t boxPoints(std::span<const Interval> box) {
    int64_t points = 1;
    for (const Interval range : box) {
        if (range.empty()) return 0;
        points = mulSaturating(points, addSaturating(addSaturating(range.max, -range.min), 1));
    }
    return points;
}

Box loopsFor(const PipelineNode &node, std::span<const Interval> stage) {
    Box loops;
    loopsFor(node, stage, loops);
    return loops;
}

void loopsFor(const PipelineNode &node, std::span<const Interval> stage, Box &loops) {
    loops.resize(node.loops.size());
    for (size_t i = 0; i < loops.size(); ++i) loops[i] = node.loops[i].range();
    for (size_t d = 0; d < stage.size(); ++d)
        if (node.loopOf[d] >= static_cast<int>(node.reduceLoops)) loops[static_cast<size_t>(node.loopOf[d])] = stage[d];
}

Box writtenBy(const Pipeline &pipeline, const PipelineNode &node, std::span<const Interval> loops) {
    Box written;
    writtenBy(pipeline, node, loops, written);
    return written;
}

void writtenBy(const Pipeline &pipeline, const PipelineNode &node, std::span<const Interval> loops, Box &written) {
    const std::vector<PipelineAxis> &axes = pipeline.stages[static_cast<size_t>(node.stage)].axes;
    written.resize(axes.size());
    for (size_t d = 0; d < axes.size(); ++d) {
        const bool spatial = node.loopOf[d] >= static_cast<int>(node.reduceLoops);
        written[d] = spatial ? loops[static_cast<size_t>(node.loopOf[d])] : axes[d].range();
    }
}

void Regions::join(BufferNumber buffer, std::span<const Interval> box) {
    const auto b = static_cast<size_t>(buffer);
    Interval *mine = m_intervals.data() + (*m_offsets)[b];
    const bool known = m_known[b];
    for (size_t d = 0; d < box.size(); ++d) mine[d] = known ? hull(mine[d], box[d]) : box[d];
    m_known[b] = true;
}

Box NeededRegions::allocated(BufferNumber buffer) const {
    Box box;
    allocated(buffer, box);
    return box;
}

void NeededRegions::allocated(BufferNumber buffer, Box &box) const {
    box.clear();
    if (computed.has(buffer)) {
        const auto from = computed.box(buffer);
        box.assign(from.begin(), from.end());
        if (own.has(buffer))
            for (size_t d = 0; d < box.size(); ++d) box[d] = hull(box[d], own.box(buffer)[d]);
    } else if (own.has(buffer)) {
        const auto from = own.box(buffer);
        box.assign(from.begin(), from.end());
    }
}

RegionAnalysis::RegionAnalysis(const Pipeline &pipeline)
    : m_pipeline(pipeline), m_accesses(pipeline.nodes.size()), m_general(pipeline.nodes.size(), false) {
    const ArenaScope scope(pipeline.arenas.back());
    m_offsets.push_back(0);
    for (size_t b = 0; b < pipeline.bufferCount(); ++b)
        m_offsets.push_back(m_offsets.back() + pipeline.rankOf(static_cast<int>(b)));
    for (size_t node = 0; node < pipeline.nodes.size(); ++node)
        if (!pipeline.stageOf(static_cast<int>(node)).removed) collect(static_cast<int>(node));
}

void RegionAnalysis::collect(int node) {
    std::unordered_set<const ExprNode *> seen;
    const auto visit = [&](auto &&self, Expr e) -> void {
        if (!seen.insert(e.node()).second) return;
        for (const Expr operand : e->operands()) self(self, operand);
        if (e->kind == ExprKind::Load) addLoad(node, e);
    };
    for (const Expr value : m_pipeline.node(node).values) visit(visit, withoutLets(value));
    for (const Expr condition : m_pipeline.node(node).conditions) visit(visit, withoutLets(condition));
}

void RegionAnalysis::addLoad(int node, Expr load) {
    const BufferNumber buffer = m_pipeline.bufferOf(load);
    auto &accesses = m_accesses[static_cast<size_t>(node)];
    auto access = std::find_if(accesses.begin(), accesses.end(), [&](const Access &a) { return a.buffer == buffer; });
    if (access == accesses.end()) {
        accesses.push_back({buffer, std::vector<DimensionAccess>(load->argCount)});
        access = accesses.end() - 1;
    }
    const auto &loops = m_pipeline.node(node).loops;
    std::vector<VarRange> ranges;
    for (const PipelineAxis &axis : loops) ranges.push_back({axis.var.node(), axis.range()});
    for (size_t d = 0; d < load->argCount; ++d) {
        const Expr index = load->arg(load->argCount - 1 - d);
        DimensionAccess &dimension = access->dimensions[d];
        if (containsLoad(index)) {
            // What a gather may reach: what its clamps leave of the tensor, or all of it.
            Interval whole = Interval::upTo(load->symbol->shape[load->argCount - 1 - d]);
            if (!m_pipeline.isInput(buffer)) whole = m_pipeline.stages[static_cast<size_t>(buffer)].axes[d].range();
            const Interval reach = intersect(whole, intervalOf(index, {}));
            dimension.always = dimension.always ? hull(*dimension.always, reach) : reach;
            continue;
        }
        const LinearForm form = linearForm(index, {});
        Affine affine;
        affine.low = affine.high = form.constant;
        bool known = !mayWrap(index, ranges);
        for (const LinearTerm &term : form.terms) {
            const auto loop = std::find_if(loops.begin(), loops.end(),
                                           [&](const PipelineAxis &axis) { return axis.var.is(term.atom); });
            known = known && loop != loops.end();
            if (known) affine.terms.emplace_back(static_cast<size_t>(loop - loops.begin()), term.coefficient);
        }
        if (!known) {
            m_general[static_cast<size_t>(node)] = true;
            dimension.other.push_back(index);
            continue;
        }
        std::sort(affine.terms.begin(), affine.terms.end());
        const auto same = std::find_if(dimension.affine.begin(), dimension.affine.end(),
                                       [&](const Affine &other) { return other.terms == affine.terms; });
        if (same == dimension.affine.end()) {
            dimension.affine.push_back(std::move(affine));
        } else {
            same->low = std::min(same->low, affine.low);
            same->high = std::max(same->high, affine.high);
        }
    }
}

Interval RegionAnalysis::indexRange(const DimensionAccess &access, const Box &bounds, VarRanges ranges) {
    std::optional<Interval> all = access.always;
    const auto add = [&](Interval range) { all = all ? hull(*all, range) : range; };
    for (const Affine &affine : access.affine) {
        Interval range{affine.low, affine.high};
        for (const auto &[loop, coefficient] : affine.terms) range = range + bounds[loop] * coefficient;
        add(range);
    }
    for (const Expr index : access.other) add(intervalOf(index, ranges));
    return *all;
}

NeededRegions RegionAnalysis::needed(int node, const Box &bounds, const std::vector<bool> &members) const {
    NeededRegions needed{none(), none()};
    this->needed(node, bounds, members, needed);
    return needed;
}

void RegionAnalysis::needed(int node, const Box &bounds, const std::vector<bool> &members,
                            NeededRegions &needed) const {
    needed.computed.clear();
    needed.own.clear();
    std::vector<VarRange> ranges;
    Box reads;
    const auto process = [&](int id, const Box &box) {
        const PipelineNode &which = m_pipeline.node(id);
        ranges.clear();
        if (m_general[static_cast<size_t>(id)]) {
            for (size_t i = 0; i < which.loops.size(); ++i) ranges.push_back({which.loops[i].var.node(), box[i]});
            for (const PipelineParameter &parameter : m_pipeline.parameters)
                ranges.push_back({parameter.var.node(), Interval::point(parameter.value)});
        }
        writtenBy(m_pipeline, which, box, reads);
        needed.own.join(which.stage, reads);
        for (const Access &access : m_accesses[static_cast<size_t>(id)]) {
            reads.clear();
            for (const DimensionAccess &dimension : access.dimensions)
                reads.push_back(indexRange(dimension, box, ranges));
            (access.buffer == which.stage ? needed.own : needed.computed).join(access.buffer, reads);
        }
    };
    process(node, bounds);
    const int output = m_pipeline.node(node).stage;
    Box box;
    for (int stage = output - 1; stage >= 0; --stage) {
        if (!members[static_cast<size_t>(stage)] || !needed.computed.has(stage)) continue;
        for (const int id : m_pipeline.stages[static_cast<size_t>(stage)].nodes) {
            loopsFor(m_pipeline.node(id), needed.computed.box(stage), box);
            process(id, box);
        }
    }
}

Regions RegionAnalysis::ofWholePipeline() const {
    Regions all = none();
    const std::vector<bool> everyone(m_pipeline.stages.size(), true);
    for (const int output : m_pipeline.outputs) {
        const PipelineStage &stage = m_pipeline.stages[static_cast<size_t>(output)];
        for (const int node : stage.nodes) {
            Box bounds;
            for (const PipelineAxis &loop : m_pipeline.node(node).loops) bounds.push_back(loop.range());
            const NeededRegions needed = this->needed(node, bounds, everyone);
            for (size_t b = 0; b < m_pipeline.bufferCount(); ++b) {
                const auto buffer = static_cast<BufferNumber>(b);
                if (needed.computed.has(buffer)) all.join(buffer, needed.computed.box(buffer));
                if (needed.own.has(buffer)) all.join(buffer, needed.own.box(buffer));
            }
        }
    }
    return all;
}

} // namespace loopscope
