#include "schedule/grouping/real_range.h"

#include "language/expr/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr RealRange kAnything = {-kEndless, kEndless};

/// Of a type without more known.
RealRange ofType(DType type) {
    if (isFloat(type)) return kAnything;
    const Interval whole = Interval::ofType(type);
    return {static_cast<double>(whole.min), static_cast<double>(whole.max)};
}

RealRange rounded(RealRange range, DType type) {
    if (!isFloat(type)) return range;
    constexpr double share = 0x1p-20;
    return {range.min - share * std::fabs(range.min), range.max + share * std::fabs(range.max)};
}

/// Of a product or quotient: its ends are among those of the ends.
template <typename Combine> RealRange ofCorners(RealRange a, RealRange b, Combine &&combine) {
    const std::array<double, 4> corners = {combine(a.min, b.min), combine(a.min, b.max), combine(a.max, b.min),
                                           combine(a.max, b.max)};
    if (std::ranges::any_of(corners, [](double x) { return std::isnan(x); })) return kAnything;
    const auto [least, most] = std::ranges::minmax(corners);
    return {least, most};
}

RealRange ofCast(Expr e) {
    const RealRange from = realRange(e->arg(0));
    if (isFloat(e->dtype)) return rounded(from, e->dtype);
    const RealRange to = {std::trunc(from.min), std::trunc(from.max)};
    const RealRange legal = ofType(e->dtype);
    return to.min >= legal.min && to.max <= legal.max ? to : legal;
}

} // namespace

RealRange realRange(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return {static_cast<double>(e->intValue), static_cast<double>(e->intValue)};
    case ExprKind::FloatImm:
        return {e->floatValue, e->floatValue};
    case ExprKind::Cast:
        return ofCast(e);
    case ExprKind::Let:
        return realRange(e->arg(2));
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::Min:
    case ExprKind::Max:
        break;
    default:
        return ofType(e->dtype);
    }
    const RealRange a = realRange(e->arg(0));
    const RealRange b = realRange(e->arg(1));
    RealRange result = kAnything;
    switch (e->kind) {
    case ExprKind::Add:
        result = {a.min + b.min, a.max + b.max};
        break;
    case ExprKind::Sub:
        result = {a.min - b.max, a.max - b.min};
        break;
    case ExprKind::Mul:
        result = ofCorners(a, b, [](double x, double y) { return x * y; });
        break;
    case ExprKind::Div:
        if (isFloat(e->dtype) && (b.min > 0 || b.max < 0))
            result = ofCorners(a, b, [](double x, double y) { return x / y; });
        break;
    case ExprKind::Min:
        return {std::min(a.min, b.min), std::min(a.max, b.max)};
    default:
        return {std::max(a.min, b.min), std::max(a.max, b.max)};
    }
    if (std::isnan(result.min) || std::isnan(result.max)) return ofType(e->dtype);
    const RealRange legal = ofType(e->dtype);
    return result.min >= legal.min && result.max <= legal.max ? rounded(result, e->dtype) : legal;
}

Expr withoutIdleClamp(Expr e) {
    if (e->kind != ExprKind::Min || !isImm(e->arg(1))) return e;
    const Expr below = e->arg(0);
    if (below->kind != ExprKind::Max || !isImm(below->arg(1))) return e;
    const RealRange range = realRange(below->arg(0));
    const bool idle = range.min >= realRange(below->arg(1)).min && range.max <= realRange(e->arg(1)).max;
    return idle ? below->arg(0) : e;
}

} // namespace loopscope
