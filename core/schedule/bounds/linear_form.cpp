#include "schedule/bounds/linear_form.h"

#include "language/expr/coarse_factor.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

void FormPool::reset(size_t variables) {
    m_terms.clear();
    m_wholes.clear();
    m_extents.assign(variables, 1);
}

Form FormPool::variable(int variable) {
    if (m_extents[static_cast<size_t>(variable)] == 1) return constant(0);
    const uint32_t begin = open();
    m_terms.push_back({variable, 1, 0, 1});
    return close(begin, 0);
}

void FormPool::append(uint32_t begin, Term t) {
    if (t.coefficient == 0) return;
    for (size_t i = begin; i < m_terms.size(); ++i) {
        Term &other = m_terms[i];
        if (other.base != t.base) continue;
        if (other.sameAtom(t)) {
            other.coefficient += t.coefficient;
            if (other.coefficient == 0) m_terms.erase(m_terms.begin() + static_cast<ptrdiff_t>(i));
            return;
        }
        // floor(v mod U / L)*(L/K)*c + floor(v mod L / K)*c = floor(v mod U / K)*c where K divides L divides U
        const auto joins = [](const Term &high, const Term &low) {
            return low.upper == high.lower && low.upper % low.lower == 0 && high.upper % high.lower == 0 &&
                   high.coefficient == low.coefficient * (low.upper / low.lower);
        };
        const bool below = joins(other, t);
        if (!below && !joins(t, other)) continue;
        const Term &high = below ? other : t;
        const Term &low = below ? t : other;
        const Term joined{t.base, low.lower, high.upper, low.coefficient};
        m_terms.erase(m_terms.begin() + static_cast<ptrdiff_t>(i));
        append(begin, joined);
        return;
    }
    m_terms.push_back(t);
}

Form FormPool::addScaled(Form a, Form b, int64_t factor) {
    const int64_t constant = a.constant + b.constant * factor;
    if (b.count == 0 || factor == 0) return {constant, a.begin, a.count};
    const uint32_t begin = open();
    m_terms.reserve(m_terms.size() + a.count + b.count); // the sources lie in the same vector
    for (uint32_t i = 0; i < a.count; ++i) m_terms.push_back(m_terms[a.begin + i]);
    for (uint32_t i = 0; i < b.count; ++i) {
        Term t = m_terms[b.begin + i];
        t.coefficient *= factor;
        append(begin, t);
    }
    return close(begin, constant);
}

Form FormPool::scale(Form a, int64_t factor) {
    if (factor == 1) return a;
    return addScaled(constant(0), a, factor);
}

FormRange FormPool::atomRange(const Term &t) const {
    FormRange base;
    if (t.base >= 0)
        base = {0, m_extents[static_cast<size_t>(t.base)] - 1};
    else
        base = range(m_wholes[static_cast<size_t>(~t.base)]);
    if (t.upper > 0) {
        const int64_t bucket = floorDivInt(base.min, t.upper);
        if (bucket == floorDivInt(base.max, t.upper))
            base = {base.min - bucket * t.upper, base.max - bucket * t.upper};
        else
            base = {0, t.upper - 1};
    }
    return {floorDivInt(base.min, t.lower), floorDivInt(base.max, t.lower)};
}

FormRange FormPool::range(Form a) const {
    FormRange result{a.constant, a.constant};
    for (const Term &t : terms(a)) {
        const FormRange atom = atomRange(t);
        const int64_t low = atom.min * t.coefficient;
        const int64_t high = atom.max * t.coefficient;
        result.min += t.coefficient > 0 ? low : high;
        result.max += t.coefficient > 0 ? high : low;
    }
    return result;
}

bool FormPool::mentions(Form a, const std::vector<char> &relaxed) const {
    for (const Term &t : terms(a)) {
        if (t.base >= 0 ? relaxed[static_cast<size_t>(t.base)] != 0
                        : mentions(m_wholes[static_cast<size_t>(~t.base)], relaxed))
            return true;
    }
    return false;
}

