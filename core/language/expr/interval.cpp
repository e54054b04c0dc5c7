#include "language/expr/interval.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr Interval kUnknownBool{0, 1};

Interval truth(bool provenTrue, bool provenFalse) {
    return provenTrue ? Interval::point(1) : provenFalse ? Interval::point(0) : kUnknownBool;
}

Interval compare(ExprKind kind, Interval a, Interval b) {
    switch (kind) {
    case ExprKind::Lt:
        return truth(a.max < b.min, a.min >= b.max);
    case ExprKind::Le:
        return truth(a.max <= b.min, a.min > b.max);
    case ExprKind::Gt:
        return truth(a.min > b.max, a.max <= b.min);
    case ExprKind::Ge:
        return truth(a.min >= b.max, a.max < b.min);
    case ExprKind::Eq:
        return truth(a.isPoint() && a == b, intersect(a, b).empty());
    default:
        return truth(intersect(a, b).empty(), a.isPoint() && a == b); // Ne
    }
}

/// Quotients are monotone in both operands on each side of zero, so the corners decide; a divisor range that touches
/// zero is cut there, as a quotient by zero is 0.
template <typename Quotient> Interval quotientCorners(Interval a, Interval b, Quotient quotient) {
    Interval result{Interval::kMax, Interval::kMin};
    const auto addCorners = [&](Interval divisor) {
        if (divisor.empty()) return;
        for (int64_t x : {a.min, a.max})
            for (int64_t y : {divisor.min, divisor.max}) {
                if (x == Interval::kMin && y == -1) // wraps
                    result = {};
                else
                    result = hull(result, Interval::point(quotient(x, y)));
            }
    };
    addCorners(intersect(b, {1, Interval::kMax}));
    addCorners(intersect(b, {Interval::kMin, -1}));
    if (b.min <= 0 && b.max >= 0) result = hull(result, Interval::point(0));
    return result.empty() ? Interval{} : result;
}

Interval floorModOf(Interval a, Interval b) {
    if (b.isPoint() && b.min > 0) {
        const int64_t m = b.min;
        // The whole dividend lies between two multiples: only shifted.
        if (a.min != Interval::kMin && floorDivInt(a.min, m) == floorDivInt(a.max, m))
            return {floorModInt(a.min, m), floorModInt(a.max, m)};
        return {0, m - 1};
    }
    if (b.min > 0) return {0, a.min >= 0 ? std::min(a.max, b.max - 1) : b.max - 1};
    return {};
}

Interval truncModOf(Interval a, Interval b) {
    if (a.min >= 0 && b.min > 0) return floorModOf(a, b);
    const int64_t bound = std::max({int64_t{1}, b.max == Interval::kMin ? Interval::kMax : std::abs(b.max),
                                    b.min == Interval::kMin ? Interval::kMax : std::abs(b.min)});
    return {a.min >= 0 ? 0 : -(bound - 1), a.max <= 0 ? 0 : bound - 1};
}

Interval absOf(Interval a) {
    if (a.min >= 0) return a;
    if (a.min == Interval::kMin) return {}; // which has no negative
    return {a.max >= 0 ? 0 : -a.max, std::max(-a.min, a.max)};
}

Interval callOf(Expr e, VarRanges ranges) {
    const Interval whole = Interval::ofType(e->dtype);
    const int64_t bits = int64_t{8} * dtypeBytes(e->dtype); // of a distance no more than counts below it is looked at
    if (isFloat(e->arg(0)->dtype) && e->intrinsic != Intrinsic::IfThenElse) return whole;
    switch (e->intrinsic) {
    case Intrinsic::IfThenElse: {
        const Interval condition = intervalOf(e->arg(0), ranges);
        if (condition.min >= 1) return intervalOf(e->arg(1), ranges);
        if (condition.max <= 0) return intervalOf(e->arg(2), ranges);
        return hull(intervalOf(e->arg(1), ranges), intervalOf(e->arg(2), ranges));
    }
    case Intrinsic::Fabs:
        return absOf(intervalOf(e->arg(0), ranges));
    case Intrinsic::Popcount:
        return {0, 64};
    case Intrinsic::ShiftLeft: {
        const Interval a = intervalOf(e->arg(0), ranges), b = intervalOf(e->arg(1), ranges);
        return b.min >= 0 && b.max < std::min<int64_t>(bits, 63)
                   ? a * Interval{int64_t{1} << b.min, int64_t{1} << b.max}
                   : whole;
    }
    case Intrinsic::ShiftRight: {
        const Interval a = intervalOf(e->arg(0), ranges), b = intervalOf(e->arg(1), ranges);
        if (b.min < 0 || b.max >= bits) return whole;
        return {std::min(a.min >> b.min, a.min >> b.max), std::max(a.max >> b.min, a.max >> b.max)};
    }
    case Intrinsic::BitwiseAnd: {
        const Interval a = intervalOf(e->arg(0), ranges), b = intervalOf(e->arg(1), ranges);
        if (a.min >= 0 && b.min >= 0) return {0, std::min(a.max, b.max)};
        if (a.min >= 0) return {0, a.max};
        if (b.min >= 0) return {0, b.max};
        return whole;
    }
    default:
        return whole;
    }
}

