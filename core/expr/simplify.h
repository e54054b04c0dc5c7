#pragma once
// Substitution and simplification of index expressions in one pass, for lowering: canonical sums (split_sum.h), with
// divisions, comparisons and selections decided by the ranges of the variables.
//
// Works in the thread's current arena and allocates nothing else once its tables have grown: lowering runs it thousands
// of times a second. expr/affine.h answers questions about single expressions; this rewrites whole ones.

#include "expr/split_sum.h"

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
    /// The same for an integer expression, kept as a sum. Expressions with loads inside become one opaque term.
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
    bool accumulateOpaque(SplitSum &out, Expr e, int64_t factor);
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
