#pragma once
// What is known at one place of a program: the ranges of its variables and the conditions that guard it. A load inside
// `if_then_else(y + r >= 1 && y + r < 57, data[y + r - 1], 0)` is proven inside [0, 56) by the guard alone, although
// neither y nor r is restricted by itself.

#include "language/expr/affine.h"

namespace loopscope {

/// A value: copy it to enter a branch.
class Assumptions {
  public:
    explicit Assumptions(std::vector<VarRange> ranges) : m_ranges(std::move(ranges)) {}

    void addRange(Expr var, Interval range) { m_ranges.push_back({var.node(), range}); }
    /// From here on `condition` is known to have this value. What cannot be expressed as bounds of linear forms is
    /// ignored.
    void assume(Expr condition, bool holds = true);

    /// No values of the variables are left: the place is never reached.
    [[nodiscard]] bool contradictory() const { return m_contradictory; }
    [[nodiscard]] VarRanges ranges() const { return m_ranges; }
    [[nodiscard]] Interval intervalOf(Expr e) const;

  private:
    struct Fact {
        LinearForm form; // constant 0
        Interval range;
    };
    void assumeForm(LinearForm form, Interval range);
    void assumeEither(Expr a, Expr b, bool holds);
    void tightenVars(const Fact &fact);
    [[nodiscard]] Interval intervalOf(const LinearForm &form) const;

    std::vector<VarRange> m_ranges;
    std::vector<Fact> m_facts;
    bool m_contradictory = false;
};

} // namespace loopscope
