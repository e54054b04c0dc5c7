#pragma once
// Substitution and simplification of index expressions in one pass, for lowering: canonical sums (split_sum.h), with
// divisions, comparisons and selections decided by the ranges of the variables. Arithmetic wraps in its type: what
// holds of sums of integers is used where the ranges show that a sum stays inside it, or where it is an index of which
// nothing is known (a variable without a range), which does. Of any other sum only what holds modulo the values of its
// type is.
//
// Works in the thread's current arena and allocates nothing else once its tables have grown: lowering runs it thousands
// of times a second. language/expr/affine.h answers questions about single expressions; this rewrites whole ones.

#include "language/expr/split_sum.h"

#include <optional>
#include <vector>

namespace loopscope {

class Simplifier {
  public:
    explicit Simplifier(Divisions divisions = Divisions::Full) : m_divisions(divisions) {}
    virtual ~Simplifier() = default;
    Simplifier(const Simplifier &) = delete;
    Simplifier &operator=(const Simplifier &) = delete;

    /// The innermost binding of a variable counts; `release` takes back all bindings made since `mark`.
    void bindRange(Expr var, Interval range);
    void bindValue(Expr var, const SplitSum &value);
    void bindValue(Expr var, Expr value); // replaced as it is
    [[nodiscard]] size_t mark() const { return m_bindings.size(); }
    void release(size_t mark);
    /// From here on a condition, already simplified, is known to hold (or not). What is not a comparison of sums, or
    /// several of which one holds, is ignored.
    void assume(Expr condition, bool holds = true);

    /// The expression with bound variables replaced and everything resolved that the ranges decide.
    Expr operator()(Expr e);
    /// The same for an integer expression, kept as a sum that is equal to it. Expressions with loads inside, and sums
    /// that may wrap, become one opaque term.
    SplitSum sum(Expr e);
    std::optional<bool> decide(Expr condition);

  protected:
    [[nodiscard]] Divisions divisions() const { return m_divisions; }
    /// What becomes of a load: by default the same load with simplified indices.
    virtual Expr rewriteLoad(Expr load);

  private:
    struct Binding {
        const ExprNode *var;
        Interval range;
        SplitSum value;
        Expr replacement;
        enum class Kind : uint8_t { Range, Sum, Expr, Fact } kind; // Fact: `value` lies in `range`
        bool assumed = false;                                      // by `assume`
    };
    [[nodiscard]] const Binding *find(Expr var) const;
    bool accumulate(SplitSum &out, Expr e, int64_t factor);
    bool accumulateDivision(SplitSum &out, Expr e, int64_t factor);
    bool accumulateExtreme(SplitSum &out, Expr e, int64_t factor);
    bool accumulateOpaque(SplitSum &out, Expr e, int64_t factor);
    void addOpaque(SplitSum &out, Expr rewritten, int64_t factor) const;
    /// Whether the sum, of an expression of the type, is equal to it rather than congruent.
    [[nodiscard]] bool exact(const SplitSum &sum, DType type) const;
    /// Of indices of whose variables nothing is known.
    [[nodiscard]] bool open(const SplitSum &sum) const;
    /// a - b; false, and no difference, when a load is inside or a side may wrap.
    bool subtract(SplitSum &difference, Expr a, Expr b);
    [[nodiscard]] Interval rangeOf(Expr e) const;
    /// What the conditions assumed tell of a sum, beyond the ranges of its terms.
    [[nodiscard]] Interval knownOf(const SplitSum &sum) const;
    [[nodiscard]] Interval valuesOf(const SplitSum &sum) const { return intersect(sum.values(), knownOf(sum)); }
    void narrow(SplitTerm &term) const;
    Expr compare(Expr e);
    Expr structural(Expr e);

    std::vector<Binding> m_bindings;
    size_t m_facts = 0;    // of the bindings, of kind Fact
    size_t m_narrowed = 0; // of kind Range, by `assume`
    Divisions m_divisions = Divisions::Full;
};

} // namespace loopscope
