#include "language/te/language/value.h"

#include "language/expr/compare.h"
#include "language/expr/extreme.h"
#include "language/expr/interval.h"
#include "language/expr/readable_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

std::string named(DType type) { return std::string(dtypeName(type)); }

bool fits(int64_t value, DType type) { return Interval::point(value).inside(Interval::ofType(type)); }

/// Untyped integers: exact, with overflow refused; `/` rounds down as in every size computation.
Outcome<TypedExpr> combineInts(ExprKind kind, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = false;
    switch (kind) {
    case ExprKind::Add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case ExprKind::Sub:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case ExprKind::Mul:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case ExprKind::Div:
    case ExprKind::FloorDiv:
    case ExprKind::Mod:
    case ExprKind::FloorMod:
        if (b == 0) return Refusal{"division by zero"};
        if (b == -1) {
            overflow = kind == ExprKind::Div || kind == ExprKind::FloorDiv
                           ? __builtin_sub_overflow(int64_t{0}, a, &result)
                           : false;
            break;
        }
        if (kind == ExprKind::Mod) {
            result = a % b;
        } else {
            const int64_t quotient = floorDivInt(a, b);
            result = kind == ExprKind::FloorMod ? a - quotient * b : quotient;
        }
        break;
    case ExprKind::Min:
        result = std::min(a, b);
        break;
    case ExprKind::Max:
        result = std::max(a, b);
        break;
    default:
        if (const auto truth = compared(kind, a, b)) return typedLeaf(makeBool(*truth));
        return Refusal{"`" + std::string(operatorText(kind)) + "` needs conditions on both sides"};
    }
    if (overflow) return Refusal{"this constant does not fit 64 bits"};
    return untypedInt(result);
}

Outcome<TypedExpr> combineFloats(ExprKind kind, double a, double b) {
    double result = 0;
    switch (kind) {
    case ExprKind::Add:
        result = a + b;
        break;
    case ExprKind::Sub:
        result = a - b;
        break;
    case ExprKind::Mul:
        result = a * b;
        break;
    case ExprKind::Div:
        if (b == 0) return Refusal{"division by zero"};
        result = a / b;
        break;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Mod:
        return Refusal{"`" + std::string(operatorText(kind)) + "` needs integers on both sides"};
    case ExprKind::Min:
        result = lesserOf(a, b);
        break;
    case ExprKind::Max:
        result = greaterOf(a, b);
        break;
    default:
        if (const auto truth = compared(kind, a, b)) return typedLeaf(makeBool(*truth));
        return Refusal{"`" + std::string(operatorText(kind)) + "` needs conditions on both sides"};
    }
    return untypedFloat(result);
}

double asDouble(const TypedExpr &value) {
    return value.e->kind == ExprKind::IntImm ? static_cast<double>(value.e->intValue) : value.e->floatValue;
}

/// Gives both the same type, or says why they have none in common.
Outcome<DType> adapt(TypedExpr &a, TypedExpr &b, const std::string &where) {
    DType type = a.untyped ? b.e->dtype : a.e->dtype;
    if (a.untyped && b.untyped) type = a.isUntypedFloat() || b.isUntypedFloat() ? DType::Float32 : DType::Int32;
    for (TypedExpr *side : {&a, &b}) {
        if (!side->untyped) continue;
        Outcome<TypedExpr> typed = withType(*side, type);
        if (!typed) return typed.refusal();
        *side = *typed;
    }
    if (a.e->dtype != b.e->dtype)
        return Refusal{where + " has " + named(a.e->dtype) + " on one side and " + named(b.e->dtype) +
                       " on the other; cast one of them, as in " + named(a.e->dtype) + "(...)"};
    return type;
}

Outcome<TypedExpr> built(Expr e, std::initializer_list<TypedExpr> parts) {
    return builtFrom(e, {parts.begin(), parts.size()});
}

} // namespace

TypedExpr untypedInt(int64_t value) { return {makeInt(value, DType::Int64), true, 1}; }
TypedExpr untypedFloat(double value) { return {makeFloat(value, DType::Float64), true, 1}; }

