#include "deploy/dispatch/row_digits.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isNumber(Expr e) { return e->kind == ExprKind::IntImm && e->intValue > 0; }
bool isVar(Expr e) { return e->kind == ExprKind::Var; }

/// Of a division by a number of a variable, or of a variable that was divided once.
bool collectDivision(Expr e, std::vector<VarDigits> &digits) {
    const bool quotient = e->kind == ExprKind::FloorDiv;
    const Expr of = e->arg(0);
    if (isVar(of) && isVar(e->arg(1))) {
        digits.push_back({of.node(), 1, VarDigits::kAll, e->arg(1).node(), quotient});
        return true;
    }
    if (!isNumber(e->arg(1))) return false;
    const int64_t number = e->arg(1)->intValue;
    if (isVar(of)) {
        digits.push_back({of.node(), quotient ? number : 1, quotient ? VarDigits::kAll : number, nullptr, false});
        return true;
    }
    const bool other = of->kind == (quotient ? ExprKind::FloorMod : ExprKind::FloorDiv);
    if (!other || !isVar(of->arg(0)) || !isNumber(of->arg(1))) return false;
    const int64_t inner = of->arg(1)->intValue;
    digits.push_back(quotient ? VarDigits{of->arg(0).node(), number, inner, nullptr, false}
                              : VarDigits{of->arg(0).node(), inner, inner * number, nullptr, false});
    return true;
}

void collect(Expr e, std::vector<VarDigits> &digits) {
    if (isVar(e)) {
        digits.push_back({e.node(), 1, VarDigits::kAll, nullptr, false});
        return;
    }
    if (e->kind == ExprKind::Load) return;
    if ((e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod) && collectDivision(e, digits)) return;
    for (const Expr operand : e->operands()) collect(operand, digits);
}

bool apart(const VarDigits &a, const VarDigits &b) {
    if (a.var != b.var) return true;
    if (a.divisor != nullptr || b.divisor != nullptr) return a.divisor == b.divisor && a.quotient != b.quotient;
    return (a.high <= b.low && b.low % a.high == 0) || (b.high <= a.low && a.low % b.high == 0);
}

} // namespace

std::vector<VarDigits> digitsOf(Expr e) {
    std::vector<VarDigits> digits;
    collect(e, digits);
    return digits;
}

bool shareDigits(const std::vector<VarDigits> &these, const std::vector<VarDigits> &those) {
    return std::ranges::any_of(these, [&](const VarDigits &one) {
        return std::ranges::any_of(those, [&](const VarDigits &other) { return !apart(one, other); });
    });
}

} // namespace loopscope
