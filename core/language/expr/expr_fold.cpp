// Building with the folding that Ansor's users' task keys depend on: constants fold, neutral elements
// disappear, nothing is reordered.

#include "base/check.h"
#include "language/expr/compare.h"
#include "language/expr/extreme.h"
#include "language/expr/interval.h"

#include <cmath>
#include <limits>

namespace loopscope {

namespace {

bool isFloatImm(Expr e, double value) { return e->kind == ExprKind::FloatImm && e->floatValue == value; }
bool isConst(Expr e, int64_t value) { return isInt(e, value) || isFloatImm(e, static_cast<double>(value)); }

int64_t wrapping(ExprKind kind, int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a);
    const auto y = static_cast<uint64_t>(b);
    if (kind == ExprKind::Add) return static_cast<int64_t>(x + y);
    if (kind == ExprKind::Sub) return static_cast<int64_t>(x - y);
    return static_cast<int64_t>(x * y);
}

/// Null when the kind does not fold on these constants (a division by zero stays for the run time).
Expr foldInts(ExprKind kind, const ExprNode *a, const ExprNode *b) {
    const int64_t x = a->intValue;
    const int64_t y = b->intValue;
    const bool modulo = kind == ExprKind::Mod || kind == ExprKind::FloorMod;
    if (y == -1 && (modulo || kind == ExprKind::Div || kind == ExprKind::FloorDiv)) // of the least value itself
        return makeInt(modulo ? 0 : wrapping(ExprKind::Sub, 0, x), a->dtype);
    switch (kind) {
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
        return makeInt(wrapping(kind, x, y), a->dtype);
    case ExprKind::Div:
        return y == 0 ? Expr() : makeInt(x / y, a->dtype);
    case ExprKind::Mod:
        return y == 0 ? Expr() : makeInt(x % y, a->dtype);
    case ExprKind::FloorDiv:
        return y == 0 ? Expr() : makeInt(floorDivInt(x, y), a->dtype);
    case ExprKind::FloorMod:
        return y == 0 ? Expr() : makeInt(x - floorDivInt(x, y) * y, a->dtype);
    case ExprKind::Min:
        return makeInt(x < y ? x : y, a->dtype);
    case ExprKind::Max:
        return makeInt(x > y ? x : y, a->dtype);
    default:
        const auto truth = compared(kind, x, y);
        return truth ? makeBool(*truth) : Expr();
    }
}

Expr foldFloats(ExprKind kind, const ExprNode *a, const ExprNode *b) {
    const double x = a->floatValue;
    const double y = b->floatValue;
    switch (kind) {
    case ExprKind::Add:
        return makeFloat(x + y, a->dtype);
    case ExprKind::Sub:
        return makeFloat(x - y, a->dtype);
    case ExprKind::Mul:
        return makeFloat(x * y, a->dtype);
    case ExprKind::Div:
        return y == 0 ? Expr() : makeFloat(x / y, a->dtype);
    case ExprKind::Min:
        return makeFloat(lesserOf(x, y), a->dtype);
    case ExprKind::Max:
        return makeFloat(greaterOf(x, y), a->dtype);
    default:
        const auto truth = compared(kind, x, y);
        return truth ? makeBool(*truth) : Expr();
    }
}

Expr foldNeutral(ExprKind kind, Expr a, Expr b) {
    switch (kind) {
    case ExprKind::Add:
        if (isConst(a, 0)) return b;
        return isConst(b, 0) ? a : Expr();
    case ExprKind::Sub:
        return isConst(b, 0) ? a : Expr();
    case ExprKind::Mul:
        if (isConst(a, 1)) return b;
        if (isConst(b, 1)) return a;
        // Of floats zero times infinity is no number.
        if (isInt(a, 0)) return a;
        return isInt(b, 0) ? b : Expr();
    case ExprKind::Div:
        if (isConst(b, 1)) return a;
        return isInt(a, 0) && !isInt(b, 0) ? a : Expr();
    case ExprKind::FloorDiv:
        if (isInt(b, 1)) return a;
        return isInt(a, 0) && !isInt(b, 0) ? a : Expr();
    case ExprKind::Mod:
    case ExprKind::FloorMod:
        if (isInt(b, 1)) return makeInt(0, a->dtype);
        return isInt(a, 0) && !isInt(b, 0) ? a : Expr();
    case ExprKind::Min:
    case ExprKind::Max:
        return a.is(b) ? a : Expr();
    case ExprKind::And:
        if (a->kind == ExprKind::IntImm) return a->intValue ? b : a;
        return b->kind == ExprKind::IntImm ? (b->intValue ? a : b) : Expr();
    case ExprKind::Or:
        if (a->kind == ExprKind::IntImm) return a->intValue ? a : b;
        return b->kind == ExprKind::IntImm ? (b->intValue ? b : a) : Expr();
    default:
        return Expr();
    }
}

/// Gives an immediate the type of the other operand, as mixed literals do.
void matchTypes(Expr &a, Expr &b) {
    if (a->dtype == b->dtype) return;
    if (isImm(b) && !(b->kind == ExprKind::FloatImm && !isFloat(a->dtype))) {
        b = castTo(a->dtype, b);
    } else if (isImm(a) && !(a->kind == ExprKind::FloatImm && !isFloat(b->dtype))) {
        a = castTo(b->dtype, a);
    }
    LOOPSCOPE_CHECK(a->dtype == b->dtype, "operands of types " + std::string(dtypeName(a->dtype)) + " and " +
                                              std::string(dtypeName(b->dtype)));
}

} // namespace

