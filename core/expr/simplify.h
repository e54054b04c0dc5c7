#pragma once
// Substitution and simplification of index expressions in one pass, for lowering: canonical sums of scaled terms
// `scale * floordiv(floormod(base, upper), lower)` (the split-sum form of TVM's canonical simplifier), with divisions,
// comparisons and selections decided by the ranges of the variables. Written back, terms stand in descending order of
// scale, negative ones last as subtractions, so that operation counts agree with Ansor's.
//
// Works in the thread's current arena and allocates nothing else once its tables have grown: lowering runs it thousands
// of times a second. expr/affine.h answers questions about single expressions; this rewrites whole ones.

#include "expr/interval.h"

#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

/// scale * floordiv(floormod(base, upper), lower); upper 0 = no floormod.
struct SplitTerm {
    Expr base;
    int64_t scale = 1;
    int64_t lower = 1;
    int64_t upper = 0;
    Interval range; // of base

    [[nodiscard]] Interval values() const; // scale applied
};

/// constant + sum of terms; terms live in the arena.
struct SplitSum {
    SplitTerm *terms = nullptr;
    uint32_t count = 0;
    uint32_t capacity = 0;
    int64_t constant = 0;

    [[nodiscard]] std::span<const SplitTerm> all() const { return {terms, count}; }
    [[nodiscard]] Interval values() const;
    void add(SplitTerm term); // merges with what is there
    void add(const SplitSum &other, int64_t factor = 1);
};

SplitSum floorDiv(const SplitSum &sum, int64_t divisor, DType type);
SplitSum floorMod(const SplitSum &sum, int64_t divisor, DType type);
Expr write(const SplitSum &sum, DType type);

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
