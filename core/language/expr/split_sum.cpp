#include "language/expr/split_sum.h"

#include "language/expr/coarse_factor.h"
#include "language/expr/open_sum.h"

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
    constant = addWrapping(constant, mulWrapping(low, term.scale));
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

/// A divisor of the type.
bool divides(int64_t a, int64_t b, DType type) { return exactIn(Interval::point(mulSaturating(a, b)), type); }

/// A part of a sum that is exact in the type: whether the part is, too.
bool staysExact(const SplitSum &part, const SplitSum &sum, DType type) {
    return staysIn(part, type) || !staysIn(sum, type);
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
            have.scale = addWrapping(have.scale, term.scale);
            if (have.scale == 0) remove();
            return;
        }
        // (x // c) * c + x % c = x, also below a common floormod and above a common floordiv.
        SplitTerm high = have;
        SplitTerm low = term;
        if (high.lower < low.lower) std::swap(high, low);
        if (low.upper == high.lower && low.upper % low.lower == 0 &&
            high.scale == mulWrapping(low.scale, low.upper / low.lower)) {
            low.upper = high.upper;
            remove();
            return add(low);
        }
        // x - (x // c) * c = x % c, under the same conditions.
        if (low.upper == high.upper && high.lower % low.lower == 0 && high.lower > low.lower &&
            (low.upper == 0 || low.upper % high.lower == 0) &&
            high.scale == mulWrapping(low.scale, -(high.lower / low.lower))) {
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
        term.scale = mulWrapping(term.scale, factor);
        add(term);
    }
    constant = addWrapping(constant, mulWrapping(other.constant, factor));
}

namespace {

size_t addends(const SplitSum &sum) { return sum.count + (sum.constant != 0 ? 1 : 0); }

const SplitTerm *largestTerm(const SplitSum &sum) {
    const SplitTerm *largest = nullptr;
    for (const SplitTerm &term : sum.all())
        if (largest == nullptr || term.scale > largest->scale) largest = &term;
    return largest;
}

/// The step of the coarse part of a sum under Divisions::AsAnsor: the largest scale where it divides the divisor and
/// what it leaves stays below one step. Only sums of few addends are looked at, equal scales counting as one. 1 = none.
int64_t coarseStepAsAnsor(const SplitSum &sum, int64_t divisor, bool quotient) {
    const SplitTerm *largest = largestTerm(sum);
    if (largest == nullptr || largest->scale <= 1 || divisor % largest->scale != 0) return 1;
    const int64_t step = largest->scale;
    size_t coarse = 0;
    Interval rest = Interval::point(sum.constant);
    for (const SplitTerm &term : sum.all()) {
        if (term.scale == step || term.scale == -step)
            ++coarse;
        else
            rest = rest + term.values();
    }
    if (addends(sum) - coarse > (quotient ? 2 : 1) || (!quotient && coarse > 1)) return 1;
    if (quotient && coarse == sum.count && sum.constant % step == 0) return step;
    return sum.constant >= 0 && rest.min >= 0 && rest.max < step ? step : 1;
}

int64_t coarseStep(const SplitSum &sum, int64_t divisor, Divisions divisions, bool quotient) {
    return divisions == Divisions::Full ? coarseFactor(sum, divisor) : coarseStepAsAnsor(sum, divisor, quotient);
}

/// x*c + y with c beyond the divisor d, where x*(c mod d) + y stays within one multiple of d: x*(c div d) + that
/// multiple. False when it does not.
bool dropResidue(const SplitSum &rest, int64_t divisor, SplitSum &whole) {
    if (addends(rest) > 2) return false;
    const SplitTerm *largest = largestTerm(rest);
    if (largest == nullptr || largest->scale <= divisor) return false;
    SplitTerm term = *largest;
    term.scale %= divisor;
    Interval other = Interval::point(rest.constant);
    for (const SplitTerm &one : rest.all())
        if (&one != largest) other = other + one.values();
    const Interval residue = term.values() + other;
    if (other.min < 0 || other.max >= divisor) return false;
    if (floorDivInt(residue.min, divisor) != floorDivInt(residue.max, divisor)) return false;
    term.scale = largest->scale / divisor;
    whole.add(term);
    whole.constant += floorDivInt(residue.min, divisor);
    return true;
}

/// In sums of at most two addends, scales beyond the divisor are taken modulo it.
void reduceScales(SplitSum &sum, int64_t divisor) {
    if (addends(sum) > 2) return;
    for (uint32_t i = 0; i < sum.count; ++i) {
        int64_t &scale = sum.terms[i].scale;
        if (scale >= divisor) scale %= divisor;
    }
}

} // namespace

