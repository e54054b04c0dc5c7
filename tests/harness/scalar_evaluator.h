#pragma once
// Expressions one element at a time, as plainly as they can be written down: what the interpreters of the tests share.
// On purpose nothing of the product's own evaluation is used (interpret/scalar_ops, codegen): this checks them.

#include "language/expr/expr.h"

#include <cstdint>
#include <stdexcept>
#include <unordered_map>

namespace loopscope {

/// Which member is meant follows from the type of the expression.
struct Scalar {
    int64_t i = 0;
    double f = 0;
};
inline Scalar ofInt(int64_t i) { return {i, 0}; }
inline Scalar ofFloat(double f) { return {0, f}; }

/// An integer as a variable of the type holds it.
int64_t wrapped(uint64_t value, DType type);

struct EvaluationFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Floats are doubles until they are stored or cast; what a small error would decide (comparisons, floor, casts to
/// integers) looks at the value rounded to its type.
class ScalarEvaluator {
  public:
    virtual ~ScalarEvaluator() = default;
    /// Throws EvaluationFailure for what has no value.
    Scalar eval(Expr e);

  protected:
    virtual Scalar load(Expr e) = 0;
    /// What another thread of the warp has, where there are threads.
    virtual Scalar shuffle(Expr e);
    std::unordered_map<const ExprNode *, Scalar> m_vars;

  private:
    double rounded(Expr e);
    Scalar cast(Expr e);
    Scalar floatArithmetic(Expr e);
    Scalar intArithmetic(Expr e);
    Scalar compare(Expr e);
    Scalar call(Expr e);
};

} // namespace loopscope