Interval unclamped(Expr e, VarRanges ranges) {
    const auto operand = [&](size_t i) { return intervalOf(e->arg(i), ranges); };
    switch (e->kind) {
    case ExprKind::Cast: {
        const DType from = e->arg(0)->dtype;
        return isFloat(from) ? Interval::ofType(e->dtype) : operand(0);
    }
    case ExprKind::Add:
        return operand(0) + operand(1);
    case ExprKind::Sub:
        return operand(0) - operand(1);
    case ExprKind::Mul:
        return operand(0) * operand(1);
    case ExprKind::Div:
        return quotientCorners(operand(0), operand(1), [](int64_t a, int64_t b) { return a / b; });
    case ExprKind::Mod:
        return truncModOf(operand(0), operand(1));
    case ExprKind::FloorDiv:
        return quotientCorners(operand(0), operand(1), floorDivInt);
    case ExprKind::FloorMod:
        return floorModOf(operand(0), operand(1));
    case ExprKind::Min: {
        const Interval a = operand(0), b = operand(1);
        return {std::min(a.min, b.min), std::min(a.max, b.max)};
    }
    case ExprKind::Max: {
        const Interval a = operand(0), b = operand(1);
        return {std::max(a.min, b.min), std::max(a.max, b.max)};
    }
    case ExprKind::Select: {
        const Interval condition = operand(0);
        if (condition.min >= 1) return operand(1);
        if (condition.max <= 0) return operand(2);
        return hull(operand(1), operand(2));
    }
    case ExprKind::Call:
        return callOf(e, ranges);
    default:
        return Interval::ofType(e->dtype); // loads, strings
    }
}

} // namespace

bool mayWrap(Expr e, VarRanges ranges) {
    const bool sum = e->kind == ExprKind::Add || e->kind == ExprKind::Sub || e->kind == ExprKind::Mul;
    if (sum && isInteger(e->dtype) && !exactIn(unclamped(e, ranges), e->dtype)) return true;
    const auto operands = e->operands();
    return std::any_of(operands.begin(), operands.end(), [&](Expr operand) { return mayWrap(operand, ranges); });
}

Interval Interval::ofType(DType type) {
    if (type == DType::Bool) return kUnknownBool;
    if (isFloat(type) || type == DType::Int64) return {};
    const int bits = dtypeBytes(type) * 8;
    if (isUnsigned(type)) return {0, (int64_t{1} << bits) - 1};
    return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

Interval intervalOf(Expr e, VarRanges ranges) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return Interval::point(e->intValue);
    case ExprKind::Var:
        for (const VarRange &entry : ranges)
            if (entry.var == e.node()) return entry.range;
        return Interval::ofType(e->dtype);
    case ExprKind::Let: {
        // Rare: the one case that needs an environment of its own.
        std::vector<VarRange> inner{{e->arg(0).node(), intervalOf(e->arg(1), ranges)}};
        inner.insert(inner.end(), ranges.begin(), ranges.end());
        return intervalOf(e->arg(2), inner);
    }
    case ExprKind::And: {
        const Interval a = intervalOf(e->arg(0), ranges), b = intervalOf(e->arg(1), ranges);
        return {std::min(a.min, b.min), std::min(a.max, b.max)};
    }
    case ExprKind::Or: {
        const Interval a = intervalOf(e->arg(0), ranges), b = intervalOf(e->arg(1), ranges);
        return {std::max(a.min, b.min), std::max(a.max, b.max)};
    }
    case ExprKind::Not: {
        const Interval a = intervalOf(e->arg(0), ranges);
        return {1 - a.max, 1 - a.min};
    }
    default:
        break;
    }
    if (isComparison(e->kind)) {
        if (isFloat(e->arg(0)->dtype)) return kUnknownBool;
        return compare(e->kind, intervalOf(e->arg(0), ranges), intervalOf(e->arg(1), ranges));
    }
    const Interval whole = Interval::ofType(e->dtype);
    const Interval result = unclamped(e, ranges);
    const bool reckons = e->kind == ExprKind::Add || e->kind == ExprKind::Sub || e->kind == ExprKind::Mul ||
                         (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::ShiftLeft);
    if (reckons && result.saturated()) return whole; // beyond 64 bits it wraps, too
    return result.inside(whole) ? result : whole;
}

} // namespace loopscope