Expr fold(ExprKind kind, Expr a, Expr b) {
    matchTypes(a, b);
    Expr folded;
    if (a->kind == ExprKind::IntImm && b->kind == ExprKind::IntImm) folded = foldInts(kind, a.node(), b.node());
    if (a->kind == ExprKind::FloatImm && b->kind == ExprKind::FloatImm) folded = foldFloats(kind, a.node(), b.node());
    if (!folded) folded = foldNeutral(kind, a, b);
    return folded ? folded : makeBinary(kind, a, b);
}

Expr operator+(Expr a, Expr b) { return fold(ExprKind::Add, a, b); }
Expr operator-(Expr a, Expr b) { return fold(ExprKind::Sub, a, b); }
Expr operator*(Expr a, Expr b) { return fold(ExprKind::Mul, a, b); }
Expr operator+(Expr a, int64_t b) { return fold(ExprKind::Add, a, castTo(a->dtype, makeInt(b, DType::Int64))); }
Expr operator-(Expr a, int64_t b) { return fold(ExprKind::Sub, a, castTo(a->dtype, makeInt(b, DType::Int64))); }
Expr operator*(Expr a, int64_t b) { return fold(ExprKind::Mul, a, castTo(a->dtype, makeInt(b, DType::Int64))); }
Expr floorDiv(Expr a, Expr b) { return fold(ExprKind::FloorDiv, a, b); }
Expr floorMod(Expr a, Expr b) { return fold(ExprKind::FloorMod, a, b); }
Expr floorDiv(Expr a, int64_t b) { return floorDiv(a, makeInt(b, a->dtype)); }
Expr floorMod(Expr a, int64_t b) { return floorMod(a, makeInt(b, a->dtype)); }
Expr divide(Expr a, Expr b) { return fold(ExprKind::Div, a, b); }
Expr minOf(Expr a, Expr b) { return fold(ExprKind::Min, a, b); }
Expr maxOf(Expr a, Expr b) { return fold(ExprKind::Max, a, b); }
Expr logicalAnd(Expr a, Expr b) { return fold(ExprKind::And, a, b); }
Expr logicalOr(Expr a, Expr b) { return fold(ExprKind::Or, a, b); }

Expr logicalNot(Expr a) {
    if (a->kind == ExprKind::IntImm) return makeBool(a->intValue == 0);
    return makeUnary(ExprKind::Not, a);
}

Expr castTo(DType type, Expr a) {
    if (a->dtype == type) return a;
    if (a->kind == ExprKind::IntImm)
        return isFloat(type) ? makeFloat(static_cast<double>(a->intValue), type) : makeInt(a->intValue, type);
    if (a->kind == ExprKind::FloatImm) {
        if (isFloat(type)) return makeFloat(a->floatValue, type);
        if (std::abs(a->floatValue) < 9.0e18) return makeInt(static_cast<int64_t>(a->floatValue), type);
    }
    return makeCastNode(type, a);
}

Expr select(Expr condition, Expr yes, Expr no) {
    matchTypes(yes, no);
    return makeSelectNode(condition, yes, no);
}

Expr ifThenElse(Expr condition, Expr yes, Expr no) {
    matchTypes(yes, no);
    if (condition->kind == ExprKind::IntImm) return condition->intValue ? yes : no;
    const Expr args[] = {condition, yes, no};
    return makeCall(Intrinsic::IfThenElse, yes->dtype, args);
}

Expr callMath(Intrinsic intrinsic, Expr a) {
    const Expr args[] = {a};
    return makeCall(intrinsic, intrinsic == Intrinsic::Isnan ? DType::Bool : a->dtype, args);
}

} // namespace loopscope