Form FormPool::bound(Form a, const std::vector<char> &relaxed, bool upper) {
    if (!mentions(a, relaxed)) return a;
    int64_t constant = a.constant;
    const uint32_t begin = open();
    m_terms.reserve(m_terms.size() + a.count);
    for (uint32_t i = 0; i < a.count; ++i) {
        const Term t = m_terms[a.begin + i];
        const bool varies = t.base >= 0 ? relaxed[static_cast<size_t>(t.base)] != 0
                                        : mentions(m_wholes[static_cast<size_t>(~t.base)], relaxed);
        if (!varies) {
            m_terms.push_back(t);
            continue;
        }
        const FormRange atom = atomRange(t);
        constant += t.coefficient * ((t.coefficient > 0) == upper ? atom.max : atom.min);
    }
    return close(begin, constant);
}

FormPool::Division FormPool::divideExactly(Form a, int64_t divisor) {
    Division result;
    m_terms.reserve(m_terms.size() + size_t{2} * a.count);
    const uint32_t first = open();
    for (uint32_t i = 0; i < a.count; ++i) {
        Term t = m_terms[a.begin + i];
        if (t.coefficient % divisor != 0) continue;
        t.coefficient /= divisor;
        m_terms.push_back(t);
    }
    result.quotient = close(first, floorDivInt(a.constant, divisor));
    const uint32_t second = open();
    for (uint32_t i = 0; i < a.count; ++i) {
        const Term t = m_terms[a.begin + i];
        if (t.coefficient % divisor != 0) m_terms.push_back(t);
    }
    result.remainder = close(second, floorModInt(a.constant, divisor));
    return result;
}

int64_t FormPool::coarseFactor(Form a, int64_t divisor) const {
    return loopscope::coarseFactor(
        terms(a), a.constant, divisor, [](const Term &t) { return t.coefficient; },
        [this](const Term &t) {
            const FormRange atom = atomRange(t);
            return Interval{atom.min, atom.max};
        });
}

Form FormPool::baseOf(const Term &t) { return t.base >= 0 ? variable(t.base) : m_wholes[static_cast<size_t>(~t.base)]; }

FormRange FormPool::remainderRange(Form a, int64_t divisor) const {
    int64_t step = divisor; // the form moves in steps of it
    for (const Term &t : terms(a)) step = std::gcd(step, t.coefficient);
    const int64_t first = floorModInt(a.constant, step);
    return {first, divisor - step + first};
}

FormRange FormPool::tightRange(Form a) {
    FormRange result = range(a);
    // Terms move to the pool's end and back as bases are subtracted: always by index.
    const auto term = [&](uint32_t i) { return m_terms[a.begin + i]; };
    const auto quotient = [](const Term &t) { return t.lower > 1 && t.upper == 0; };
    uint64_t paired = 0; // bit i: term i has found its counterpart
    for (uint32_t i = 0; i < a.count && i < 64; ++i) {
        if (!quotient(term(i)) || (paired >> i & 1) != 0) continue;
        for (uint32_t j = i + 1; j < a.count && j < 64; ++j) {
            const Term x = term(i);
            const Term y = term(j);
            if (!quotient(y) || y.lower != x.lower || y.coefficient != -x.coefficient || (paired >> j & 1) != 0)
                continue;
            // floor((b + d)/c) - floor(b/c) = floor((b mod c + d)/c), and the same seen from b + d.
            const int64_t c = x.lower;
            const Form above = baseOf(x);
            const Form below = baseOf(y);
            const FormRange d = tightRange(subtract(above, below));
            const FormRange low = remainderRange(below, c);
            const FormRange high = remainderRange(above, c);
            const FormRange joint{
                std::max(floorDivInt(low.min + d.min, c), -floorDivInt(high.max - d.min, c)),
                std::min(floorDivInt(low.max + d.max, c), -floorDivInt(high.min - d.max, c)),
            };
            const FormRange ofX = atomRange(x);
            const FormRange ofY = atomRange(y);
            const FormRange apart{ofX.min - ofY.max, ofX.max - ofY.min};
            const int64_t k = x.coefficient;
            if (joint.min > apart.min || joint.max < apart.max) {
                const FormRange kept{std::max(joint.min, apart.min), std::min(joint.max, apart.max)};
                result.min += k > 0 ? k * (kept.min - apart.min) : k * (kept.max - apart.max);
                result.max += k > 0 ? k * (kept.max - apart.max) : k * (kept.min - apart.min);
            }
            paired |= uint64_t{1} << i | uint64_t{1} << j;
            break;
        }
    }
    return result;
}

