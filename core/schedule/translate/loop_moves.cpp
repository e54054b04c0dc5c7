#include "schedule/translate/loop_moves.h"

#include "schedule/iteration_graph.h"

#include <algorithm>
#include <cstddef>

namespace loopscope {

std::vector<LoopMove> loopMoves(const Stage &stage, const StageBounds &bounds) {
    std::vector<LoopMove> moves;
    for (const IterRelation &relation : stage.relations) {
        if (relation.kind == IterRelation::Kind::Fuse) {
            if (!moves.empty() && moves.back().fuses && moves.back().whole == relation.outer) {
                moves.back().whole = relation.parent;
                moves.back().parts.push_back(relation.inner);
                continue;
            }
            moves.push_back({true, relation.parent, {relation.outer, relation.inner}, {}});
            continue;
        }
        const auto extent = [&](int node) { return bounds.nodeExtent[static_cast<size_t>(node)]; };
        const int64_t inner = extent(relation.inner);
        if (!moves.empty() && !moves.back().fuses) {
            // A split into several parts is a row of binary ones: of the outer part when lengths count from inside, of
            // the inner one when they count from outside.
            LoopMove &last = moves.back();
            const auto part = std::ranges::find(last.parts, relation.parent);
            const auto at = part - last.parts.begin();
            // A part with another outside it runs to its end before that goes on: what does not divide it is a guard of
            // its own.
            const bool whole = at == 0 || extent(relation.outer) * inner == extent(relation.parent);
            if (part != last.parts.end() && whole) {
                *part = relation.outer;
                last.parts.insert(last.parts.begin() + at + 1, relation.inner);
                if (at > 0) last.lengths[static_cast<size_t>(at) - 1] = extent(relation.outer);
                last.lengths.insert(last.lengths.begin() + at, inner);
                continue;
            }
        }
        moves.push_back({false, relation.parent, {relation.outer, relation.inner}, {inner}});
    }
    return moves;
}

bool hasUnitLoops(const Stage &stage) {
    if (stage.op->isPlaceholder()) return false;
    size_t nodes = axisCount(*stage.op);
    for (const IterRelation &relation : stage.relations) nodes += relation.kind == IterRelation::Kind::Split ? 2 : 1;
    return nodes < static_cast<size_t>(stage.nodeCount);
}

} // namespace loopscope
