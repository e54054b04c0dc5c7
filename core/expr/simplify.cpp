#include "expr/simplify.h"

#include "expr/walk.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace loopscope {

void Simplifier::bindRange(Expr var, Interval range) {
    m_bindings.push_back({var.node(), range, {}, {}, Binding::Kind::Range});
}
void Simplifier::bindValue(Expr var, const SplitSum &value) {
    m_bindings.push_back({var.node(), {}, value, {}, Binding::Kind::Sum});
}
void Simplifier::bindValue(Expr var, Expr value) {
    m_bindings.push_back({var.node(), {}, {}, value, Binding::Kind::Expr});
}

const Simplifier::Binding *Simplifier::find(Expr var) const {
    for (size_t i = m_bindings.size(); i > 0; --i)
        if (m_bindings[i - 1].var == var.node()) return &m_bindings[i - 1];
    return nullptr;
}

SplitSum Simplifier::sum(Expr e) {
    SplitSum result;
    if (accumulate(result, e, 1)) return result;
    SplitSum whole;
    SplitTerm term;
    term.base = structural(e);
    term.range = Interval::ofType(e->dtype);
    whole.add(term);
    return whole;
}

/// out += factor * e; false (and `out` is spoilt) when a load is inside.
bool Simplifier::accumulate(SplitSum &out, Expr e, int64_t factor) {
    switch (e->kind) {
    case ExprKind::IntImm:
        out.constant += e->intValue * factor;
        return true;
    case ExprKind::Var: {
        const Binding *binding = find(e);
        if (binding != nullptr && binding->kind == Binding::Kind::Sum) {
            out.add(binding->value, factor);
            return true;
        }
        SplitTerm term;
        term.base = binding != nullptr && binding->kind == Binding::Kind::Expr ? binding->replacement : e;
        if (containsLoad(term.base)) return false;
        term.scale = factor;
        term.range =
            binding != nullptr && binding->kind == Binding::Kind::Range ? binding->range : Interval::ofType(e->dtype);
        out.add(term);
        return true;
    }
    case ExprKind::Add:
        return accumulate(out, e->arg(0), factor) && accumulate(out, e->arg(1), factor);
    case ExprKind::Sub:
        return accumulate(out, e->arg(0), factor) && accumulate(out, e->arg(1), -factor);
    case ExprKind::Mul:
        if (e->arg(1)->kind == ExprKind::IntImm) return accumulate(out, e->arg(0), factor * e->arg(1)->intValue);
        if (e->arg(0)->kind == ExprKind::IntImm) return accumulate(out, e->arg(1), factor * e->arg(0)->intValue);
        break;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Div:
    case ExprKind::Mod: {
        if (e->arg(1)->kind != ExprKind::IntImm || e->arg(1)->intValue <= 0) break;
        SplitSum dividend;
        if (!accumulate(dividend, e->arg(0), 1)) return false;
        const bool truncates = e->kind == ExprKind::Div || e->kind == ExprKind::Mod;
        if (truncates && dividend.values().min < 0) break;
        const bool division = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::Div;
        const int64_t by = e->arg(1)->intValue;
        out.add(division ? floorDiv(dividend, by, e->dtype) : floorMod(dividend, by, e->dtype), factor);
        return true;
    }
    case ExprKind::Cast:
        if (isInteger(e->arg(0)->dtype)) {
            SplitSum operand;
            if (!accumulate(operand, e->arg(0), 1)) return false;
            if (!operand.values().inside(Interval::ofType(e->dtype))) break;
            out.add(operand, factor);
            return true;
        }
        break;
    case ExprKind::Min:
    case ExprKind::Max: {
        SplitSum a;
        SplitSum difference;
        if (!accumulate(a, e->arg(0), 1) || !accumulate(difference, e->arg(0), 1) ||
            !accumulate(difference, e->arg(1), -1))
            return false;
        const Interval range = difference.values();
        if (range.max > 0 && range.min < 0) break;
        const bool takeFirst = (e->kind == ExprKind::Min) == (range.max <= 0);
        return accumulate(out, e->arg(takeFirst ? 0 : 1), factor);
    }
    case ExprKind::Load:
        return false;
    default:
        break;
    }
    return accumulateOpaque(out, e, factor);
}

