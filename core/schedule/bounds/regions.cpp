#include "schedule/bounds/regions.h"

#include "language/te/scan.h"
#include "language/te/scatter.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

std::optional<Refusal> RegionInference::run(const LoopState &state) {
    m_state = &state;
    number(state);
    for (size_t i = state.stageCount(); i-- > 0;) {
        const Stage &stage = state.stage(StageId(i));
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        if (std::optional<Refusal> refused = inferStage(StageId(i))) return refused;
        extentsOf(StageId(i));
    }
    return std::nullopt;
}

void RegionInference::number(const LoopState &state) {
    size_t variables = 0;
    size_t axes = 0;
    size_t nodes = 0;
    size_t maxNodes = 0;
    stages.resize(state.stageCount());
    m_anyThreads = false;
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        stages[i] = {variables, axes, nodes};
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        variables += stage.iters.size();
        axes += axisCount(*stage.op);
        nodes += static_cast<size_t>(stage.nodeCount);
        maxNodes = std::max(maxNodes, static_cast<size_t>(stage.nodeCount));
        for (const Iter &iter : stage.iters) m_anyThreads = m_anyThreads || isThread(iter.annotation);
    }
    variableCount = variables;
    pool.reset(variables);
    min.assign(axes, Form{});
    extent.assign(axes, 1);
    nodeExtent.assign(nodes, 1);
    m_relaxed.assign(variables, 0);
    m_inlinedPath.assign(state.stageCount(), 0);
    m_spans.resize(maxNodes);
    m_threadBound.assign(maxNodes, 0);
}

void RegionInference::wholeStage(StageId id) {
    const Op &op = *m_state->stage(id).op;
    const size_t first = stages[id.index()].firstAxis;
    for (size_t a = 0; a < op.axes.size(); ++a) {
        min[first + a] = Form{};
        extent[first + a] = op.axes[a].extent;
    }
}

void RegionInference::extentsOf(StageId id) {
    const Stage &stage = m_state->stage(id);
    const StageRegions &at = stages[id.index()];
    const size_t spatial = stage.op->axes.size();
    for (size_t r = 0; r < stage.op->reduceRank(); ++r)
        extent[at.firstAxis + spatial + r] = stage.op->reduction->axes[r].extent;
    int64_t *nodes = nodeExtent.data() + at.firstNode;
    std::copy_n(extent.data() + at.firstAxis, axisCount(*stage.op), nodes);
    const char *threads = nullptr;
    if (m_anyThreads) {
        std::fill(m_threadBound.begin(), m_threadBound.end(), 0);
        const auto bound = [&](int node) -> char & { return m_threadBound[static_cast<size_t>(node)]; };
        for (const Iter &iter : stage.iters) bound(iter.node) = isThread(iter.annotation) ? 1 : 0;
        for (auto r = stage.relations.rbegin(); r != stage.relations.rend(); ++r) {
            if (r->kind == IterRelation::Kind::Fuse)
                bound(r->outer) = bound(r->inner) = bound(r->parent);
            else
                bound(r->parent) = bound(r->outer) | bound(r->inner);
        }
        threads = m_threadBound.data();
    }
    extentsDown(stage, nodes, threads);
    for (size_t i = 0; i < stage.iters.size(); ++i)
        pool.setExtent(static_cast<int>(at.firstVariable + i), nodes[stage.iters[i].node]);
}

void RegionInference::findReaders(StageId id) {
    for (const int reader : m_state->dag()->access(id.index()).consumers) {
        const StageId stage(reader);
        if (m_state->stage(stage).location != ComputeLocation::Inlined) {
            if (std::find(m_readers.begin(), m_readers.end(), stage) == m_readers.end()) m_readers.push_back(stage);
        } else if (m_inlinedPath[stage.index()] == 0) {
            m_inlinedPath[stage.index()] = 1;
            findReaders(stage);
        }
    }
}

std::optional<Refusal> RegionInference::inferStage(StageId id) {
    const LoopState &state = *m_state;
    if (state.dag()->access(id.index()).isOutput) {
        wholeStage(id);
        return std::nullopt;
    }
    if (state.stage(id).location == ComputeLocation::Attached && state.attachedTo(id).stage.value < 0)
        return Refusal{fmt::format(
            "bounds of {} do not exist: debug_skip_region took it out of the program; attach it (compute_at) or "
            "compute it at root (compute_root)",
            named(state, id).text())};
    m_readers.clear();
    std::fill(m_inlinedPath.begin(), m_inlinedPath.end(), 0);
    findReaders(id);

    const size_t rank = state.stage(id).op->axes.size();
    m_wanted.resize(rank);
    m_wantedSet.assign(rank, 0);
    // Outside all loops no thread has a number yet: everything is covered, as for the widest scope.
    const bool attached = state.attachedTo(id).stage.value >= 0;
    const ScopeRank scope = m_anyThreads && attached ? scopeRank(state, id) : ScopeRank::Global;
    for (const StageId reader : m_readers) {
        if (std::optional<Refusal> refused = placeReader(id, reader, scope)) return refused;
        readerAxes(id, reader, scope);
        visitLoads(reader.index(), m_axisIntervals.data(), id.index());
    }
    setRegion(id);
    return std::nullopt;
}

