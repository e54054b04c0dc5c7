#include "language/expr/walk.h"

#include <algorithm>
#include <array>

namespace loopscope {

Expr withOperands(Expr e, std::span<const Expr> operands) {
    bool same = true;
    for (size_t i = 0; i < operands.size(); ++i) same = same && operands[i].is(e->arg(i));
    if (same) return e;
    auto &arena = ExprArena::current();
    auto *node = static_cast<ExprNode *>(arena.allocate(sizeof(ExprNode), alignof(ExprNode)));
    *node = *e.node();
    auto *args = arena.allocateArray<Expr>(operands.size());
    std::copy(operands.begin(), operands.end(), args);
    node->args = args;
    return Expr(node);
}

namespace {

template <typename Rewrite> Expr rewriteOperands(Expr e, Rewrite &&rewrite) {
    const size_t count = e->argCount;
    if (count == 0) return e;
    std::array<Expr, 8> few;
    std::vector<Expr> many;
    Expr *operands = few.data();
    if (count > few.size()) {
        many.resize(count);
        operands = many.data();
    }
    for (size_t i = 0; i < count; ++i) operands[i] = rewrite(e->arg(i));
    return withOperands(e, {operands, count});
}

} // namespace

Expr rewriteBottomUp(Expr e, const std::function<Expr(Expr)> &rewrite) {
    return rewrite(rewriteOperands(e, [&](Expr operand) { return rewriteBottomUp(operand, rewrite); }));
}

Expr substitute(Expr e, const Substitution &map) {
    if (e->kind == ExprKind::Var) {
        for (const auto &[var, value] : map)
            if (var == e.node()) return value;
        return e;
    }
    return rewriteOperands(e, [&](Expr operand) { return substitute(operand, map); });
}

bool usesVar(Expr e, Expr var) {
    if (e.is(var)) return true;
    return std::any_of(e->operands().begin(), e->operands().end(), [&](Expr operand) { return usesVar(operand, var); });
}

bool containsLoad(Expr e) {
    if (e->kind == ExprKind::Load) return true;
    return std::any_of(e->operands().begin(), e->operands().end(), [](Expr operand) { return containsLoad(operand); });
}

} // namespace loopscope