bool Simplifier::accumulateOpaque(SplitSum &out, Expr e, int64_t factor) {
    if (containsLoad(e)) return false;
    const Expr rewritten = structural(e);
    if (rewritten->kind == ExprKind::IntImm) {
        out.constant += rewritten->intValue * factor;
        return true;
    }
    SplitTerm term;
    term.base = rewritten;
    term.scale = factor;
    term.range = rangeOf(rewritten);
    out.add(term);
    return true;
}

Interval Simplifier::rangeOf(Expr e) const {
    std::vector<VarRange> ranges;
    for (size_t i = m_bindings.size(); i > 0; --i)
        if (m_bindings[i - 1].kind == Binding::Kind::Range)
            ranges.push_back({m_bindings[i - 1].var, m_bindings[i - 1].range});
    return intervalOf(e, ranges);
}

namespace {

int64_t commonFactor(const SplitSum &sum) {
    int64_t factor = 0;
    for (const SplitTerm &term : sum.all()) factor = std::gcd(factor, term.scale);
    return factor;
}

bool holds(ExprKind kind, Interval difference, bool &value) {
    const auto decided = [&](bool yes, bool no) {
        value = yes;
        return yes || no;
    };
    switch (kind) {
    case ExprKind::Lt:
        return decided(difference.max < 0, difference.min >= 0);
    case ExprKind::Le:
        return decided(difference.max <= 0, difference.min > 0);
    case ExprKind::Gt:
        return decided(difference.min > 0, difference.max <= 0);
    case ExprKind::Ge:
        return decided(difference.min >= 0, difference.max < 0);
    case ExprKind::Eq:
        return decided(difference.min == 0 && difference.max == 0, difference.min > 0 || difference.max < 0);
    default: // Ne
        return decided(difference.min > 0 || difference.max < 0, difference.min == 0 && difference.max == 0);
    }
}

ExprKind mirrored(ExprKind kind) {
    switch (kind) {
    case ExprKind::Lt:
        return ExprKind::Gt;
    case ExprKind::Le:
        return ExprKind::Ge;
    case ExprKind::Gt:
        return ExprKind::Lt;
    case ExprKind::Ge:
        return ExprKind::Le;
    default:
        return kind;
    }
}

/// floordiv(x, c) + k >= 0 is x - c*(-k) >= 0, and so on for the other orders: a comparison needs no division. False
/// when `difference` is no such quotient, or the product does not fit the type.
bool multiplyOut(SplitSum &difference, ExprKind &kind, DType type) {
    if (difference.count != 1 || kind == ExprKind::Eq || kind == ExprKind::Ne) return false;
    SplitTerm term = difference.terms[0];
    if (term.lower == 1 || (term.scale != 1 && term.scale != -1)) return false;
    const ExprKind order = term.scale == 1 ? kind : mirrored(kind);
    const int64_t bound = term.scale == 1 ? -difference.constant : difference.constant;
    // Of the whole bucket `bound`, the first value for < and >=, the last for <= and >.
    const bool last = order == ExprKind::Le || order == ExprKind::Gt;
    const int64_t limit = addSaturating(mulSaturating(addSaturating(bound, last ? 1 : 0), term.lower), last ? -1 : 0);
    if (!Interval::point(limit).inside(Interval::ofType(type))) return false;
    SplitSum dividend;
    if (term.whole != nullptr && term.upper == 0) {
        dividend.add(*term.whole);
    } else {
        term.lower = term.scale = 1;
        dividend.add(term);
    }
    dividend.constant -= limit;
    difference = dividend;
    kind = order;
    return true;
}

} // namespace