bool RegionInference::needsRelax(Annotation annotation, bool insideAttachPoint, ScopeRank scope) const {
    if (!isThread(annotation)) return insideAttachPoint;
    return static_cast<int>(scope) <= threadRank(annotation);
}

std::optional<Refusal> RegionInference::placeReader(StageId id, StageId reader, ScopeRank scope) {
    const LoopState &state = *m_state;
    const AttachPoint wanted = state.attachedTo(id);
    std::fill(m_relaxed.begin(), m_relaxed.end(), 0);
    bool outside = false; // of the attach point, from here outward
    if (wanted.stage == reader) outside = true;
    for (AttachPoint at = state.attachedTo(reader); at.stage.value >= 0; at = state.attachedTo(at.stage)) {
        const Stage &around = state.stage(at.stage);
        for (int i = at.iter.value; i >= 0; --i) {
            if (at.stage == wanted.stage && i == wanted.iter.value) outside = true;
            const Annotation annotation = around.iters[static_cast<size_t>(i)].annotation;
            m_relaxed[stages[at.stage.index()].firstVariable + static_cast<size_t>(i)] =
                needsRelax(annotation, !outside, scope) ? 1 : 0;
        }
    }
    if (outside || wanted.stage.value < 0) return std::nullopt;
    return Refusal{fmt::format(
        "bounds of {} do not exist: it is attached at {}, but {} reads it outside that loop; attach it at a loop "
        "around all its readers, or compute it at root (compute_root)",
        named(state, id).text(), named(state, wanted.stage, wanted.iter).text(), named(state, reader).text())};
}

void RegionInference::readerAxes(StageId id, StageId reader, ScopeRank scope) {
    const Stage &stage = m_state->stage(reader);
    const StageRegions &at = stages[reader.index()];
    const AttachPoint wanted = m_state->attachedTo(id);
    const int lastPoint = wanted.stage == reader ? wanted.iter.value : -1;
    const int64_t *nodes = nodeExtent.data() + at.firstNode;
    bool allFull = true;
    for (size_t i = 0; i < stage.iters.size(); ++i) {
        const Iter &iter = stage.iters[i];
        NodeSpan &span = m_spans[static_cast<size_t>(iter.node)];
        const int64_t count = nodes[iter.node];
        if (count == 1) {
            span = {Form{}, Form{}, true, true};
        } else if (needsRelax(iter.annotation, static_cast<int>(i) > lastPoint, scope)) {
            span = {Form{}, FormPool::constant(count - 1), true, false};
        } else {
            const Form variable = pool.variable(static_cast<int>(at.firstVariable + i));
            span = {variable, variable, false, true};
            allFull = false;
        }
    }
    const size_t axes = axisCount(*stage.op);
    if (allFull)
        for (size_t a = 0; a < axes; ++a) m_spans[a] = {Form{}, FormPool::constant(nodes[a] - 1), true, nodes[a] == 1};
    else
        spansUp(reader);
    if (const std::optional<Scan> scan = scanOf(*stage.op); scan && scan->backwards && !m_spans[scan->axis].full) {
        // Its loop counts from the end.
        NodeSpan &span = m_spans[scan->axis];
        const Form last = FormPool::constant(nodes[scan->axis] - 1);
        const Form low = pool.subtract(last, span.high);
        span.high = span.point ? low : pool.subtract(last, span.low);
        span.low = low;
    }

    m_axisIntervals.resize(axes);
    for (size_t a = 0; a < axes; ++a) {
        const NodeSpan &span = m_spans[a];
        const Form base = min[at.firstAxis + a]; // 0 for reduce axes
        FormInterval &out = m_axisIntervals[a];
        out.everything = false;
        out.low = pool.add(base, span.low);
        out.high = span.point ? out.low : pool.add(base, span.high);
        const Form low = pool.lowerBound(out.low, m_relaxed);
        const Form high = pool.upperBound(out.high, m_relaxed);
        // A point stays one when nothing in it was relaxed, which gives back the same terms.
        out.point = span.point && low.begin == high.begin && low.count == high.count && low.constant == high.constant;
        out.low = low;
        out.high = high;
    }
}

