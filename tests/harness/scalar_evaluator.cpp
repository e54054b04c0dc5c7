#include "harness/scalar_evaluator.h"

#include "language/expr/half.h"
#include "language/expr/interval.h"

#include <bit>
#include <cmath>

namespace loopscope {

namespace {

template <typename T> bool compares(ExprKind kind, T a, T b) {
    if (kind == ExprKind::Eq) return a == b;
    if (kind == ExprKind::Ne) return a != b;
    if (kind == ExprKind::Lt) return a < b;
    if (kind == ExprKind::Le) return a <= b;
    return kind == ExprKind::Gt ? a > b : a >= b;
}

} // namespace

int64_t wrapped(uint64_t value, DType type) {
    switch (type) {
    case DType::Bool:
        return value != 0;
    case DType::Int8:
        return static_cast<int8_t>(value);
    case DType::UInt8:
        return static_cast<uint8_t>(value);
    case DType::Int16:
        return static_cast<int16_t>(value);
    case DType::UInt16:
        return static_cast<uint16_t>(value);
    case DType::UInt32:
        return static_cast<uint32_t>(value);
    case DType::Int32:
        return static_cast<int32_t>(value);
    default:
        return static_cast<int64_t>(value);
    }
}

double ScalarEvaluator::rounded(Expr e) { return roundToType(eval(e).f, e->dtype); }

Scalar ScalarEvaluator::cast(Expr e) {
    const Expr from = e->arg(0);
    if (isFloat(e->dtype))
        return ofFloat(roundToType(isFloat(from->dtype) ? eval(from).f : static_cast<double>(eval(from).i), e->dtype));
    if (!isFloat(from->dtype)) return ofInt(wrapped(static_cast<uint64_t>(eval(from).i), e->dtype));
    const double value = rounded(from);
    if (e->dtype == DType::Bool) return ofInt(value != 0);
    const Interval legal = Interval::ofType(e->dtype);
    if (std::isnan(value)) return ofInt(0);
    if (value <= static_cast<double>(legal.min)) return ofInt(legal.min);
    if (value >= static_cast<double>(legal.max)) return ofInt(legal.max);
    return ofInt(static_cast<int64_t>(value));
}

Scalar ScalarEvaluator::floatArithmetic(Expr e) {
    const Expr x = e->arg(0), y = e->arg(1);
    const double a = eval(x).f, b = eval(y).f;
    switch (e->kind) {
    case ExprKind::Add:
        return ofFloat(a + b);
    case ExprKind::Sub:
        return ofFloat(a - b);
    case ExprKind::Mul:
        return ofFloat(a * b);
    case ExprKind::Div:
        return ofFloat(a / b);
    case ExprKind::Mod:
        return ofFloat(std::fmod(rounded(x), rounded(y)));
    case ExprKind::FloorDiv:
        return ofFloat(std::floor(roundToType(a / b, e->dtype)));
    case ExprKind::FloorMod:
        return ofFloat(rounded(x) - std::floor(roundToType(rounded(x) / rounded(y), e->dtype)) * rounded(y));
    case ExprKind::Min:
        return ofFloat(a < b || std::isnan(a) ? a : b);
    default:
        return ofFloat(a > b || std::isnan(a) ? a : b);
    }
}

Scalar ScalarEvaluator::intArithmetic(Expr e) {
    const int64_t a = eval(e->arg(0)).i, b = eval(e->arg(1)).i;
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    switch (e->kind) {
    case ExprKind::Add:
        return ofInt(wrapped(x + y, e->dtype));
    case ExprKind::Sub:
        return ofInt(wrapped(x - y, e->dtype));
    case ExprKind::Mul:
        return ofInt(wrapped(x * y, e->dtype));
    case ExprKind::Min:
        return ofInt(a < b ? a : b);
    case ExprKind::Max:
        return ofInt(a > b ? a : b);
    default:
        break;
    }
    if (b == 0) return ofInt(0);
    if (b == -1) return ofInt(e->kind == ExprKind::Div || e->kind == ExprKind::FloorDiv ? wrapped(0 - x, e->dtype) : 0);
    if (e->kind == ExprKind::Div) return ofInt(a / b);
    if (e->kind == ExprKind::Mod) return ofInt(a % b);
    return ofInt(e->kind == ExprKind::FloorDiv ? floorDivInt(a, b) : floorModInt(a, b));
}

Scalar ScalarEvaluator::compare(Expr e) {
    const Expr a = e->arg(0), b = e->arg(1);
    if (isFloat(a->dtype)) return ofInt(compares(e->kind, rounded(a), rounded(b)));
    return ofInt(compares(e->kind, eval(a).i, eval(b).i));
}

Scalar ScalarEvaluator::shuffle(Expr) {
    throw EvaluationFailure("a value of another thread, where there is one alone");
}

Scalar ScalarEvaluator::call(Expr e) {
    const Expr x = e->arg(0);
    switch (e->intrinsic) {
    case Intrinsic::ShuffleXor:
        return shuffle(e);
    case Intrinsic::IfThenElse:
        return eval(x).i != 0 ? eval(e->arg(1)) : eval(e->arg(2));
    case Intrinsic::Exp:
        return ofFloat(std::exp(eval(x).f));
    case Intrinsic::Log:
        return ofFloat(std::log(eval(x).f));
    case Intrinsic::Erf:
        return ofFloat(std::erf(eval(x).f));
    case Intrinsic::Sigmoid:
        return ofFloat(1 / (1 + std::exp(-eval(x).f)));
    case Intrinsic::Pow:
        return ofFloat(std::pow(eval(x).f, eval(e->arg(1)).f));
    case Intrinsic::Tanh:
        return ofFloat(std::tanh(eval(x).f));
    case Intrinsic::Sqrt:
        return ofFloat(std::sqrt(eval(x).f));
    case Intrinsic::Floor:
        return ofFloat(std::floor(rounded(x)));
    case Intrinsic::Isnan:
        return ofInt(std::isnan(eval(x).f));
    case Intrinsic::Fabs:
        if (isFloat(e->dtype)) return ofFloat(std::fabs(eval(x).f));
        return ofInt(eval(x).i < 0 ? wrapped(0 - static_cast<uint64_t>(eval(x).i), e->dtype) : eval(x).i);
    case Intrinsic::Popcount: {
        const auto bits = static_cast<uint64_t>(eval(x).i);
        const int unused = 64 - 8 * dtypeBytes(x->dtype);
        return ofInt(std::popcount(bits << unused));
    }
    case Intrinsic::BitwiseAnd:
        return ofInt(eval(x).i & eval(e->arg(1)).i);
    case Intrinsic::BitwiseOr:
        return ofInt(eval(x).i | eval(e->arg(1)).i);
    case Intrinsic::BitwiseXor:
        return ofInt(eval(x).i ^ eval(e->arg(1)).i);
    case Intrinsic::ShiftLeft: {
        const int64_t distance = eval(e->arg(1)).i & (dtypeBytes(e->dtype) * 8 - 1);
        return ofInt(wrapped(static_cast<uint64_t>(eval(x).i) << distance, e->dtype));
    }
    case Intrinsic::ShiftRight:
        return ofInt(eval(x).i >> (eval(e->arg(1)).i & (dtypeBytes(e->dtype) * 8 - 1)));
    default:
        break;
    }
    throw EvaluationFailure("call of " + std::string(intrinsicName(e->intrinsic)) +
                            ", which the tests' evaluator lacks");
}

Scalar ScalarEvaluator::eval(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return ofInt(e->intValue);
    case ExprKind::FloatImm:
        return ofFloat(e->floatValue);
    case ExprKind::Var:
        return m_vars.at(e.node());
    case ExprKind::Load:
        return load(e);
    case ExprKind::Cast:
        return cast(e);
    case ExprKind::And:
        return ofInt(eval(e->arg(0)).i != 0 && eval(e->arg(1)).i != 0);
    case ExprKind::Or:
        return ofInt(eval(e->arg(0)).i != 0 || eval(e->arg(1)).i != 0);
    case ExprKind::Not:
        return ofInt(eval(e->arg(0)).i == 0);
    case ExprKind::Select: { // both sides have a value
        const Scalar yes = eval(e->arg(1));
        const Scalar no = eval(e->arg(2));
        return eval(e->arg(0)).i != 0 ? yes : no;
    }
    case ExprKind::Let:
        m_vars[e->arg(0).node()] = eval(e->arg(1));
        return eval(e->arg(2));
    case ExprKind::Call:
        return call(e);
    default:
        if (isComparison(e->kind)) return compare(e);
        return isFloat(e->dtype) ? floatArithmetic(e) : intArithmetic(e);
    }
}

} // namespace loopscope
