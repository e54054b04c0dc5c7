#pragma once
// Whether the signs of a tensor's elements, or of the terms of a reduction, follow their position (`k - 500`,
// `select(k % 2 == 0, x, -x)` of positive x). Then some order of summation has partial sums far larger than the result.
// Inputs are random, so most terms are not like that; this tells which may be.

#include "language/te/op.h"

#include <unordered_map>

namespace loopscope {

enum class TermSigns : uint8_t {
    Random,   // each sign as likely, whatever the position
    Even,     // distributed alike at every position
    Followed, // anything else
};

class TermSignAnalysis {
  public:
    /// Of the terms of its first body, or of its elements; remembers what its readers need. Ops in order of the DAG.
    TermSigns visit(const Op &op);

  private:
    [[nodiscard]] TermSigns of(Expr e) const;
    [[nodiscard]] TermSigns chosen(Expr e) const;
    std::unordered_map<const TensorSymbol *, TermSigns> m_tensors;
    mutable std::unordered_map<const ExprNode *, TermSigns> m_variables;
};

} // namespace loopscope
