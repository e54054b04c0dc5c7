#pragma once
// The one rule for dividing a sum that moves in steps: where all terms but a small rest are multiples of some g that
// divides the divisor,
//
//     floordiv(g*A + B, g*c) = floordiv(A, c)        floormod(g*A + B, g*c) = g*floormod(A, c) + B        0 <= B < g
//
// Sums are kept in two shapes, SplitSum (language/expr/simplify.h) for lowering and Form
// (schedule/bounds/linear_form.h) for bounds; both find g here.

#include "language/expr/interval.h"

#include <numeric>

namespace loopscope {

/// The largest such g; 1 when there is none but the trivial. `coefficientOf` and `valuesOf` tell of a term what it is
/// multiplied by and the values it has without that factor.
template <typename Terms, typename CoefficientOf, typename ValuesOf>
int64_t coarseFactor(const Terms &terms, int64_t constant, int64_t divisor, CoefficientOf coefficientOf,
                     ValuesOf valuesOf) {
    int64_t best = divisor; // of all terms together, the rest is the constant's alone
    for (const auto &term : terms) best = std::gcd(best, coefficientOf(term));
    for (const auto &term : terms) {
        const int64_t g = std::gcd(coefficientOf(term), divisor);
        if (g <= best) continue;
        Interval rest = Interval::point(floorModInt(constant, g));
        for (const auto &other : terms)
            if (coefficientOf(other) % g != 0) rest = rest + valuesOf(other) * coefficientOf(other);
        if (rest.min >= 0 && rest.max < g) best = g;
    }
    return best;
}

} // namespace loopscope
