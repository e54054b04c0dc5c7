#include "schedule/grouping/image_bounds.h"

#include "language/expr/walk.h"
#include "schedule/grouping/common_values.h"

#include <map>
#include <utility>

namespace loopscope {

namespace {

struct EdgeParameters {
    Expr min;
    Expr extent;
};

/// An index may be wider than the parameters.
Expr clampedAtRunTime(Expr e, int64_t size, const EdgeParameters &edge) {
    return rewriteBottomUp(e, [&](Expr node) {
        if (node->kind == ExprKind::Max && isInt(node->arg(1), 0))
            return makeBinary(ExprKind::Max, node->arg(0), castTo(node->dtype, edge.min));
        if (node->kind != ExprKind::Min || !isInt(node->arg(1), size - 1)) return node;
        const Expr last = makeBinary(ExprKind::Sub, makeBinary(ExprKind::Add, edge.min, edge.extent), makeInt(1));
        return makeBinary(ExprKind::Min, node->arg(0), castTo(node->dtype, last));
    });
}

} // namespace

void boundImagesAtRunTime(Pipeline &pipeline) {
    const ArenaScope scope(pipeline.arenas.back());
    std::map<std::pair<BufferNumber, size_t>, EdgeParameters> edges;
    const auto edgeOf = [&](BufferNumber buffer, size_t dimension, int64_t extent) {
        const auto [entry, novel] = edges.try_emplace({buffer, dimension});
        if (novel) {
            entry->second = {makeVar("min"), makeVar("extent")};
            pipeline.parameters.push_back({entry->second.min, 0});
            pipeline.parameters.push_back({entry->second.extent, extent});
        }
        return entry->second;
    };
    for (PipelineNode &node : pipeline.nodes)
        for (Expr &value : node.values)
            value = sharedValues(rewriteBottomUp(withoutLets(value), [&](Expr e) {
                if (e->kind != ExprKind::Load || !pipeline.isInput(pipeline.bufferOf(e))) return e;
                std::vector<Expr> indices;
                for (size_t d = 0; d < e->argCount; ++d)
                    indices.push_back(clampedAtRunTime(e->arg(d), e->symbol->shape[d],
                                                       edgeOf(pipeline.bufferOf(e), d, e->symbol->shape[d])));
                return withOperands(e, indices);
            }));
}

} // namespace loopscope
