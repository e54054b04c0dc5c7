#pragma once
// Integer expressions over loop variables in the shape that splits and fuses make them:
//
//     constant + sum of coefficient * floor((base mod upper) / lower)
//
// where a base is a loop variable, or, where that shape does not suffice, another form as a whole. Forms are flat
// ranges in a pool that is reset for every state, so that building them costs no allocation once the pool is warm.

#include "language/expr/expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace loopscope {

struct Term {
    int32_t base = 0;  // >= 0: loop variable; < 0: ~base is the number of a form used as a whole
    int64_t lower = 1; // divisor
    int64_t upper = 0; // modulus, applied first; 0 = none
    int64_t coefficient = 1;
    [[nodiscard]] bool sameAtom(const Term &t) const { return base == t.base && lower == t.lower && upper == t.upper; }
};

struct Form {
    int64_t constant = 0;
    uint32_t begin = 0;
    uint32_t count = 0;
    [[nodiscard]] bool isConstant() const { return count == 0; }
};

/// Smallest and largest value over all values of the loop variables.
struct FormRange {
    int64_t min = 0;
    int64_t max = 0;
};

class FormPool {
  public:
    /// Forgets all forms; `variables` loop variables follow, each of extent 1 until told otherwise.
    void reset(size_t variables);
    void setExtent(int variable, int64_t extent) { m_extents[static_cast<size_t>(variable)] = extent; }

    /// A loop variable; the constant 0 when its extent is 1.
    Form variable(int variable);
    static Form constant(int64_t value) { return {value, 0, 0}; }

    Form add(Form a, Form b) { return addScaled(a, b, 1); }
    Form subtract(Form a, Form b) { return addScaled(a, b, -1); }
    /// a + b*factor
    Form addScaled(Form a, Form b, int64_t factor);
    Form scale(Form a, int64_t factor);
    static Form plus(Form a, int64_t value) { return {a.constant + value, a.begin, a.count}; }
    Form floorDiv(Form a, int64_t divisor); // divisor > 0
    Form floorMod(Form a, int64_t divisor); // divisor > 0

    FormRange range(Form a) const;
    /// The same, where two quotients by one divisor are subtracted: floor((h + 1)/2) - floor(h/2) is 0 or 1, although
    /// each alone takes all values h lets it take. For differences; slower.
    FormRange tightRange(Form a);
    /// Bounds over the variables marked in `relaxed`, as forms over the others.
    Form lowerBound(Form a, const std::vector<char> &relaxed) { return bound(a, relaxed, false); }
    Form upperBound(Form a, const std::vector<char> &relaxed) { return bound(a, relaxed, true); }

    std::span<const Term> terms(Form a) const { return {m_terms.data() + a.begin, a.count}; }
    /// The expression, built in the current arena; null for the constant 0.
    Expr toExpr(Form a, std::span<const Expr> variables) const;

  private:
    Form bound(Form a, const std::vector<char> &relaxed, bool upper);
    bool mentions(Form a, const std::vector<char> &relaxed) const;
    FormRange atomRange(const Term &t) const;
    Form baseOf(const Term &t);
    /// Of `a mod divisor`, from the steps in which `a` moves.
    FormRange remainderRange(Form a, int64_t divisor) const;
    Expr atomExpr(const Term &t, std::span<const Expr> variables) const;
    int32_t whole(Form a);

    // Building: terms are appended at the end of the pool, merging with those appended since `begin`.
    uint32_t open() const { return static_cast<uint32_t>(m_terms.size()); }
    void append(uint32_t begin, Term t);
    Form close(uint32_t begin, int64_t constant) const {
        return {constant, begin, static_cast<uint32_t>(m_terms.size()) - begin};
    }

    struct Division {
        Form quotient;  // exact part
        Form remainder; // what is left to divide
    };
    Division divideExactly(Form a, int64_t divisor);
    int64_t coarseFactor(Form a, int64_t divisor) const;

    std::vector<Term> m_terms;
    std::vector<Form> m_wholes;
    std::vector<int64_t> m_extents;
};

} // namespace loopscope
