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
    Simplifier() = default;
    virtual ~Simplifier() = default;
    Simplifier(const Simplifier &) = delete;
    Simplifier &operator=(const Simplifier &) = delete;

    /// The innermost binding of a variable counts; `release` takes back all bindings made since `mark`.
    void bindRange(Expr var, Interval range);
    void bindValue(Expr var, const SplitSum &value);
    void bindValue(Expr var, Expr value); // replaced as it is
    [[nodiscard]] size_t mark() const { return m_bindings.size(); }
    void release(size_t mark) { m_bindings.resize(mark); }

    /// The expression with bound variables replaced and everything resolved that the ranges decide.
    Expr operator()(Expr e);
    /// The same for an integer expression, kept as a sum. Expressions with loads inside become one opaque term.
    SplitSum sum(Expr e);
    std::optional<bool> decide(Expr condition);

  protected:
    /// What becomes of a load: by default the same load with simplified indices.
    virtual Expr rewriteLoad(Expr load);

  private:
    struct Binding {
        const ExprNode *var;
        Interval range;
        SplitSum value;
        Expr replacement;
        enum class Kind : uint8_t { Range, Sum, Expr } kind;
    };
    [[nodiscard]] const Binding *find(Expr var) const;
    bool accumulate(SplitSum &out, Expr e, int64_t factor);
    bool accumulateOpaque(SplitSum &out, Expr e, int64_t factor);
    [[nodiscard]] Interval rangeOf(Expr e) const;
    Expr compare(Expr e);
    Expr structural(Expr e);

    std::vector<Binding> m_bindings;
};

} // namespace loopscope
