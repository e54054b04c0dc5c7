#include "language/expr/affine.h"

#include "language/expr/open_sum.h"

#include <algorithm>

namespace loopscope {

namespace {

void addTerm(LinearForm &form, Expr atom, int64_t coefficient) {
    if (coefficient == 0) return;
    for (size_t i = 0; i < form.terms.size(); ++i) {
        LinearTerm &term = form.terms[i];
        if (!term.atom.is(atom) && (atom->kind == ExprKind::Var || !structurallyEqual(term.atom, atom))) continue;
        term.coefficient = addWrapping(term.coefficient, coefficient);
        if (term.coefficient == 0) form.terms.erase(form.terms.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
    form.terms.push_back({atom, coefficient});
}

/// Dividend = c * whole + rest with `rest` in [quotient * c, (quotient + 1) * c): the division is exact in parts.
struct Division {
    LinearForm whole;
    LinearForm rest;
    std::optional<int64_t> quotient; // of the rest, when its range decides it
    Interval dividend;
};

Division divideForm(Expr dividend, int64_t c, VarRanges ranges) {
    Division result;
    const LinearForm form = linearForm(dividend, ranges);
    for (const LinearTerm &term : form.terms) {
        if (term.coefficient % c == 0)
            result.whole.terms.push_back({term.atom, term.coefficient / c});
        else
            result.rest.terms.push_back(term);
    }
    result.whole.constant = floorDivInt(form.constant, c);
    result.rest.constant = floorModInt(form.constant, c);
    result.dividend = intersect(intervalOf(form, ranges), intervalOf(dividend, ranges));
    const Interval rest = intervalOf(result.rest, ranges);
    if (floorDivInt(rest.min, c) == floorDivInt(rest.max, c)) result.quotient = floorDivInt(rest.min, c);
    return result;
}

bool isDivision(ExprKind kind) {
    return kind == ExprKind::FloorDiv || kind == ExprKind::FloorMod || kind == ExprKind::Div || kind == ExprKind::Mod;
}

void accumulate(Expr e, int64_t factor, VarRanges ranges, LinearForm &form);

bool accumulateDivision(Expr e, int64_t factor, VarRanges ranges, LinearForm &form) {
    const Interval divisor = intervalOf(e->arg(1), ranges);
    if (!divisor.isPoint() || divisor.min <= 0) return false;
    const int64_t c = divisor.min;
    const Division parts = divideForm(e->arg(0), c, ranges);
    const bool truncates = e->kind == ExprKind::Div || e->kind == ExprKind::Mod;
    if (!parts.quotient || (truncates && parts.dividend.min < 0)) return false;
    if (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::Div) {
        addScaled(form, parts.whole, factor);
        form.constant = addWrapping(form.constant, mulWrapping(*parts.quotient, factor));
    } else {
        addScaled(form, parts.rest, factor);
        form.constant = addWrapping(form.constant, mulWrapping(-*parts.quotient * c, factor));
    }
    return true;
}

/// The operand a min, max, select or if_then_else is equal to over the ranges; null when they do not decide.
Expr decidedOperand(Expr e, VarRanges ranges) {
    if (e->kind == ExprKind::Min || e->kind == ExprKind::Max) {
        const std::optional<LinearForm> difference = differenceForm(e->arg(0), e->arg(1), ranges);
        const Interval range = difference ? intervalOf(*difference, ranges) : Interval{};
        const bool isMin = e->kind == ExprKind::Min;
        if (range.max <= 0) return e->arg(isMin ? 0 : 1);
        if (range.min >= 0) return e->arg(isMin ? 1 : 0);
        return {};
    }
    if (e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse))
        if (const auto holds = decide(e->arg(0), ranges)) return e->arg(*holds ? 1 : 2);
    return {};
}

/// Variables without a range: only indices are asked about without.
bool isOpen(Expr e, VarRanges ranges) {
    if (e->kind == ExprKind::Var)
        return std::none_of(ranges.begin(), ranges.end(), [&](const VarRange &known) { return known.var == e.node(); });
    if (e->kind == ExprKind::Let) return isOpen(e->arg(1), ranges); // whatever is made of it
    const auto operands = e->operands();
    return std::any_of(operands.begin(), operands.end(), [&](Expr operand) { return isOpen(operand, ranges); });
}

/// form += factor * e, modulo the values of e's type
void accumulate(Expr e, int64_t factor, VarRanges ranges, LinearForm &form) {
    if (!isInteger(e->dtype)) return addTerm(form, e, factor);
    switch (e->kind) {
    case ExprKind::IntImm:
        form.constant = addWrapping(form.constant, mulWrapping(e->intValue, factor));
        return;
    case ExprKind::Add:
        accumulate(e->arg(0), factor, ranges, form);
        return accumulate(e->arg(1), factor, ranges, form);
    case ExprKind::Sub:
        accumulate(e->arg(0), factor, ranges, form);
        return accumulate(e->arg(1), mulWrapping(factor, -1), ranges, form);
    case ExprKind::Mul:
        for (size_t side : {size_t{1}, size_t{0}}) {
            const Interval range = intervalOf(e->arg(side), ranges);
            if (range.isPoint() && e->arg(side)->kind != ExprKind::Var)
                return accumulate(e->arg(1 - side), mulWrapping(factor, range.min), ranges, form);
        }
        break;
    case ExprKind::Cast:
        if (isInteger(e->arg(0)->dtype)) {
            const LinearForm operand = linearForm(e->arg(0), ranges);
            const Interval values = intersect(intervalOf(e->arg(0), ranges), intervalOf(operand, ranges));
            if (values.inside(Interval::ofType(e->dtype))) return addScaled(form, operand, factor);
        }
        break;
    default:
        if (isDivision(e->kind) && accumulateDivision(e, factor, ranges, form)) return;
        if (const Expr operand = decidedOperand(e, ranges)) return addScaled(form, linearForm(operand, ranges), factor);
        break;
    }
    addTerm(form, e, factor);
}

/// Adds `coefficient * atom` to a sum being written back; null `sum` = nothing yet.
Expr plusTerm(Expr sum, Expr atom, int64_t coefficient, DType type) {
    if (atom->dtype != type) atom = castTo(type, atom);
    const int64_t magnitude = coefficient < 0 ? -coefficient : coefficient;
    const Expr term = magnitude == 1 ? atom : fold(ExprKind::Mul, atom, makeInt(magnitude, type));
    if (!sum) return coefficient < 0 ? fold(ExprKind::Sub, makeInt(0, type), term) : term;
    return fold(coefficient < 0 ? ExprKind::Sub : ExprKind::Add, sum, term);
}

Expr withSimplifiedOperands(Expr e, VarRanges ranges);

Expr writeBack(const LinearForm &form, DType type, VarRanges ranges) {
    Expr sum;
    for (const bool negative : {false, true}) // positive terms first, so that no sum starts with a subtraction from 0
        for (const LinearTerm &term : form.terms)
            if ((term.coefficient < 0) == negative)
                sum = plusTerm(sum, withSimplifiedOperands(term.atom, ranges), term.coefficient, type);
    if (!sum) return makeInt(form.constant, type);
    if (form.constant == 0) return sum;
    return fold(form.constant < 0 ? ExprKind::Sub : ExprKind::Add, sum,
                makeInt(form.constant < 0 ? -form.constant : form.constant, type));
}

/// floordiv(c*w + r, c) = w + floordiv(r, c); floormod(c*w + r, c) = floormod(r, c).
Expr splitDivision(Expr e, VarRanges ranges) {
    const Interval divisor = intervalOf(e->arg(1), ranges);
    if (!divisor.isPoint() || divisor.min <= 0) return {};
    const Division parts = divideForm(e->arg(0), divisor.min, ranges);
    const Interval remainder = intervalOf(parts.rest, ranges);
    if (exactIn(parts.dividend, e->dtype) && !exactIn(remainder, e->dtype)) return {};
    const Expr rest = writeBack(parts.rest, e->dtype, ranges);
    const Expr by = makeInt(divisor.min, e->dtype);
    if (e->kind == ExprKind::FloorMod) return fold(ExprKind::FloorMod, rest, by);
    const Expr quotient = fold(ExprKind::FloorDiv, rest, by);
    return fold(ExprKind::Add, writeBack(parts.whole, e->dtype, ranges), quotient);
}

Expr withSimplifiedOperands(Expr e, VarRanges ranges) {
    if (e->argCount == 0) return e;
    if (e->kind == ExprKind::Let) {
        std::vector<VarRange> inner{{e->arg(0).node(), intervalOf(e->arg(1), ranges)}};
        inner.insert(inner.end(), ranges.begin(), ranges.end());
        return makeLet(e->arg(0), simplify(e->arg(1), ranges), simplify(e->arg(2), inner));
    }
    if (isInteger(e->dtype) && (e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod))
        if (const Expr split = splitDivision(e, ranges)) return split;
    std::vector<Expr> operands;
    operands.reserve(e->argCount);
    for (const Expr operand : e->operands()) operands.push_back(simplify(operand, ranges));
    if (isBinary(e->kind)) return fold(e->kind, operands[0], operands[1]);
    switch (e->kind) {
    case ExprKind::Not:
        return logicalNot(operands[0]);
    case ExprKind::Cast:
        return castTo(e->dtype, operands[0]);
    case ExprKind::Select:
        return makeSelectNode(operands[0], operands[1], operands[2]);
    case ExprKind::Load:
        return makeLoad(*e->symbol, operands);
    case ExprKind::Call:
        return makeCall(e->intrinsic, e->dtype, operands);
    default:
        return e;
    }
}

} // namespace

bool LinearForm::affine() const {
    return std::all_of(terms.begin(), terms.end(),
                       [](const LinearTerm &term) { return term.atom->kind == ExprKind::Var; });
}

int64_t LinearForm::coefficientOf(Expr var) const {
    for (const LinearTerm &term : terms)
        if (term.atom.is(var)) return term.coefficient;
    return 0;
}

LinearForm linearForm(Expr e, VarRanges ranges) {
    LinearForm form;
    linearForm(e, ranges, form);
    return form;
}

void linearForm(Expr e, VarRanges ranges, LinearForm &form) {
    form.clear();
    accumulate(e, 1, ranges, form);
    if (form.terms.size() == 1 && form.constant == 0 && form.terms[0].coefficient == 1) return;
    Interval values = Interval::point(form.constant);
    for (const LinearTerm &term : form.terms)
        values = addOpen(values, intervalOf(term.atom, ranges) * term.coefficient);
    if (!isInteger(e->dtype) || exactIn(values, e->dtype)) return;
    if ((e->dtype == DType::Int32 || e->dtype == DType::Int64) && isOpen(e, ranges)) return;
    form.clear();
    form.terms.push_back({e, 1});
}

void addScaled(LinearForm &form, const LinearForm &other, int64_t factor) {
    for (const LinearTerm &term : other.terms) addTerm(form, term.atom, mulWrapping(term.coefficient, factor));
    form.constant = addWrapping(form.constant, mulWrapping(other.constant, factor));
}

std::optional<LinearForm> differenceForm(Expr a, Expr b, VarRanges ranges) {
    LinearForm difference = linearForm(a, ranges);
    const LinearForm right = linearForm(b, ranges);
    // A value less a number is looked at as a whole number, which leaves no type.
    const auto isSmall = [](const LinearForm &form) {
        constexpr int64_t kHalf = int64_t{1} << 62;
        return form.constant > -kHalf && form.constant < kHalf;
    };
    const bool withNumber = (difference.isConstant() || right.isConstant()) && isSmall(difference) && isSmall(right);
    const bool narrow = a->dtype != DType::Int64;
    if (!narrow && !withNumber && (intervalOf(difference, ranges) - intervalOf(right, ranges)).saturated() &&
        !isOpen(a, ranges) && !isOpen(b, ranges))
        return std::nullopt;
    addScaled(difference, right, -1);
    return difference;
}

std::optional<int64_t> constantDifference(const LinearForm &a, const LinearForm &b) {
    if (a.terms.size() != b.terms.size()) return std::nullopt;
    for (const LinearTerm &term : a.terms) {
        const auto same = [&](const LinearTerm &other) {
            return other.coefficient == term.coefficient &&
                   (other.atom.is(term.atom) || structurallyEqual(other.atom, term.atom));
        };
        if (std::none_of(b.terms.begin(), b.terms.end(), same)) return std::nullopt;
    }
    return addWrapping(a.constant, mulWrapping(b.constant, -1));
}

Interval intervalOf(const LinearForm &form, VarRanges ranges) {
    Interval sum = Interval::point(form.constant);
    for (const LinearTerm &term : form.terms) sum = sum + intervalOf(term.atom, ranges) * term.coefficient;
    return sum;
}

std::optional<bool> decide(Expr condition, VarRanges ranges) {
    switch (condition->kind) {
    case ExprKind::And:
    case ExprKind::Or: {
        const bool decisive = condition->kind == ExprKind::Or; // the operand value that settles the result
        const auto a = decide(condition->arg(0), ranges);
        if (a && *a == decisive) return decisive;
        const auto b = decide(condition->arg(1), ranges);
        if (b && *b == decisive) return decisive;
        if (a && b) return !decisive;
        return std::nullopt;
    }
    case ExprKind::Not: {
        const auto a = decide(condition->arg(0), ranges);
        return a ? std::optional<bool>(!*a) : std::nullopt;
    }
    default:
        break;
    }
    Interval value = intervalOf(condition, ranges);
    if (!value.isPoint() && isComparison(condition->kind) && isInteger(condition->arg(0)->dtype)) {
        const std::optional<LinearForm> difference = differenceForm(condition->arg(0), condition->arg(1), ranges);
        const Interval d = difference ? intervalOf(*difference, ranges) : Interval{};
        switch (condition->kind) {
        case ExprKind::Lt:
            value = {d.max < 0, d.min < 0};
            break;
        case ExprKind::Le:
            value = {d.max <= 0, d.min <= 0};
            break;
        case ExprKind::Gt:
            value = {d.min > 0, d.max > 0};
            break;
        case ExprKind::Ge:
            value = {d.min >= 0, d.max >= 0};
            break;
        case ExprKind::Eq:
            value = {d.min == 0 && d.max == 0, d.min <= 0 && d.max >= 0};
            break;
        default:
            value = {d.min > 0 || d.max < 0, d.min != 0 || d.max != 0};
            break; // Ne
        }
    }
    if (!value.isPoint()) return std::nullopt;
    return value.min != 0;
}

Expr simplify(Expr e, VarRanges ranges) {
    if (isImm(e) || e->kind == ExprKind::Var) return e;
    if (e->dtype == DType::Bool) {
        if (const auto known = decide(e, ranges)) return makeBool(*known);
        return withSimplifiedOperands(e, ranges);
    }
    if (isInteger(e->dtype)) return writeBack(linearForm(e, ranges), e->dtype, ranges);
    if (e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse))
        if (const auto known = decide(e->arg(0), ranges)) return simplify(e->arg(*known ? 1 : 2), ranges);
    return withSimplifiedOperands(e, ranges);
}

} // namespace loopscope