Outcome<TypedExpr> builtFrom(Expr e, std::span<const TypedExpr> parts) {
    TypedExpr value{e, false};
    if (isImm(e)) return value;
    for (const TypedExpr &part : parts) {
        if (part.e.is(e)) return part; // folded away to one of its operands
        value.depth = std::max(value.depth, part.depth + 1);
        value.size += part.size;
    }
    if (value.depth > kMaxExprDepth || value.size > kMaxExprSize)
        return Refusal{value.depth > kMaxExprDepth
                           ? "this expression is nested deeper than " + std::to_string(kMaxExprDepth) +
                                 " levels; give a part of it a name of its own"
                           : "this expression is too large; give a part of it a name of its own"};
    return value;
}

Outcome<TypedExpr> withOwnType(const TypedExpr &value) {
    if (!value.untyped) return value;
    return withType(value, value.isUntypedInt() ? DType::Int32 : DType::Float32);
}

std::string wholeNumberText(double value) {
    constexpr double kLargest = 9e15; // every whole number up to here is one double
    if (value != std::floor(value) || std::fabs(value) > kLargest) return {};
    return std::to_string(static_cast<int64_t>(value));
}

Outcome<TypedExpr> withType(const TypedExpr &value, DType type) {
    if (!value.untyped) {
        if (value.e->dtype == type) return value;
        return Refusal{"this has type " + named(value.e->dtype) + " where " + named(type) +
                       " is needed; cast it, as in " + named(type) + "(...)"};
    }
    if (type == DType::Bool) return Refusal{"a number stands where a condition is needed; write a comparison"};
    if (value.isUntypedFloat() && !isFloat(type)) {
        const std::string whole = wholeNumberText(value.e->floatValue);
        return Refusal{"the float constant " + floatText(value.e->floatValue, DType::Float64) + " meets " +
                       named(type) + " here; " +
                       (whole.empty()
                            ? "one of the two has to be cast, as in float32(...)"
                            : "write " + whole + " for the integer, or cast one of the two, as in float32(...)")};
    }

    if (value.isUntypedInt() && !isFloat(type) && !fits(value.e->intValue, type))
        return Refusal{"the constant " + std::to_string(value.e->intValue) + " does not fit " + named(type)};
    return typedLeaf(castTo(type, value.e));
}

Outcome<TypedExpr> castValue(DType type, const TypedExpr &value) {
    if (value.isUntypedInt() && !isFloat(type) && !fits(value.e->intValue, type))
        return Refusal{"the constant " + std::to_string(value.e->intValue) + " does not fit " + named(type)};
    if (type == DType::Bool && value.e->kind == ExprKind::FloatImm)
        return typedLeaf(makeBool(value.e->floatValue != 0));
    return built(castTo(type, value.e), {value});
}

Outcome<TypedExpr> combine(ExprKind kind, TypedExpr a, TypedExpr b) {
    const bool logical = kind == ExprKind::And || kind == ExprKind::Or;
    if (!logical && a.untyped && b.untyped) {
        if (a.isUntypedInt() && b.isUntypedInt()) return combineInts(kind, a.e->intValue, b.e->intValue);
        return combineFloats(kind, asDouble(a), asDouble(b));
    }
    if (logical) {
        for (const TypedExpr *side : {&a, &b})
            if (side->untyped || side->e->dtype != DType::Bool)
                return Refusal{"`" + std::string(operatorText(kind)) +
                               "` needs conditions on both sides; one side here is " +
                               (side->untyped ? std::string("a number") : named(side->e->dtype))};
    } else {
        const Outcome<DType> type = adapt(a, b, "`" + std::string(operatorText(kind)) + "`");
        if (!type) return type.refusal();
        const bool integerOnly = kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod || kind == ExprKind::Mod;
        if (integerOnly && isFloat(*type))
            return Refusal{"`" + std::string(operatorText(kind)) + "` needs integers, this is " + named(*type) +
                           (kind == ExprKind::FloorDiv ? "; write floor(a / b)" : "; write fmod(a, b)")};
        if (*type == DType::Bool && kind != ExprKind::Eq && kind != ExprKind::Ne)
            return Refusal{"`" + std::string(operatorText(kind)) + "` needs numbers, this is a condition"};
        const bool divides = integerOnly || kind == ExprKind::Div;
        if (divides && isInt(b.e, 0)) return Refusal{"division by zero"};
    }
    return built(fold(kind, a.e, b.e), {a, b});
}

