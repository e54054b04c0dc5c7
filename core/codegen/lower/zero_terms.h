#pragma once
// Terms of sums that are known to be zero: those of a reduction that read padding, written as a choice between an
// element and zero. What such a term is multiplied with is taken to be finite, as libraries do that skip padding too.

#include "codegen/loop_ir/program.h"

#include <functional>
#include <vector>

namespace loopscope {

/// What an update `C = C + term` adds; null for any other statement.
Expr addedTerm(Stmt update);

/// The term is zero wherever `part` is: a conjunct of a choice in it that does not hold, or a load in it.
bool zeroWithout(Expr term, Expr part);

/// The conjuncts of the choices in the term without which it is zero.
std::vector<Expr> partsNeeded(Expr term);

/// The value without the conjuncts of its choices that `known` says hold.
Expr withoutParts(Expr value, const std::function<bool(Expr)> &known);

/// The update sums over more than the window its padding is about, such as input channels: then a branch is outside of
/// the sum over these, and what it skips is worth it. `inside`: of the loops around, at least all reduce loops.
bool sumsBesideWindow(Stmt update, Expr term, const std::vector<const ExprNode *> &inside);

/// A branch on `part` is taken outside of the update's register tile: a reduce loop is further inside than every loop
/// `part` looks at, or `part` looks at none of the tile's loops. `inside`: the variables of the loops around the
/// update, outermost first; what is not among them is outside anyway.
bool decidedOutsideTile(Expr part, Stmt update, const std::vector<const ExprNode *> &inside);

} // namespace loopscope
