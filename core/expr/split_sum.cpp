#include "expr/split_sum.h"

#include "expr/coarse_factor.h"

#include <algorithm>

namespace loopscope {

namespace {

bool sameBase(Expr a, Expr b) {
    if (a.is(b)) return true;
    return a->kind == b->kind && a->kind != ExprKind::Var && structurallyEqual(a, b);
}

/// Resolves what the base's range decides; true when the term became the constant added to `constant`.
bool settle(SplitTerm &term, int64_t &constant) {
    if (term.upper > 0 && term.range.min >= 0 && term.range.max < term.upper) term.upper = 0;
    if (term.upper > 0) return term.upper <= term.lower; // floordiv(floormod(x, 16), 16) is 0
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

bool singleTerm(const SplitSum &sum) { return sum.count == 1 && sum.constant == 0 && sum.terms[0].scale == 1; }

int64_t coarseFactor(const SplitSum &sum, int64_t divisor) {
    return loopscope::coarseFactor(
        sum.all(), sum.constant, divisor, [](const SplitTerm &term) { return term.scale; },
        [](const SplitTerm &term) { return term.unscaledValues(); });
}

SplitTerm opaque(const SplitSum &sum, DType type) {
    SplitTerm term;
    term.base = write(sum, type);
    term.range = sum.values();
    auto *whole = ExprArena::current().allocateArray<SplitSum>(1);
    *whole = sum;
    term.whole = whole;
    return term;
}

} // namespace

Interval SplitTerm::unscaledValues() const {
    Interval r = range;
    if (upper > 0 && (r.min < 0 || r.max >= upper)) r = {0, upper - 1};
    if (lower > 1) r = {floorDivInt(r.min, lower), floorDivInt(r.max, lower)};
    return r;
}

Interval SplitTerm::values() const { return scale == 1 ? unscaledValues() : unscaledValues() * scale; }

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
        // x - (x // c) * c = x % c, under the same conditions.
        if (low.upper == high.upper && high.lower % low.lower == 0 && high.lower > low.lower &&
            (low.upper == 0 || low.upper % high.lower == 0) && high.scale == -low.scale * (high.lower / low.lower)) {
            low.upper = high.lower;
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
    if (const int64_t g = coarseFactor(rest, divisor); g > 1) {
        rest = separate(rest, g).whole;
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
    const int64_t g = coarseFactor(rest, divisor);
    SplitSum result;
    if (g > 1) {
        const Parts parts = separate(rest, g);
        result = parts.rest;
        rest = parts.whole;
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

} // namespace loopscope