void RegionInference::spansUp(StageId reader) {
    const Stage &stage = m_state->stage(reader);
    const int64_t *nodes = nodeExtent.data() + stages[reader.index()].firstNode;
    const auto span = [&](int node) -> NodeSpan & { return m_spans[static_cast<size_t>(node)]; };
    const auto full = [&](int node) {
        return NodeSpan{Form{}, FormPool::constant(nodes[node] - 1), true, nodes[node] == 1};
    };
    for (auto r = stage.relations.rbegin(); r != stage.relations.rend(); ++r) {
        const int64_t innerExtent = nodes[r->inner];
        if (r->kind == IterRelation::Kind::Split) {
            const NodeSpan &outer = span(r->outer);
            const NodeSpan &inner = span(r->inner);
            if (outer.full && inner.full) {
                span(r->parent) = full(r->parent);
                continue;
            }
            NodeSpan parent;
            parent.low = pool.add(pool.scale(outer.low, innerExtent), inner.low);
            parent.point = outer.point && inner.point;
            parent.high = parent.point ? parent.low : pool.add(pool.scale(outer.high, innerExtent), inner.high);
            span(r->parent) = parent;
            continue;
        }
        const NodeSpan fused = span(r->parent);
        if (fused.full) {
            span(r->outer) = full(r->outer);
            span(r->inner) = full(r->inner);
            continue;
        }
        NodeSpan outer;
        NodeSpan inner;
        outer.low = pool.floorDiv(fused.low, innerExtent);
        if (fused.point) {
            outer.high = outer.low;
            outer.point = inner.point = true;
            inner.low = inner.high = pool.floorMod(fused.low, innerExtent);
        } else {
            outer.high = pool.floorDiv(fused.high, innerExtent);
            const Form length = pool.subtract(fused.high, fused.low);
            const bool fits = length.isConstant() && length.constant >= 0 && innerExtent % (length.constant + 1) == 0;
            const Form offset = fits ? pool.floorMod(fused.low, length.constant + 1) : Form{};
            if (fits && offset.isConstant() && offset.constant == 0) { // never spans two rows
                outer.high = outer.low;
                outer.point = true;
                inner.low = pool.floorMod(fused.low, innerExtent);
                inner.high = FormPool::plus(inner.low, length.constant);
                inner.full = length.constant + 1 == innerExtent;
            } else {
                inner = full(r->inner);
            }
        }
        if (nodes[r->outer] == 1) outer = full(r->outer);
        if (innerExtent == 1) inner = full(r->inner);
        span(r->outer) = outer;
        span(r->inner) = inner;
    }
}

void RegionInference::visitLoads(size_t index, const FormInterval *axes, size_t wanted) {
    const Op &op = *m_state->stage(StageId(index)).op;
    for (const LoadAccess &load : m_state->dag()->access(index).loads) {
        if (load.producer < 0) continue;
        const auto producer = static_cast<size_t>(load.producer);
        if (producer == wanted) {
            for (size_t d = 0; d < load.indices.size(); ++d) {
                FormInterval read = indexInterval(pool, load.indices[d], op, axes);
                const int64_t last = load.tensor->shape[d] - 1;
                const bool whole = read.low.isConstant() && read.low.constant <= 0 && read.high.isConstant() &&
                                   read.high.constant >= last;
                if (read.everything || whole) read = {Form{}, FormPool::constant(last), last == 0, false};
                // Nowhere in the tensor: a condition around it never holds, and no memory reaches out for it.
                const bool below = read.high.isConstant() && read.high.constant < 0;
                const bool above = read.low.isConstant() && read.low.constant > last;
                if (below || above) {
                    const Form nearest = FormPool::constant(below ? 0 : last);
                    read = {nearest, nearest, true, false};
                }
                m_wanted[d] = m_wantedSet[d] != 0 ? unite(pool, m_wanted[d], read) : read;
                m_wantedSet[d] = 1;
            }
        } else if (m_inlinedPath[producer] != 0) {
            std::vector<FormInterval> inlinedAxes(load.indices.size());
            for (size_t d = 0; d < load.indices.size(); ++d)
                inlinedAxes[d] = indexInterval(pool, load.indices[d], op, axes);
            visitLoads(producer, inlinedAxes.data(), wanted);
        }
    }
}

void RegionInference::setRegion(StageId id) {
    const Op &op = *m_state->stage(id).op;
    const size_t first = stages[id.index()].firstAxis;
    const std::optional<Scan> scan = scanOf(op);
    const std::optional<Scatter> scatter = scatterOf(op);
    for (size_t a = 0; a < op.axes.size(); ++a) {
        const int64_t whole = op.axes[a].extent;
        const bool opaque = (scan && scan->axis == a) || (scatter && scatter->along(a) != nullptr);
        if (opaque || m_wantedSet[a] == 0) { // or readers that never load it, or of rank 0
            min[first + a] = Form{};
            extent[first + a] = whole;
            continue;
        }
        FormInterval read = m_wanted[a];
        // Tiles of readers that stick out, out of what is read from different loads: nothing is computed beyond the
        // end.
        if (read.low.isConstant() && read.low.constant >= 0 && read.low.constant < whole && read.high.isConstant() &&
            read.high.constant >= whole)
            read.high = FormPool::constant(whole - 1);
        const Form length = pool.subtract(read.high, read.low);
        if (length.isConstant()) {
            min[first + a] = read.low;
            extent[first + a] = length.constant + 1;
            continue;
        }
        const int64_t most = std::max<int64_t>(pool.tightRange(length).max, 0) + 1;
        min[first + a] = most < whole ? read.low : Form{};
        extent[first + a] = std::min(most, whole);
    }
}

} // namespace loopscope
