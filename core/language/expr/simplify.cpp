#include "language/expr/simplify.h"

#include "language/expr/open_sum.h"
#include "language/expr/sum_comparison.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace loopscope {

void Simplifier::bindRange(Expr var, Interval range) {
    m_bindings.push_back({var.node(), range, {}, {}, Binding::Kind::Range, false});
}
void Simplifier::bindValue(Expr var, const SplitSum &value) {
    m_bindings.push_back({var.node(), {}, value, {}, Binding::Kind::Sum, false});
}
void Simplifier::bindValue(Expr var, Expr value) {
    m_bindings.push_back({var.node(), {}, {}, value, Binding::Kind::Expr, false});
}

void Simplifier::release(size_t mark) {
    for (size_t i = m_bindings.size(); i > mark && m_facts + m_narrowed > 0; --i)
        if (m_bindings[i - 1].assumed) --(m_bindings[i - 1].kind == Binding::Kind::Fact ? m_facts : m_narrowed);
    m_bindings.resize(mark);
}

const Simplifier::Binding *Simplifier::find(Expr var) const {
    for (size_t i = m_bindings.size(); i > 0; --i)
        if (m_bindings[i - 1].var == var.node()) return &m_bindings[i - 1];
    return nullptr;
}

SplitSum Simplifier::sum(Expr e) {
    SplitSum result;
    const bool isSum = accumulate(result, e, 1);
    if (isSum && exact(result, e->dtype)) return result;
    SplitSum whole;
    SplitTerm term;
    term.base = isSum ? write(result, e->dtype) : structural(e);
    term.range = Interval::ofType(e->dtype);
    whole.add(term);
    return whole;
}

bool Simplifier::exact(const SplitSum &sum, DType type) const {
    if (staysIn(sum, type)) return true;
    if (sum.count == 1 && sum.constant == 0 && sum.terms[0].scale == 1 && sum.terms[0].base->dtype == type) return true;
    return (type == DType::Int32 || type == DType::Int64) && open(sum);
}

bool Simplifier::open(const SplitSum &sum) const {
    bool open = false;
    std::vector<const ExprNode *> bound; // by a let inside
    for (const SplitTerm &term : sum.all()) {
        postOrder(term.base, [&](Expr e) {
            if (e->kind == ExprKind::Let) bound.push_back(e->arg(0).node());
        });
        postOrder(term.base, [&](Expr e) {
            open = open || (e->kind == ExprKind::Var && find(e) == nullptr &&
                            std::find(bound.begin(), bound.end(), e.node()) == bound.end());
        });
    }
    return open;
}

