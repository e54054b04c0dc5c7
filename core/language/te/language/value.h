#pragma once
// What an expression of the language is while it is parsed: an Expr, plus whether it is a constant that has no type of
// its own yet. `0` in `max(x, 0)` takes the type of x; parameters and `let` constants are untyped in the same way.

#include "base/outcome.h"
#include "language/expr/expr.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct TypedExpr {
    Expr e;
    /// An int64 or float64 immediate waiting for a type.
    bool untyped = false;
    /// Height and number of nodes of the expression as a tree: what walks it recursively must not run out of stack or
    /// time.
    int depth = 1;
    int64_t size = 1;

    [[nodiscard]] bool isUntypedInt() const { return untyped && e->kind == ExprKind::IntImm; }
    [[nodiscard]] bool isUntypedFloat() const { return untyped && e->kind == ExprKind::FloatImm; }
};

constexpr int kMaxExprDepth = 256;
constexpr int64_t kMaxExprSize = 200'000;

/// "1000" when a float is a whole number, which somebody could have meant; empty otherwise.
std::string wholeNumberText(double value);

TypedExpr untypedInt(int64_t value);
TypedExpr untypedFloat(double value);
inline TypedExpr typedLeaf(Expr e) { return {e, false}; }
/// A typed value whose expression has been built from these parts; refused when it is too deep or too large.
Outcome<TypedExpr> builtFrom(Expr e, std::span<const TypedExpr> parts);

/// The value with a type: its own, or for an untyped constant int32 / float32. Refuses an integer beyond int32.
Outcome<TypedExpr> withOwnType(const TypedExpr &value);
/// An untyped constant as the given type; a typed value must have it already.
Outcome<TypedExpr> withType(const TypedExpr &value, DType type);
/// Explicit cast, as `float32(x)`.
Outcome<TypedExpr> castValue(DType type, const TypedExpr &value);

/// Any binary kind of ExprKind, operands adapted to each other, constants folded.
Outcome<TypedExpr> combine(ExprKind kind, TypedExpr a, TypedExpr b);
Outcome<TypedExpr> negate(const TypedExpr &a);
Outcome<TypedExpr> invert(const TypedExpr &a);
/// `select` or, lazily, `if_then_else`.
Outcome<TypedExpr> choose(bool lazy, const TypedExpr &condition, TypedExpr yes, TypedExpr no);
/// Any other intrinsic.
Outcome<TypedExpr> callIntrinsic(Intrinsic intrinsic, std::vector<TypedExpr> args);

} // namespace loopscope