/// Constants on the right, terms with a positive factor on the left: `y*2 + r - 1 >= 0` becomes `y*2 + r >= 1`.
Expr Simplifier::compare(Expr e) {
    SplitSum difference;
    if (!accumulate(difference, e->arg(0), 1) || !accumulate(difference, e->arg(1), -1)) return structural(e);
    const DType type = e->arg(0)->dtype;
    ExprKind kind = e->kind;
    do {
        bool value = false;
        if (holds(kind, difference.values(), value)) return makeBool(value);
        const int64_t g = commonFactor(difference);
        if (g > 1) { // g*x + k < 0 is x + floor(k/g) < 0 for integers, g*x + k <= 0 is x + ceil(k/g) <= 0
            if (difference.constant % g != 0 && (kind == ExprKind::Eq || kind == ExprKind::Ne))
                return makeBool(kind == ExprKind::Ne);
            for (uint32_t i = 0; i < difference.count; ++i) difference.terms[i].scale /= g;
            const bool up = kind == ExprKind::Le || kind == ExprKind::Gt;
            difference.constant = up ? -floorDivInt(-difference.constant, g) : floorDivInt(difference.constant, g);
        }
    } while (multiplyOut(difference, kind, type));
    SplitSum positive;
    SplitSum negative;
    for (SplitTerm term : difference.all()) {
        const bool left = term.scale > 0;
        if (!left) term.scale = -term.scale;
        (left ? positive : negative).add(term);
    }
    if (positive.count == 0) { // k < n
        const Expr bound = makeInt(difference.constant, type);
        return makeBinary(mirrored(kind), write(negative, type), bound);
    }
    negative.constant = -difference.constant;
    return makeBinary(kind, write(positive, type), write(negative, type));
}

Expr Simplifier::structural(Expr e) {
    if (e->kind == ExprKind::Load) return rewriteLoad(e); // a rank-0 load too
    if (e->argCount == 0) return e;
    if (e->kind == ExprKind::Let) {
        const Expr value = (*this)(e->arg(1));
        const Expr var = makeVar(e->arg(0)->name(), e->arg(0)->dtype);
        const size_t outer = mark();
        bindValue(e->arg(0), var);
        const Expr body = (*this)(e->arg(2));
        release(outer);
        return makeLet(var, value, body);
    }
    const bool branches =
        e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
    if (branches) {
        const Expr condition = (*this)(e->arg(0));
        if (condition->kind == ExprKind::IntImm) return (*this)(e->arg(condition->intValue != 0 ? 1 : 2));
        const std::array<Expr, 3> operands = {condition, (*this)(e->arg(1)), (*this)(e->arg(2))};
        return withOperands(e, operands);
    }
    if (isBinary(e->kind)) return fold(e->kind, (*this)(e->arg(0)), (*this)(e->arg(1)));
    if (e->argCount == 1) {
        const Expr operand = (*this)(e->arg(0));
        if (e->kind == ExprKind::Not) return logicalNot(operand);
        if (e->kind == ExprKind::Cast) return castTo(e->dtype, operand);
        return withOperands(e, {&operand, 1});
    }
    std::array<Expr, 4> operands;
    for (uint32_t i = 0; i < e->argCount; ++i) operands[i] = (*this)(e->arg(i));
    return withOperands(e, {operands.data(), e->argCount});
}

Expr Simplifier::operator()(Expr e) {
    if (e->kind == ExprKind::Var) {
        const Binding *binding = find(e);
        if (binding == nullptr) return e;
        if (binding->kind == Binding::Kind::Sum) return write(binding->value, e->dtype);
        if (binding->kind == Binding::Kind::Expr) return binding->replacement;
        return binding->range.isPoint() ? makeInt(binding->range.min, e->dtype) : e;
    }
    if (isImm(e) || e->kind == ExprKind::StringImm) return e;
    if (isInteger(e->dtype) && e->kind != ExprKind::Load) {
        SplitSum result;
        if (e->kind != ExprKind::Call && e->kind != ExprKind::Let && accumulate(result, e, 1))
            return write(result, e->dtype);
        return structural(e);
    }
    if (isComparison(e->kind) && isInteger(e->arg(0)->dtype)) return compare(e);
    return structural(e);
}

std::optional<bool> Simplifier::decide(Expr condition) {
    const Expr result = (*this)(condition);
    if (result->kind != ExprKind::IntImm) return std::nullopt;
    return result->intValue != 0;
}

Expr Simplifier::rewriteLoad(Expr load) {
    std::array<Expr, 8> few;
    std::vector<Expr> many;
    Expr *indices = few.data();
    if (load->argCount > few.size()) {
        many.resize(load->argCount);
        indices = many.data();
    }
    for (uint32_t i = 0; i < load->argCount; ++i) indices[i] = (*this)(load->arg(i));
    return withOperands(load, {indices, load->argCount});
}

} // namespace loopscope
