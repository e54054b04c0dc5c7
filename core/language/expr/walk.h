#pragma once
// Walking and rewriting expressions.

#include "language/expr/expr.h"

#include <functional>
#include <utility>
#include <vector>

namespace loopscope {

/// Post-order (operands first, left to right); a shared node is visited once per occurrence.
template <typename Visit> void postOrder(Expr e, Visit &&visit) {
    for (Expr operand : e->operands()) postOrder(operand, visit);
    visit(e);
}

/// A copy of the node with other operands (same kind, type and payload); the node itself when nothing changed.
Expr withOperands(Expr e, std::span<const Expr> operands);

/// Bottom-up rewrite: `rewrite` gets each node with already rewritten operands and returns it or a replacement.
Expr rewriteBottomUp(Expr e, const std::function<Expr(Expr)> &rewrite);

using Substitution = std::vector<std::pair<const ExprNode *, Expr>>;
/// Replaces variables (found by linear search: nests are shallow).
Expr substitute(Expr e, const Substitution &map);

bool usesVar(Expr e, Expr var);
bool containsLoad(Expr e);

} // namespace loopscope