Outcome<TypedExpr> negate(const TypedExpr &a) {
    if (a.isUntypedInt()) return combineInts(ExprKind::Sub, 0, a.e->intValue);
    if (a.isUntypedFloat()) return untypedFloat(-a.e->floatValue);
    if (a.e->dtype == DType::Bool) return Refusal{"`-` needs a number, this is a condition; `!` inverts it"};
    if (a.e->kind == ExprKind::FloatImm) return typedLeaf(makeFloat(-a.e->floatValue, a.e->dtype));
    return combine(ExprKind::Mul, a, untypedInt(-1));
}

Outcome<TypedExpr> invert(const TypedExpr &a) {
    if (a.untyped || a.e->dtype != DType::Bool)
        return Refusal{"`!` needs a condition, this is " + (a.untyped ? "a number" : named(a.e->dtype))};
    return built(logicalNot(a.e), {a});
}

Outcome<TypedExpr> choose(bool lazy, const TypedExpr &condition, TypedExpr yes, TypedExpr no) {
    const std::string name = lazy ? "if_then_else" : "select";
    if (condition.untyped || condition.e->dtype != DType::Bool)
        return Refusal{"the first argument of " + name + " is a condition, this is " +
                       (condition.untyped ? std::string("a number") : named(condition.e->dtype))};
    if (yes.untyped && no.untyped && condition.e->kind == ExprKind::IntImm && lazy)
        return condition.e->intValue != 0 ? yes : no;
    const Outcome<DType> type = adapt(yes, no, name);
    if (!type) return type.refusal();
    const Expr e = lazy ? ifThenElse(condition.e, yes.e, no.e) : select(condition.e, yes.e, no.e);
    return built(e, {condition, yes, no});
}

Outcome<TypedExpr> callIntrinsic(Intrinsic intrinsic, std::vector<TypedExpr> args) {
    const std::string name(intrinsicName(intrinsic));
    const auto arity = static_cast<size_t>(intrinsicArity(intrinsic));
    if (args.size() != arity)
        return Refusal{name + " takes " + std::to_string(arity) + (arity == 1 ? " argument, " : " arguments, ") +
                       std::to_string(args.size()) + (args.size() == 1 ? " is given" : " are given")};
    const bool bits = intrinsic >= Intrinsic::Popcount;
    if (arity == 2) {
        if (args[0].untyped && args[1].untyped) {
            const Outcome<TypedExpr> typed = withType(args[0], bits ? DType::Int32 : DType::Float32);
            if (!typed) return typed.refusal();
            args[0] = *typed;
        }
        const Outcome<DType> type = adapt(args[0], args[1], name);
        if (!type) return type.refusal();
    } else {
        const Outcome<TypedExpr> typed =
            args[0].untyped ? withType(args[0], bits ? DType::Int32 : DType::Float32) : withOwnType(args[0]);
        if (!typed) return typed.refusal();
        args[0] = *typed;
    }
    const DType type = args[0].e->dtype;
    if (bits && !isInteger(type)) return Refusal{name + " needs integers, this is " + named(type)};
    if (!bits && !isFloat(type))
        return Refusal{name + " needs a float argument, this is " + named(type) + "; cast it, as in float32(...)"};
    std::vector<Expr> operands;
    for (const TypedExpr &arg : args) operands.push_back(arg.e);
    return builtFrom(makeCall(intrinsic, intrinsic == Intrinsic::Isnan ? DType::Bool : type, operands), args);
}

} // namespace loopscope
