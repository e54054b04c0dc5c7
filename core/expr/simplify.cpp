#include "expr/simplify.h"

#include "expr/walk.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace loopscope {

namespace {

bool sameBase(Expr a, Expr b) {
    if (a.is(b)) return true;
    return a->kind == b->kind && a->kind != ExprKind::Var && structurallyEqual(a, b);
}

/// Resolves what the base's range decides; true when the term became the constant added to `constant`.
bool settle(SplitTerm &term, int64_t &constant) {
    if (term.upper > 0 && term.range.min >= 0 && term.range.max < term.upper) term.upper = 0;
    if (term.upper > 0) return false;
    const int64_t low = floorDivInt(term.range.min, term.lower);
    if (low != floorDivInt(term.range.max, term.lower)) return false;
    constant += low * term.scale;
    return true;
}

/// The part of a sum that a division leaves whole and the part it has to divide.
struct Parts {
    SplitSum whole; // already divided
    SplitSum rest;
};

Parts separate(const SplitSum &sum, int64_t divisor) {
    Parts parts;
    for (SplitTerm term : sum.all()) {
        if (term.scale % divisor == 0) {
            term.scale /= divisor;
            parts.whole.add(term);
        } else {
            parts.rest.add(term);
        }
    }
    parts.whole.constant += floorDivInt(sum.constant, divisor);
    parts.rest.constant += floorModInt(sum.constant, divisor);
    return parts;
}

int64_t commonFactor(const SplitSum &sum, int64_t with) {
    for (const SplitTerm &term : sum.all()) with = std::gcd(with, term.scale);
    return with;
}

bool singleTerm(const SplitSum &sum) { return sum.count == 1 && sum.constant == 0 && sum.terms[0].scale == 1; }

SplitTerm opaque(const SplitSum &sum, DType type) {
    SplitTerm term;
    term.base = write(sum, type);
    term.range = sum.values();
    return term;
}

} // namespace

Interval SplitTerm::values() const {
    Interval r = range;
    if (upper > 0 && (r.min < 0 || r.max >= upper)) r = {0, upper - 1};
    if (lower > 1) r = {floorDivInt(r.min, lower), floorDivInt(r.max, lower)};
    return scale == 1 ? r : r * scale;
}

Interval SplitSum::values() const {
    Interval r = Interval::point(constant);
    for (const SplitTerm &term : all()) r = r + term.values();
    return r;
}

void SplitSum::add(SplitTerm term) {
    if (term.scale == 0 || settle(term, constant)) return;
    for (uint32_t i = 0; i < count; ++i) {
        SplitTerm &have = terms[i];
        if (!sameBase(have.base, term.base)) continue;
        const auto remove = [&] {
            std::copy(terms + i + 1, terms + count, terms + i);
            --count;
        };
        if (have.lower == term.lower && have.upper == term.upper) {
            have.scale += term.scale;
            if (have.scale == 0) remove();
            return;
        }
        // (x // c) * c + x % c = x, also below a common floormod and above a common floordiv.
        SplitTerm high = have;
        SplitTerm low = term;
        if (high.lower < low.lower) std::swap(high, low);
        if (low.upper == high.lower && low.upper % low.lower == 0 &&
            high.scale == low.scale * (low.upper / low.lower)) {
            low.upper = high.upper;
            remove();
            return add(low);
        }
    }
    if (count == capacity) {
        capacity = capacity == 0 ? 6 : 2 * capacity;
        auto *grown = ExprArena::current().allocateArray<SplitTerm>(capacity);
        std::copy(terms, terms + count, grown);
        terms = grown;
    }
    terms[count++] = term;
}

void SplitSum::add(const SplitSum &other, int64_t factor) {
    for (SplitTerm term : other.all()) {
        term.scale *= factor;
        add(term);
    }
    constant += other.constant * factor;
}

SplitSum floorDiv(const SplitSum &sum, int64_t divisor, DType type) {
    auto [whole, rest] = separate(sum, divisor);
    const Interval range = rest.values();
    if (floorDivInt(range.min, divisor) == floorDivInt(range.max, divisor)) {
        whole.constant += floorDivInt(range.min, divisor);
        return whole;
    }
    const int64_t g = commonFactor(rest, divisor);
    if (g > 1) { // (g*x + k) // (g*c) = (x + k//g) // c
        for (uint32_t i = 0; i < rest.count; ++i) rest.terms[i].scale /= g;
        rest.constant = floorDivInt(rest.constant, g);
        divisor /= g;
    }
    if (singleTerm(rest)) {
        SplitTerm term = rest.terms[0];
        if (term.upper == 0 || term.upper % (term.lower * divisor) == 0) {
            term.lower *= divisor;
            whole.add(term);
            return whole;
        }
    }
    SplitTerm term = opaque(rest, type);
    term.lower = divisor;
    whole.add(term);
    return whole;
}