/// out += factor * e, modulo the values of e's type; false (and `out` is unusable) when a load is inside.
bool Simplifier::accumulate(SplitSum &out, Expr e, int64_t factor) {
    switch (e->kind) {
    case ExprKind::IntImm:
        out.constant = addWrapping(out.constant, mulWrapping(e->intValue, factor));
        return true;
    case ExprKind::Var: {
        const Binding *binding = find(e);
        if (binding != nullptr && binding->kind == Binding::Kind::Sum) {
            if (m_narrowed == 0) {
                out.add(binding->value, factor);
                return true;
            }
            for (SplitTerm term : binding->value.all()) {
                narrow(term);
                term.scale = mulWrapping(term.scale, factor);
                out.add(term);
            }
            out.constant = addWrapping(out.constant, mulWrapping(binding->value.constant, factor));
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
        return accumulate(out, e->arg(0), factor) && accumulate(out, e->arg(1), mulWrapping(factor, -1));
    case ExprKind::Mul:
        for (const uint32_t side : {1U, 0U})
            if (e->arg(side)->kind == ExprKind::IntImm)
                return accumulate(out, e->arg(1 - side), mulWrapping(factor, e->arg(side)->intValue));
        break;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Div:
    case ExprKind::Mod:
        if (e->arg(1)->kind != ExprKind::IntImm || e->arg(1)->intValue <= 0) break;
        return accumulateDivision(out, e, factor);
    case ExprKind::Cast:
        if (isInteger(e->arg(0)->dtype)) {
            SplitSum operand;
            const DType from = e->arg(0)->dtype;
            if (!accumulate(operand, e->arg(0), 1)) return false;
            if (exact(operand, from) && operand.values().inside(Interval::ofType(e->dtype)))
                out.add(operand, factor);
            else
                addOpaque(out, castTo(e->dtype, write(operand, from)), factor);
            return true;
        }
        break;
    case ExprKind::Min:
    case ExprKind::Max:
        return accumulateExtreme(out, e, factor);
    case ExprKind::Load:
        return false;
    default:
        break;
    }
    return accumulateOpaque(out, e, factor);
}

bool Simplifier::accumulateDivision(SplitSum &out, Expr e, int64_t factor) {
    SplitSum dividend;
    if (!accumulate(dividend, e->arg(0), 1)) return false;
    const bool truncates = e->kind == ExprKind::Div || e->kind == ExprKind::Mod;
    const bool division = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::Div;
    if (!exact(dividend, e->dtype) || (truncates && dividend.values().min < 0)) {
        addOpaque(out, fold(e->kind, write(dividend, e->dtype), e->arg(1)), factor);
        return true;
    }
    const int64_t by = e->arg(1)->intValue;
    const Interval known = knownOf(dividend);
    out.add(division ? floorDiv(dividend, by, e->dtype, m_divisions, known)
                     : floorMod(dividend, by, e->dtype, m_divisions, known),
            factor);
    return true;
}

bool Simplifier::accumulateExtreme(SplitSum &out, Expr e, int64_t factor) {
    SplitSum a;
    SplitSum b;
    if (!accumulate(a, e->arg(0), 1) || !accumulate(b, e->arg(1), 1)) return false;
    if (exact(a, e->dtype) && exact(b, e->dtype)) {
        SplitSum difference;
        difference.add(a);
        difference.add(b, -1);
        const bool fits = e->dtype != DType::Int64 || !(a.values() - b.values()).saturated() || open(a) || open(b);
        const Interval range = fits ? valuesOf(difference) : Interval{};
        if (range.max <= 0 || range.min >= 0) {
            const bool takeFirst = (e->kind == ExprKind::Min) == (range.max <= 0);
            out.add(takeFirst ? a : b, factor);
            return true;
        }
    }
    addOpaque(out, fold(e->kind, write(a, e->dtype), write(b, e->dtype)), factor);
    return true;
}

bool Simplifier::accumulateOpaque(SplitSum &out, Expr e, int64_t factor) {
    if (containsLoad(e)) return false;
    addOpaque(out, structural(e), factor);
    return true;
}

void Simplifier::addOpaque(SplitSum &out, Expr rewritten, int64_t factor) const {
    if (rewritten->kind == ExprKind::IntImm) {
        out.constant = addWrapping(out.constant, mulWrapping(rewritten->intValue, factor));
        return;
    }
    SplitTerm term;
    term.base = rewritten;
    term.scale = factor;
    term.range = rangeOf(rewritten);
    out.add(term);
}

bool Simplifier::subtract(SplitSum &difference, Expr a, Expr b) {
    SplitSum right;
    if (!accumulate(difference, a, 1) || !exact(difference, a->dtype)) return false;
    if (!accumulate(right, b, 1) || !exact(right, b->dtype)) return false;
    const bool fits = a->dtype != DType::Int64 || !(difference.values() - right.values()).saturated();
    if (!fits && !open(difference) && !open(right)) return false;
    difference.add(right, -1);
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

ExprKind opposite(ExprKind kind) {
    switch (kind) {
    case ExprKind::Lt:
        return ExprKind::Ge;
    case ExprKind::Le:
        return ExprKind::Gt;
    case ExprKind::Gt:
        return ExprKind::Le;
    case ExprKind::Ge:
        return ExprKind::Lt;
    case ExprKind::Eq:
        return ExprKind::Ne;
    default:
        return ExprKind::Eq;
    }
}

/// The values of x where `x kind 0` holds; everything where that is no interval.
Interval valuesWhere(ExprKind kind) {
    Interval values;
    if (kind == ExprKind::Lt) values.max = -1;
    if (kind == ExprKind::Le) values.max = 0;
    if (kind == ExprKind::Gt) values.min = 1;
    if (kind == ExprKind::Ge) values.min = 0;
    if (kind == ExprKind::Eq) values = Interval::point(0);
    return values;
}

/// The interval moved by an amount; an open end stays open.
Interval moved(Interval values, int64_t by) {
    constexpr Interval everything;
    if (values.min != everything.min) values.min = addSaturating(values.min, by);
    if (values.max != everything.max) values.max = addSaturating(values.max, by);
    return values;
}

Interval mirroredValues(Interval values) {
    constexpr Interval everything;
    return {values.max == everything.max ? everything.min : -values.max,
            values.min == everything.min ? everything.max : -values.min};
}

bool sameDigits(const SplitTerm &a, const SplitTerm &b) {
    return a.lower == b.lower && a.upper == b.upper && (a.base.is(b.base) || structurallyEqual(a.base, b.base));
}

/// Whether the terms of `a` are those of `b`, each times `sign`.
bool sameTerms(const SplitSum &a, const SplitSum &b, int64_t sign) {
    if (a.count != b.count) return false;
    for (const SplitTerm &term : a.all()) {
        const auto all = b.all();
        if (std::none_of(all.begin(), all.end(), [&](const SplitTerm &other) {
                return term.scale == sign * other.scale && sameDigits(term, other);
            }))
            return false;
    }
    return true;
}

} // namespace

void Simplifier::assume(Expr condition, bool holds) {
    if (condition->kind == ExprKind::Not) return assume(condition->arg(0), !holds);
    if (condition->kind == (holds ? ExprKind::And : ExprKind::Or)) {
        assume(condition->arg(0), holds);
        return assume(condition->arg(1), holds);
    }
    if (!isComparison(condition->kind) || !isInteger(condition->arg(0)->dtype)) return;
    SplitSum sum;
    if (!subtract(sum, condition->arg(0), condition->arg(1)) || sum.count == 0) return;
    Interval range = moved(valuesWhere(holds ? condition->kind : opposite(condition->kind)), -sum.constant);
    if (range == Interval{}) return;
    sum.constant = 0;
    const SplitTerm &term = sum.terms[0];
    if (sum.count == 1 && term.base->kind == ExprKind::Var && term.upper == 0 && term.lower == 1 &&
        (term.scale == 1 || term.scale == -1)) {
        if (term.scale == -1) range = mirroredValues(range);
        range = intersect(range, term.range);
        // Ansor's simplifier bounds a variable, it does not replace it.
        if (range.empty()) return;
        if (!range.isPoint() || m_divisions == Divisions::Full) {
            m_bindings.push_back({term.base.node(), range, {}, {}, Binding::Kind::Range, true});
            ++m_narrowed;
            return;
        }
        sum.terms[0].scale = 1;
    }
    m_bindings.push_back({nullptr, range, sum, {}, Binding::Kind::Fact, true});
    ++m_facts;
}

Interval Simplifier::knownOf(const SplitSum &sum) const {
    Interval known;
    if (m_facts == 0 || sum.count == 0) return known;
    size_t left = m_facts;
    for (size_t i = m_bindings.size(); left > 0; --i) {
        const Binding &fact = m_bindings[i - 1];
        if (fact.kind != Binding::Kind::Fact) continue;
        --left;
        if (sameTerms(sum, fact.value, 1)) known = intersect(known, moved(fact.range, sum.constant));
        if (sameTerms(sum, fact.value, -1)) known = intersect(known, moved(mirroredValues(fact.range), sum.constant));
    }
    return known.empty() ? Interval{} : known;
}

void Simplifier::narrow(SplitTerm &term) const {
    if (term.base->kind != ExprKind::Var) return;
    const Binding *binding = find(term.base);
    if (binding == nullptr || !binding->assumed) return;
    const Interval both = intersect(term.range, binding->range);
    if (!both.empty()) term.range = both;
}

/// Constants on the right, terms with a positive factor on the left: `y*2 + r - 1 >= 0` becomes `y*2 + r >= 1`.
Expr Simplifier::compare(Expr e) {
    SplitSum difference;
    if (!subtract(difference, e->arg(0), e->arg(1))) return structural(e);
    const DType type = e->arg(0)->dtype;
    ExprKind kind = e->kind;
    do {
        bool value = false;
        if (comparisonHolds(kind, valuesOf(difference), value)) return makeBool(value);
        while (kind == ExprKind::Lt && m_divisions == Divisions::AsAnsor && dropFineTerms(difference)) {
        }
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
        if (!exactIn(Interval::point(difference.constant), type) || !exact(negative, type)) return structural(e);
        const Expr bound = makeInt(difference.constant, type);
        return makeBinary(mirroredComparison(kind), write(negative, type), bound);
    }
    negative.constant = -difference.constant;
    if (!exact(positive, type) || !exact(negative, type)) return structural(e); // neither side may wrap
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
        bindRange(var, isFloat(value->dtype) ? Interval{} : rangeOf(value));
        const Expr body = (*this)(e->arg(2));
        release(outer);
        return makeLet(var, value, body);
    }
    const bool branches =
        e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
    if (branches) {
        const Expr condition = (*this)(e->arg(0));
        if (condition->kind == ExprKind::IntImm) return (*this)(e->arg(condition->intValue != 0 ? 1 : 2));
        // Code computes both operands of a selection: what one loads must stay in bounds where the condition fails.
        const bool guards = e->kind != ExprKind::Select || m_divisions == Divisions::AsAnsor || !containsLoad(e);
        const size_t outer = mark();
        if (guards) assume(condition);
        const Expr yes = (*this)(e->arg(1));
        release(outer);
        if (guards && e->arg(2)->argCount > 0) assume(condition, false); // a constant learns nothing
        const Expr no = (*this)(e->arg(2));
        release(outer);
        const std::array<Expr, 3> operands = {condition, yes, no};
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
    if (isImm(e)) return e;
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
