#include "codegen/loop_ir/flat_offset.h"

#include "language/expr/simplify.h"
#include "language/expr/walk.h"

namespace loopscope {

namespace {

bool divides(Expr index) {
    bool found = false;
    postOrder(index, [&](Expr e) { found = found || e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod; });
    return found;
}

} // namespace

std::optional<SplitSum> mergedOffset(std::span<const Expr> indices, std::span<const int64_t> strides) {
    size_t dividing = 0;
    for (const Expr index : indices) {
        if (containsLoad(index)) return std::nullopt;
        dividing += divides(index) ? 1 : 0;
    }
    if (dividing < 2) return std::nullopt;
    Simplifier simplify;
    SplitSum offset;
    uint32_t apart = 0;
    for (size_t d = 0; d < indices.size(); ++d) {
        const SplitSum index = simplify.sum(indices[d]);
        apart += index.count;
        offset.add(index, strides[d]);
    }
    if (offset.count >= apart) return std::nullopt;
    return offset;
}

Expr digitOf(SplitTerm term) {
    term.scale = 1;
    SplitSum digit;
    digit.add(term);
    return write(digit, term.base->dtype);
}

} // namespace loopscope
