#include "schedule/grouping/locality.h"

#include "schedule/grouping/inlining.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {

namespace {

/// Which loops of a node an expression depends on, lets looked through.
class LoopDependence {
  public:
    explicit LoopDependence(const PipelineNode &node) : m_loops(node.loops.size()) {
        for (size_t i = 0; i < node.loops.size(); ++i) {
            std::vector<bool> own(m_loops, false);
            own[i] = true;
            m_known[node.loops[i].var.node()] = std::move(own);
        }
    }

    void bind(Expr var, Expr value) { m_known[var.node()] = of(value); }

    const std::vector<bool> &of(Expr e) {
        const auto known = m_known.find(e.node());
        if (known != m_known.end()) return known->second;
        std::vector<bool> all(m_loops, false);
        for (const Expr operand : e->operands()) {
            const std::vector<bool> part = of(operand);
            for (size_t i = 0; i < m_loops; ++i) all[i] = all[i] || part[i];
        }
        return m_known[e.node()] = std::move(all);
    }

  private:
    size_t m_loops;
    std::unordered_map<const ExprNode *, std::vector<bool>> m_known;
};

} // namespace

std::vector<int64_t> accessStrides(const Pipeline &pipeline, const GroupEvaluation &evaluation, int node,
                                   const std::vector<bool> &inlined, const std::vector<Box> &local) {
    ExprArena looked; // at, and forgotten
    const ArenaScope scope(looked);
    const PipelineNode &nest = pipeline.node(node);
    std::vector<int64_t> sums(nest.loops.size(), 0);
    const auto addAccess = [&](BufferNumber buffer, int64_t times, const auto &dependsOn) {
        std::span<const Interval> box = evaluation.whole().box(buffer);
        if (!pipeline.isInput(buffer) && !local[static_cast<size_t>(buffer)].empty())
            box = local[static_cast<size_t>(buffer)];
        std::vector<int64_t> largest(sums.size(), 0);
        int64_t stride = pipeline.bytesOf(buffer);
        for (size_t d = 0; d < box.size(); ++d) {
            for (size_t loop = 0; loop < sums.size(); ++loop)
                if (dependsOn(d, loop)) largest[loop] = std::max(largest[loop], stride);
            stride = mulSaturating(stride, box[d].max - box[d].min + 1);
        }
        for (size_t loop = 0; loop < sums.size(); ++loop)
            sums[loop] = addSaturating(sums[loop], mulSaturating(times, largest[loop]));
    };
    const auto addLoads = [&](Expr value) {
        LoopDependence dependence(nest);
        for (const auto &[load, times] : countedNodes(value)) {
            if (load->kind == ExprKind::Let) dependence.bind(load->arg(0), load->arg(1));
            if (load->kind != ExprKind::Load) continue;
            addAccess(pipeline.bufferOf(load), times, [&, load = load](size_t d, size_t loop) {
                return dependence.of(load->arg(load->argCount - 1 - d))[loop];
            });
        }
        return dependence.of(value);
    };
    for (const Expr value : inlinedValues(pipeline, node, inlined)) addLoads(value);
    // Where a scatter stores is computed as well, of what is read for it.
    std::vector<std::vector<bool>> places;
    for (const Expr place : inlinedPlaces(pipeline, node, inlined)) places.push_back(addLoads(place));
    std::vector<const std::vector<bool> *> placeAlong(nest.loopOf.size(), nullptr);
    size_t next = 0;
    for (size_t d = 0; d < placeAlong.size(); ++d)
        if (nest.loopOf[d] < 0) placeAlong[d] = &places.at(next++);
    addAccess(nest.stage, 1, [&](size_t d, size_t loop) {
        return placeAlong[d] != nullptr ? (*placeAlong[d])[loop] : static_cast<int>(loop) == nest.loopOf[d];
    });
    return sums;
}

std::vector<size_t> localOrder(const PipelineNode &node, const std::vector<int64_t> &strides) {
    std::vector<size_t> order;
    std::vector<bool> placed(node.loops.size(), false);
    constexpr int64_t none = std::numeric_limits<int64_t>::max();
    while (order.size() < node.loops.size()) {
        size_t best = node.loops.size();
        int64_t least = none;
        for (size_t loop = 0; loop < node.loops.size(); ++loop)
            if (!placed[loop] && !isSerial(node, loop) && strides[loop] < least) {
                best = loop;
                least = strides[loop];
            }
        for (size_t loop = 0; loop < node.reduceLoops; ++loop) {
            if (placed[loop] || !isSerial(node, loop)) continue;
            if (strides[loop] < least || best == node.loops.size()) best = loop;
            break;
        }
        placed[best] = true;
        order.push_back(best);
    }
    return order;
}

} // namespace loopscope