int32_t FormPool::whole(Form a) {
    for (size_t i = 0; i < m_wholes.size(); ++i) {
        const Form known = m_wholes[i];
        if (known.constant != a.constant || known.count != a.count) continue;
        bool same = true;
        for (uint32_t t = 0; t < a.count && same; ++t) {
            const Term &x = m_terms[known.begin + t];
            const Term &y = m_terms[a.begin + t];
            same = x.sameAtom(y) && x.coefficient == y.coefficient;
        }
        if (same) return ~static_cast<int32_t>(i);
    }
    m_wholes.push_back(a);
    return ~static_cast<int32_t>(m_wholes.size() - 1);
}

Form FormPool::floorDiv(Form a, int64_t divisor) {
    if (divisor == 1) return a;
    const Division division = divideExactly(a, divisor);
    Form rest = division.remainder;
    if (rest.isConstant()) return division.quotient;
    const FormRange range = this->range(rest);
    if (rest.count > 1 && range.min >= 0 && range.max < divisor) return division.quotient;
    if (const int64_t g = coarseFactor(rest, divisor); g > 1) {
        rest = divideExactly(rest, g).quotient; // the rest of it stays below g
        divisor /= g;
    }
    if (divisor == 1) return add(division.quotient, rest);
    Term t;
    if (rest.count == 1 && rest.constant == 0 && m_terms[rest.begin].coefficient == 1) {
        t = m_terms[rest.begin];
        t.lower *= divisor;
        if (t.upper > 0 && t.lower >= t.upper) return division.quotient;
    } else {
        t.base = whole(rest);
        t.lower = divisor;
    }
    const uint32_t begin = open();
    m_terms.push_back(t);
    return add(division.quotient, close(begin, 0));
}

Form FormPool::floorMod(Form a, int64_t divisor) {
    if (divisor == 1) return constant(0);
    const Form rest = divideExactly(a, divisor).remainder;
    if (rest.isConstant()) return rest;
    const FormRange range = this->range(rest);
    if (rest.count > 1 && range.min >= 0 && range.max < divisor) return rest;
    const int64_t g = coarseFactor(rest, divisor);
    if (g > 1 && g < divisor) {
        // rest = g*A + B with 0 <= B < g, so rest mod d = g*(A mod d/g) + B
        const Form coarse = divideExactly(rest, g).quotient;
        const Form fine = subtract(rest, scale(coarse, g));
        return add(scale(floorMod(coarse, divisor / g), g), fine);
    }
    Term t;
    t.base = INT32_MIN;
    if (rest.count == 1 && rest.constant == 0 && m_terms[rest.begin].coefficient == 1) {
        const Term &atom = m_terms[rest.begin];
        const int64_t upper = atom.lower * divisor;
        if (atom.upper > 0 && upper >= atom.upper) return rest;
        if (atom.upper == 0 || atom.upper % upper == 0) t = {atom.base, atom.lower, upper, 1};
    }
    if (t.base == INT32_MIN) t = {whole(rest), 1, divisor, 1};
    const uint32_t begin = open();
    m_terms.push_back(t);
    return close(begin, 0);
}

Expr FormPool::atomExpr(const Term &t, std::span<const Expr> variables) const {
    Expr e = t.base >= 0 ? variables[static_cast<size_t>(t.base)]
                         : toExpr(m_wholes[static_cast<size_t>(~t.base)], variables);
    if (t.upper > 0) e = loopscope::floorMod(e, t.upper);
    return loopscope::floorDiv(e, t.lower);
}

Expr FormPool::toExpr(Form a, std::span<const Expr> variables) const {
    Expr sum;
    for (const Term &t : terms(a)) {
        const Expr part = atomExpr(t, variables) * t.coefficient;
        sum = sum ? sum + part : part;
    }
    if (a.constant == 0) return sum;
    return sum ? sum + a.constant : makeInt(a.constant);
}

} // namespace loopscope
