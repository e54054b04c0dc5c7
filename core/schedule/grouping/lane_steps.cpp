#include "schedule/grouping/lane_steps.h"

#include <cmath>

namespace loopscope {

namespace {

constexpr int64_t kGathered = 12; // lanes one by one
constexpr int64_t kHalved = 3;    // one vector, whose lanes are moved

bool isNumber(Expr e) { return e->kind == ExprKind::IntImm; }

} // namespace

int64_t LaneSteps::dearness(Expr load) {
    const size_t rank = load->argCount;
    for (size_t d = 0; d + 1 < rank; ++d)
        if (of(load->arg(d)) != 0.0) return kGathered;
    if (rank == 0) return 0;
    const std::optional<double> step = of(load->arg(rank - 1));
    if (!step) return kGathered;
    const double size = std::fabs(*step);
    if (size == 0 || *step == 1) return 0;
    if (size <= 1) return kHalved;
    // So many vectors hold them, out of which they are picked.
    return size <= 4 ? static_cast<int64_t>(2 * std::ceil(size)) : kGathered;
}

bool LaneSteps::gathered(Expr load) { return dearness(load) == kGathered; }

std::optional<double> LaneSteps::of(Expr e) {
    if (const auto *known = m_steps.find(e)) return *known;
    const std::optional<double> step = stepOf(e);
    m_steps.set(e, step);
    return step;
}

std::optional<double> LaneSteps::stepOf(Expr e) {
    bool same = true;
    for (const Expr operand : e->operands()) same = same && of(operand) == 0.0;
    switch (e->kind) {
    case ExprKind::Var:
        return e.is(m_lane) ? 1 : 0;
    case ExprKind::Let:
        bind(e->arg(0), e->arg(1));
        return of(e->arg(2));
    case ExprKind::Cast:
        return of(e->arg(0));
    default:
        break;
    }
    if (same) return 0;
    if (e->argCount != 2) return std::nullopt;
    const std::optional<double> left = of(e->arg(0));
    const std::optional<double> right = of(e->arg(1));
    if (!left || !right) return std::nullopt;
    switch (e->kind) {
    case ExprKind::Add:
        return *left + *right;
    case ExprKind::Sub:
        return *left - *right;
    case ExprKind::Mul:
        if (isNumber(e->arg(1))) return *left * static_cast<double>(e->arg(1)->intValue);
        if (isNumber(e->arg(0))) return *right * static_cast<double>(e->arg(0)->intValue);
        return std::nullopt;
    case ExprKind::FloorDiv:
    case ExprKind::Div:
        if (isNumber(e->arg(1)) && e->arg(1)->intValue != 0) return *left / static_cast<double>(e->arg(1)->intValue);
        return std::nullopt;
    case ExprKind::Min:
    case ExprKind::Max:
        if (*right == 0) return left;
        if (*left == 0) return right;
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace loopscope