SplitSum floorDiv(const SplitSum &sum, int64_t divisor, DType type, Divisions divisions, Interval known) {
    const Interval all = intersect(sum.values(), known);
    if (!all.empty() && floorDivInt(all.min, divisor) == floorDivInt(all.max, divisor)) {
        SplitSum constant;
        constant.constant = floorDivInt(all.min, divisor);
        return constant;
    }
    auto [whole, rest] = separate(sum, divisor);
    const auto undivided = [&] {
        SplitTerm term = opaque(sum, type);
        term.lower = divisor;
        SplitSum quotient;
        quotient.add(term);
        return quotient;
    };
    if (divisions == Divisions::AsAnsor && sum.constant % divisor != 0) { // the constant is left as it is
        whole.constant -= floorDivInt(sum.constant, divisor);
        rest.constant = sum.constant;
    }
    const Interval range = rest.values();
    if (floorDivInt(range.min, divisor) == floorDivInt(range.max, divisor)) {
        whole.constant += floorDivInt(range.min, divisor);
        return whole;
    }
    if (!staysExact(rest, sum, type)) return undivided();
    if (divisions == Divisions::AsAnsor && dropResidue(rest, divisor, whole)) return whole;
    if (const int64_t g = coarseStep(rest, divisor, divisions, true); g > 1) {
        rest = separate(rest, g).whole;
        divisor /= g;
    }
    if (divisions == Divisions::AsAnsor && rest.count == 1 && rest.constant != 0 && rest.terms[0].scale == 1 &&
        rest.terms[0].lower > 1 &&
        divides(rest.terms[0].lower, divisor, type)) { // floordiv(floordiv(x, l) + k, d) is floordiv(x + k*l, l*d)
        SplitTerm term = rest.terms[0];
        const int64_t lower = term.lower;
        SplitSum below;
        if (term.whole != nullptr && term.upper == 0) {
            below.add(*term.whole);
        } else {
            term.lower = 1;
            below.add(term);
        }
        const bool before = staysIn(below, type);
        below.constant += rest.constant * lower;
        if (staysIn(below, type) || !before) {
            whole.add(floorDiv(below, lower * divisor, type, divisions));
            return whole;
        }
    }
    if (singleTerm(rest) && divides(rest.terms[0].lower, divisor, type)) {
        SplitTerm term = rest.terms[0];
        if (divisions == Divisions::AsAnsor && term.whole != nullptr && term.upper == 0 &&
            term.lower > 1) { // the sum below may come apart now
            whole.add(floorDiv(*term.whole, term.lower * divisor, type, divisions));
            return whole;
        }
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

SplitSum floorMod(const SplitSum &sum, int64_t divisor, DType type, Divisions divisions, Interval known) {
    const Interval all = intersect(sum.values(), known);
    if (!all.empty() && floorDivInt(all.min, divisor) == floorDivInt(all.max, divisor)) {
        SplitSum shifted;
        shifted.add(sum);
        shifted.constant -= floorDivInt(all.min, divisor) * divisor;
        return shifted;
    }
    SplitSum rest = separate(sum, divisor).rest;
    if (divisions == Divisions::AsAnsor) reduceScales(rest, divisor);
    const Interval range = rest.values();
    if (floorDivInt(range.min, divisor) == floorDivInt(range.max, divisor)) {
        rest.constant -= floorDivInt(range.min, divisor) * divisor;
        return rest;
    }
    if (!staysExact(rest, sum, type)) {
        SplitTerm term = opaque(sum, type);
        term.upper = divisor;
        SplitSum remainder;
        remainder.add(term);
        return remainder;
    }
    const int64_t g = coarseStep(rest, divisor, divisions, false);
    SplitSum result;
    if (g > 1) {
        const Parts parts = separate(rest, g);
        result = parts.rest;
        rest = parts.whole;
        divisor /= g;
    }
    SplitTerm term;
    if (singleTerm(rest) && divides(rest.terms[0].lower, divisor, type) &&
        (rest.terms[0].upper == 0 || rest.terms[0].upper % (rest.terms[0].lower * divisor) == 0)) {
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
    // Digits are those of the base, which a narrower type may not hold.
    const DType own = term.base->dtype == type || term.range.inside(Interval::ofType(type)) ? type : term.base->dtype;
    Expr e = castTo(own, term.base);
    if (term.upper > 0) e = makeBinary(ExprKind::FloorMod, e, makeInt(term.upper, own));
    if (term.lower > 1) e = makeBinary(ExprKind::FloorDiv, e, makeInt(term.lower, own));
    e = castTo(type, e);
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
                plus(ExprKind::Sub, writeTerm(term, mulWrapping(term.scale, -1), type));
        }
    if (sum.constant < 0 && sum.count > 0) plus(ExprKind::Sub, makeInt(mulWrapping(sum.constant, -1), type));
    return e;
}

} // namespace loopscope
