#pragma once
// Linear forms of integer expressions: sum of coefficient x atom + constant. Given the ranges of the variables,
// floordiv/floormod/min/max/select that the ranges decide are resolved (`floordiv(co, 128)` is 0 for co in [0, 128)),
// and a division splits exactly where it can: floordiv(i*8 + j, 8) is i for j in [0, 8). What remains non-linear is an
// atom. Exact in the integers: what the ranges do not keep from wrapping in its type is an atom, too, but for indices
// of whose variables no ranges are given, which do not wrap (inside a tensor's bounds).

#include "language/expr/expr.h"
#include "language/expr/interval.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace loopscope {

struct LinearTerm {
    Expr atom; // a variable, or a subexpression that is not linear
    int64_t coefficient = 0;
};

struct LinearForm {
    std::vector<LinearTerm> terms; // distinct atoms (structurally), coefficients != 0, in order of first appearance
    int64_t constant = 0;

    /// Every atom is a variable.
    [[nodiscard]] bool affine() const;
    [[nodiscard]] bool isConstant() const { return terms.empty(); }
    /// Coefficient of a variable; 0 when absent.
    [[nodiscard]] int64_t coefficientOf(Expr var) const;
    void clear() {
        terms.clear();
        constant = 0;
    }
};

/// Always succeeds: the worst form is one atom, the expression itself.
LinearForm linearForm(Expr e, VarRanges ranges);
/// The same, reusing the memory of `form`.
void linearForm(Expr e, VarRanges ranges, LinearForm &form);

/// form += factor * other, modulo 2^64.
void addScaled(LinearForm &form, const LinearForm &other, int64_t factor);
/// a - b; none where it may leave 64 bits.
std::optional<LinearForm> differenceForm(Expr a, Expr b, VarRanges ranges);
/// True when the two differ by a constant only, which is returned: a - b.
std::optional<int64_t> constantDifference(const LinearForm &a, const LinearForm &b);

/// Tight where each atom's range is: correlated operands have cancelled out.
Interval intervalOf(const LinearForm &form, VarRanges ranges);

/// Whether a condition always or never holds; comparisons are decided on the difference of their sides.
std::optional<bool> decide(Expr condition, VarRanges ranges);

/// The expression with everything resolved that the ranges decide, in the current arena: the linear form written back,
/// atoms simplified inside; conditions folded. Values are unchanged for all values in the ranges.
Expr simplify(Expr e, VarRanges ranges);

} // namespace loopscope
