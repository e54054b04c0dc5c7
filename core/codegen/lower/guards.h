#pragma once
// Guards of tails as linear inequalities, seen from one loop: what a loop and the loops inside it contribute, and what
// comes from outside.

#include "codegen/loop_ir/program.h"
#include "language/expr/simplify.h"

#include <vector>

namespace loopscope {

/// sum < 0, the form all four comparisons are brought into.
struct Inequality {
    SplitSum sum;
    bool exact = false; // false: the condition is not a comparison of integers; sum is meaningless
};
Inequality inequalityOf(Simplifier &simplifier, Expr comparison);

/// The parts of a conjunction, left to right.
void appendConjuncts(Expr condition, std::vector<Expr> &parts);

/// Constant cut points of a loop 0 <= v < extent: between two of them, the inequality holds for all values of the inner
/// variables, or for none, or has to be looked at inside. Empty when it depends on variables outside the loop.
struct LoopView {
    int64_t coefficient = 0; // of v
    Interval inner;          // range of what inner loops contribute, constant included
    SplitSum outer;          // what variables outside contribute
    bool separable = false;  // v occurs linearly, no term mixes inside and outside
};
/// `inside` are the variables of the loops inside.
LoopView viewFrom(const Inequality &inequality, Expr var, const std::vector<const ExprNode *> &inside);
void appendCuts(const LoopView &view, int64_t first, int64_t extent, std::vector<int64_t> &cuts);

} // namespace loopscope
