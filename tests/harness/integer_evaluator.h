#pragma once
// What integer expressions of variables are worth: what the analyses of indices and bounds are checked against.

#include "harness/scalar_evaluator.h"

namespace loopscope {

class IntegerEvaluator final : public ScalarEvaluator {
  public:
    void set(Expr variable, int64_t value) { m_vars[variable.node()] = ofInt(value); }
    [[nodiscard]] int64_t value(Expr e) { return eval(e).i; }

  private:
    Scalar load(Expr e) override { throw EvaluationFailure("an element of " + toText(e) + " in an index"); }
};

} // namespace loopscope