SplitSum floorMod(const SplitSum &sum, int64_t divisor, DType type) {
    SplitSum rest = separate(sum, divisor).rest;
    const Interval range = rest.values();
    if (floorDivInt(range.min, divisor) == floorDivInt(range.max, divisor)) {
        rest.constant -= floorDivInt(range.min, divisor) * divisor;
        return rest;
    }
    const int64_t g = commonFactor(rest, divisor);
    SplitSum result;
    if (g > 1) { // (g*x + k) % (g*c) = g * ((x + k//g) % c) + k % g
        for (uint32_t i = 0; i < rest.count; ++i) rest.terms[i].scale /= g;
        result.constant = floorModInt(rest.constant, g);
        rest.constant = floorDivInt(rest.constant, g);
        divisor /= g;
    }
    SplitTerm term;
    if (singleTerm(rest) && (rest.terms[0].upper == 0 || rest.terms[0].upper % (rest.terms[0].lower * divisor) == 0)) {
        term = rest.terms[0];
        term.upper = term.lower * divisor;
    } else {
        term = opaque(rest, type);
        term.upper = divisor;
    }
    term.scale = g;
    result.add(term);
    return result;
}

namespace {

Expr writeTerm(const SplitTerm &term, int64_t scale, DType type) {
    Expr e = term.base->dtype == type ? term.base : castTo(type, term.base);
    if (term.upper > 0) e = makeBinary(ExprKind::FloorMod, e, makeInt(term.upper, type));
    if (term.lower > 1) e = makeBinary(ExprKind::FloorDiv, e, makeInt(term.lower, type));
    return scale == 1 ? e : makeBinary(ExprKind::Mul, e, makeInt(scale, type));
}

void sortTerms(SplitTerm *begin, uint32_t count) {
    const auto before = [](const SplitTerm &a, const SplitTerm &b) {
        if (a.scale != b.scale) return a.scale > b.scale;
        if (a.lower != b.lower) return a.lower > b.lower;
        return a.upper > b.upper;
    };
    for (uint32_t i = 1; i < count; ++i) { // stable, and the few terms are nearly in order
        const SplitTerm term = begin[i];
        uint32_t at = i;
        for (; at > 0 && before(term, begin[at - 1]); --at) begin[at] = begin[at - 1];
        begin[at] = term;
    }
}

} // namespace

Expr write(const SplitSum &sum, DType type) {
    sortTerms(sum.terms, sum.count);
    Expr e;
    const auto plus = [&](ExprKind kind, Expr term) {
        if (e)
            e = makeBinary(kind, e, term);
        else
            e = kind == ExprKind::Add ? term : makeBinary(kind, makeInt(0, type), term);
    };
    for (const SplitTerm &term : sum.all())
        if (term.scale > 0) plus(ExprKind::Add, writeTerm(term, term.scale, type));
    if (sum.constant > 0 || sum.count == 0) plus(ExprKind::Add, makeInt(sum.constant, type));
    for (const SplitTerm &term : sum.all())
        if (term.scale < 0) {
            // A sum of negative terms only: -1 * x rather than 0 - x.
            if (!e)
                e = writeTerm(term, term.scale, type);
            else
                plus(ExprKind::Sub, writeTerm(term, -term.scale, type));
        }
    if (sum.constant < 0 && sum.count > 0) plus(ExprKind::Sub, makeInt(-sum.constant, type));
    return e;
}

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

} // namespace

/// Constants on the right, terms with a positive factor on the left: `y*2 + r - 1 >= 0` becomes `y*2 + r >= 1`.
Expr Simplifier::compare(Expr e) {
    SplitSum difference;
    if (!accumulate(difference, e->arg(0), 1) || !accumulate(difference, e->arg(1), -1)) return structural(e);
    bool value = false;
    if (holds(e->kind, difference.values(), value)) return makeBool(value);
    const ExprKind kind = e->kind;
    const int64_t g = commonFactor(difference, 0);
    if (g > 1) { // g*x + k < 0 is x + floor(k/g) < 0 for integers, g*x + k <= 0 is x + ceil(k/g) <= 0
        if (difference.constant % g != 0 && (kind == ExprKind::Eq || kind == ExprKind::Ne))
            return makeBool(kind == ExprKind::Ne);
        for (uint32_t i = 0; i < difference.count; ++i) difference.terms[i].scale /= g;
        const bool up = kind == ExprKind::Le || kind == ExprKind::Gt;
        difference.constant = up ? -floorDivInt(-difference.constant, g) : floorDivInt(difference.constant, g);
    }
    SplitSum positive;
    SplitSum negative;
    for (SplitTerm term : difference.all()) {
        const bool left = term.scale > 0;
        if (!left) term.scale = -term.scale;
        (left ? positive : negative).add(term);
    }
    const DType type = e->arg(0)->dtype;
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
