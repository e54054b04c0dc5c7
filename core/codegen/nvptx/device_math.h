#pragma once
// Functions that PTX has no instruction for, or none that is accurate enough, written in additions, multiplications and
// bits. Written once, for whatever computes: a machine of float or double on this processor, with which the tests
// measure their errors, and one that emits LLVM IR (device_math_calls.cpp). Series are those of Taylor on intervals
// made short by exact identities; the one fit says so. No branches: both sides of a choice are computed.
//
// Errors, in units of the last place, as device_math_test holds them to: exp, exp2, exp10, log, log2, log10, tanh, erf,
// atan 3; pow of float32 1; fmod of float32 is exact (erf, pow and fmod of float64: device_math_double.h); sin, cos and
// tan within 4 in absolute terms up to |x| = 2^30, beyond which arguments are not reduced any more.
//
// A machine M has: Real, Integer (as wide), Truth; the operators of these; constant, whole, fma, pick, bitsOf, realOf;
// kMantissaBits and kExponentBias; wide() (a machine of float64), widen and narrow.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace loopscope::device_math {

template <class M> constexpr bool kIsDouble = M::kMantissaBits == 52;

/// Terms of a series: enough for the type on the interval it is used on.
template <class M> constexpr int terms(int ofFloat, int ofDouble) { return kIsDouble<M> ? ofDouble : ofFloat; }

template <class M> typename M::Real magnitude(M &m, typename M::Real x) {
    const auto lowBits =
        m.whole(kIsDouble<M> ? std::numeric_limits<int64_t>::max() : int64_t{std::numeric_limits<int32_t>::max()});
    return m.realOf(m.bitsOf(x) & lowBits);
}

template <class M> typename M::Real withSignOf(M &m, typename M::Real magnitudeOf, typename M::Real sign) {
    const auto signBit =
        m.whole(kIsDouble<M> ? std::numeric_limits<int64_t>::min() : int64_t{std::numeric_limits<int32_t>::min()});
    return m.realOf(m.bitsOf(magnitudeOf) | (m.bitsOf(sign) & signBit));
}

/// The nearest whole number of a value well inside the range of the mantissa, as a value and as an integer: what is
/// left in the mantissa when a number so large is added that it has no bits for fractions.
template <class M> struct Nearest {
    typename M::Real value;
    typename M::Integer number;
};
template <class M> constexpr double kNoFractions = kIsDouble<M> ? 0x1.8p52 : 0x1.8p23;
template <class M> Nearest<M> nearestOf(M &m, typename M::Real shifted) {
    const auto large = m.constant(kNoFractions<M>);
    return {shifted - large, m.bitsOf(shifted) - m.bitsOf(large)};
}

/// 2^n, n a normal exponent.
template <class M> typename M::Real powerOfTwo(M &m, typename M::Integer n) {
    return m.realOf((n + m.whole(M::kExponentBias)) << M::kMantissaBits);
}

/// x * 2^n, with results below the normal numbers and beyond the largest.
template <class M> typename M::Real scaled(M &m, typename M::Real x, typename M::Integer n) {
    const auto half = n >> 1;
    return x * powerOfTwo(m, half) * powerOfTwo(m, n - half);
}

/// e^f - 1, |f| <= `widest`, as f + f^2 (1/2! + f/3! + ...).
template <class M> typename M::Real expSeries(M &m, typename M::Real f, int count) {
    double factorial = 1;
    std::array<double, 24> inverse{};
    for (int k = 1; k <= count; ++k) {
        factorial *= k;
        inverse[static_cast<size_t>(k)] = 1 / factorial;
    }
    auto sum = m.constant(inverse[static_cast<size_t>(count)]);
    for (int k = count - 1; k >= 2; --k) sum = m.fma(sum, f, m.constant(inverse[static_cast<size_t>(k)]));
    return m.fma(f * f, sum, f);
}

template <class M> typename M::Real clamped(M &m, typename M::Real x, double low, double high) {
    x = m.pick(x < m.constant(low), m.constant(low), x);
    return m.pick(m.constant(high) < x, m.constant(high), x); // what is no number stays so
}

template <class M> constexpr double kLn2High = kIsDouble<M> ? 0x1.62e42fefa39efp-1 : 0x1.62e43p-1;
template <class M> constexpr double kLn2Low = kIsDouble<M> ? 0x1.abc9e3b39803fp-56 : -0x1.05c61p-29;

/// e^x = 2^n e^f.
template <class M> typename M::Real exp(M &m, typename M::Real x) {
    x = clamped(m, x, kIsDouble<M> ? -746 : -104, kIsDouble<M> ? 710 : 89);
    const auto shifted = m.fma(x, m.constant(std::numbers::log2e), m.constant(kNoFractions<M>));
    const Nearest<M> n = nearestOf(m, shifted);
    auto f = m.fma(n.value, m.constant(-kLn2High<M>), x);
    f = m.fma(n.value, m.constant(-kLn2Low<M>), f);
    return scaled(m, expSeries(m, f, terms<M>(8, 13)) + m.constant(1), n.number);
}

template <class M> typename M::Real exp2(M &m, typename M::Real x) {
    x = clamped(m, x, kIsDouble<M> ? -1076 : -151, kIsDouble<M> ? 1025 : 129);
    const Nearest<M> n = nearestOf(m, x + m.constant(kNoFractions<M>));
    const auto f = (x - n.value) * m.constant(std::numbers::ln2);
    return scaled(m, expSeries(m, f, terms<M>(8, 13)) + m.constant(1), n.number);
}

template <class M> typename M::Real exp10(M &m, typename M::Real x) {
    constexpr double lg2High = kIsDouble<M> ? 0x1.34413509f79ffp-2 : 0x1.344136p-2;
    constexpr double lg2Low = kIsDouble<M> ? -0x1.9dc1da994fd21p-59 : -0x1.ec10cp-27;
    x = clamped(m, x, kIsDouble<M> ? -324.5 : -46, kIsDouble<M> ? 309 : 39);
    const auto shifted = m.fma(x, m.constant(std::numbers::ln10 / std::numbers::ln2), m.constant(kNoFractions<M>));
    const Nearest<M> n = nearestOf(m, shifted);
    auto f = m.fma(n.value, m.constant(-lg2High), x);
    f = m.fma(n.value, m.constant(-lg2Low), f) * m.constant(std::numbers::ln10);
    return scaled(m, expSeries(m, f, terms<M>(8, 13)) + m.constant(1), n.number);
}

/// x = m 2^e with sqrt(1/2) <= m < sqrt(2), x a positive number.
template <class M> struct Mantissa {
    typename M::Real m;
    typename M::Real e;
};
template <class M> Mantissa<M> mantissaOf(M &m, typename M::Real x) {
    const auto smallest = m.constant(kIsDouble<M> ? 0x1p-1022 : 0x1p-126);
    const auto tiny = x < smallest;
    x = m.pick(tiny, x * m.constant(kIsDouble<M> ? 0x1p52 : 0x1p23), x);
    const auto bits = m.bitsOf(x);
    const auto e = (bits - m.bitsOf(m.constant(std::numbers::sqrt2 / 2))) >> M::kMantissaBits;
    // A whole number as a value, by the way of nearestOf back.
    const auto large = m.constant(kNoFractions<M>);
    const auto value = m.realOf(m.bitsOf(large) + e) - large;
    return {m.realOf(bits - (e << M::kMantissaBits)), m.pick(tiny, value - m.constant(M::kMantissaBits), value)};
}

/// The logarithm's values where it is none of a positive, finite number.
template <class M> typename M::Real edgesOfLog(M &m, typename M::Real x, typename M::Real value) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto zero = m.constant(0);
    value = m.pick(x < m.constant(infinity), value, x); // infinity, and what is no number
    value = m.pick(x < zero, m.constant(std::numeric_limits<double>::quiet_NaN()), value);
    return m.pick(x == zero, m.constant(-infinity), value);
}

/// log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)), s = f/(2+f): the series of 2 atanh(s) with its first terms taken out.
template <class M> typename M::Real logSeries(M &m, typename M::Real f, typename M::Real addend) {
    const auto s = f / (f + m.constant(2));
    const auto z = s * s;
    const int count = terms<M>(5, 11);
    auto r = m.constant(2.0 / (2 * count + 1));
    for (int k = count - 1; k >= 1; --k) r = m.fma(r, z, m.constant(2.0 / (2 * k + 1)));
    r = r * z;
    const auto half = m.constant(0.5) * f * f;
    return f - (half - m.fma(s, half + r, addend));
}

template <class M> typename M::Real log(M &m, typename M::Real x) {
    const Mantissa<M> parts = mantissaOf(m, x);
    const auto low = parts.e * m.constant(kLn2Low<M>);
    const auto value = m.fma(parts.e, m.constant(kLn2High<M>), logSeries(m, parts.m - m.constant(1), low));
    return edgesOfLog(m, x, value);
}

template <class M> typename M::Real log2(M &m, typename M::Real x) {
    const Mantissa<M> parts = mantissaOf(m, x);
    const auto inside = logSeries(m, parts.m - m.constant(1), m.constant(0));
    return edgesOfLog(m, x, m.fma(inside, m.constant(std::numbers::log2e), parts.e));
}

template <class M> typename M::Real log10(M &m, typename M::Real x) {
    return log(m, x) * m.constant(std::numbers::log10e);
}

/// Small: (e^2x - 1) / (e^2x + 1), the upper one by its series. Else 1 - 2 / (e^2x + 1).
template <class M> typename M::Real tanh(M &m, typename M::Real x) {
    const auto size = magnitude(m, x);
    const auto small = size < m.constant(0.6);
    const auto twice = size + size;
    const auto inside = expSeries(m, m.pick(small, twice, m.constant(0)), terms<M>(13, 21));
    const auto outside = m.constant(1) - m.constant(2) / (exp(m, twice) + m.constant(1));
    return withSignOf(m, m.pick(small, inside / (inside + m.constant(2)), outside), x);
}

/// float32 alone. Up to 0.8 the series, from there 1 - e^q with q a fit of log(erfc) on [0.8, 4].
template <class M> typename M::Real erf(M &m, typename M::Real x) {
    const auto size = magnitude(m, x);
    const auto one = m.constant(1);
    const auto z = x * x;
    constexpr int count = 12;
    std::array<double, count> series{};
    double factorial = 1;
    for (int n = 0; n < count; ++n) {
        if (n > 0) factorial *= -n;
        series[static_cast<size_t>(n)] = 2 * std::numbers::inv_sqrtpi / (factorial * (2 * n + 1));
    }
    auto sum = m.constant(series[count - 1]);
    for (int n = count - 2; n >= 1; --n) sum = m.fma(sum, z, m.constant(series[static_cast<size_t>(n)]));
    const auto inside = m.fma(sum * z, size, m.constant(series[0]) * size);
    // Chebyshev's fit, off by 7e-9 in erfc.
    constexpr std::array<double, 10> fit = {-3.96432529455e-9, 1.66841745583e-6, -4.57564269301e-5, 0.000591520635952,
                                            -0.00472785191379, 0.0263177750228,  -0.109880892618,   -0.632052342307,
                                            -1.13009384513,    0.000284226361153};
    const auto t = m.pick(size < m.constant(4), size, m.constant(4));
    auto q = m.constant(fit[0]);
    for (size_t k = 1; k < fit.size(); ++k) q = m.fma(q, t, m.constant(fit[k]));
    auto outside = one - exp(m, q);
    outside = m.pick(size < m.constant(4), outside, one);
    outside = m.pick(x == x, outside, x);
    return withSignOf(m, m.pick(size < m.constant(0.8), inside, outside), x);
}

/// x = r + n pi/2, |r| <= pi/4; in float64 whichever the type, with pi/2 in three pieces.
template <class M> struct Turned {
    typename M::Real r;
    typename M::Integer n;
};
template <class M> Turned<M> turned(M &m, typename M::Real x) {
    auto wide = m.wide();
    using W = decltype(wide);
    const auto far = m.widen(x);
    const auto shifted = wide.fma(far, wide.constant(2 / std::numbers::pi), wide.constant(kNoFractions<W>));
    const Nearest<W> n = nearestOf(wide, shifted);
    auto r = wide.fma(n.value, wide.constant(-0x1.921fb54442d18p+0), far);
    r = wide.fma(n.value, wide.constant(-0x1.1a62633145c07p-54), r);
    r = wide.fma(n.value, wide.constant(0x1.f1976b7ed8fbcp-110), r);
    return {m.narrow(r), m.narrowInteger(n.number)};
}

template <class M> typename M::Real alternating(M &m, typename M::Real z, int first, int count) {
    std::array<double, 24> inverse{}; // +-1 / (first + 2k)!
    double factorial = 1;
    for (int k = 2; k <= first; ++k) factorial *= k;
    for (int k = 0; k < count; ++k) {
        if (k > 0) factorial *= -(first + 2 * k - 1) * (first + 2 * k);
        inverse[static_cast<size_t>(k)] = 1 / factorial;
    }
    auto sum = m.constant(inverse[static_cast<size_t>(count) - 1]);
    for (int k = count - 2; k >= 0; --k) sum = m.fma(sum, z, m.constant(inverse[static_cast<size_t>(k)]));
    return sum;
}

template <class M> typename M::Real sinInside(M &m, typename M::Real r) {
    const auto z = r * r;
    return m.fma(r * z, m.constant(-1) * alternating(m, z, 3, terms<M>(5, 8)), r);
}

template <class M> typename M::Real cosInside(M &m, typename M::Real r) {
    const auto z = r * r;
    return m.fma(m.constant(-1) * z, alternating(m, z, 2, terms<M>(6, 9)), m.constant(1));
}

/// sin(r + n pi/2).
template <class M> typename M::Real sinTurned(M &m, typename M::Real r, typename M::Integer n) {
    const auto odd = (n & m.whole(1)) == m.whole(1);
    const auto value = m.pick(odd, cosInside(m, r), sinInside(m, r));
    const auto below = (n & m.whole(2)) == m.whole(2);
    return m.pick(below, m.constant(-1) * value, value);
}

template <class M> typename M::Real sin(M &m, typename M::Real x) {
    const Turned<M> t = turned(m, x);
    return sinTurned(m, t.r, t.n);
}

template <class M> typename M::Real cos(M &m, typename M::Real x) {
    const Turned<M> t = turned(m, x);
    return sinTurned(m, t.r, t.n + m.whole(1));
}

template <class M> typename M::Real tan(M &m, typename M::Real x) {
    const Turned<M> t = turned(m, x);
    const auto s = sinInside(m, t.r);
    const auto c = cosInside(m, t.r);
    const auto odd = (t.n & m.whole(1)) == m.whole(1);
    return m.pick(odd, m.constant(-1) * c, s) / m.pick(odd, s, c);
}

/// Turned by nothing, an eighth or a quarter of a circle, to |r| <= tan(pi/8).
template <class M> typename M::Real atan(M &m, typename M::Real x) {
    const auto size = magnitude(m, x);
    const auto one = m.constant(1);
    const auto zero = m.constant(0);
    const auto beyond = m.constant(2.414213562373095) < size;
    const auto middle = m.constant(0.4142135623730951) < size;
    const auto above = m.pick(beyond, m.constant(-1), m.pick(middle, size - one, size));
    const auto below = m.pick(beyond, size, m.pick(middle, size + one, one));
    const auto r = above / below;
    const auto z = r * r;
    const int count = terms<M>(11, 22);
    auto sum = m.constant((count % 2 == 0 ? 1.0 : -1.0) / (2 * count + 1));
    for (int k = count - 1; k >= 1; --k) sum = m.fma(sum, z, m.constant((k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1)));
    constexpr double quarterLow = kIsDouble<M> ? 6.123233995736766e-17 : -4.371139000186243e-08;
    const auto turn =
        m.pick(beyond, m.constant(std::numbers::pi / 2), m.pick(middle, m.constant(std::numbers::pi / 4), zero));
    const auto rest = m.pick(beyond, m.constant(quarterLow), m.pick(middle, m.constant(quarterLow / 2), zero));
    return withSignOf(m, turn + (m.fma(r * z, sum, rest) + r), x);
}

/// |x|^y as x^y: the sign of odd powers of negative numbers, what has no power, and what is one whatever the other is.
template <class M> typename M::Real signedPower(M &m, typename M::Real x, typename M::Real y, typename M::Real value) {
    const auto zero = m.constant(0);
    const auto one = m.constant(1);
    // Whole, and odd; beyond the mantissa all are whole and even.
    const auto large = m.constant(kIsDouble<M> ? 0x1p52 : 0x1p23);
    const auto size = magnitude(m, y);
    const auto whole = m.pick(size < large, (size + large) - large, size) == size;
    const auto half = size * m.constant(0.5);
    const auto halfWhole = m.pick(half < large, (half + large) - large, half) == half;
    const auto fine = size < large + large;
    const auto odd = whole & !halfWhole & fine;
    const auto negative = m.bitsOf(x) < m.whole(0);
    value = m.pick(negative & odd, m.constant(-1) * value, value);
    const auto infinity = m.constant(std::numeric_limits<double>::infinity());
    const auto root = (x < zero) & (magnitude(m, x) < infinity) & !whole;
    value = m.pick(root, m.constant(std::numeric_limits<double>::quiet_NaN()), value);
    const auto infinite = size == infinity;
    value = m.pick((magnitude(m, x) == one) & infinite, one, value);
    return m.pick((x == one) | (y == zero), one, value);
}

/// float32 alone: 2^(y log2 x) in float64.
template <class M> typename M::Real pow(M &m, typename M::Real x, typename M::Real y) {
    auto wide = m.wide();
    const auto base = m.widen(magnitude(m, x));
    return signedPower(m, x, y, m.narrow(exp2(wide, m.widen(y) * log2(wide, base))));
}

/// float32 alone: long division in float64 by y 2^240, y 2^192, ..., y, each of whose remainders is exact.
template <class M> typename M::Real fmod(M &m, typename M::Real x, typename M::Real y) {
    auto wide = m.wide();
    using W = decltype(wide);
    const auto divisor = magnitude(wide, m.widen(y));
    auto rest = magnitude(wide, m.widen(x));
    const auto large = wide.constant(kNoFractions<W>);
    for (const double step : {0x1p240, 0x1p192, 0x1p144, 0x1p96, 0x1p48, 0x1p0}) {
        const auto part = divisor * wide.constant(step);
        const auto times = (rest / part + large) - large; // the nearest whole number, below 2^49
        rest = wide.fma(wide.constant(-1) * times, part, rest);
        rest = wide.pick(rest < wide.constant(0), rest + part, rest);
    }
    const auto infinity = m.constant(std::numeric_limits<double>::infinity());
    const auto value = withSignOf(m, m.narrow(rest), x);
    const auto endless = magnitude(m, y) == infinity;
    const auto finite = magnitude(m, x) < infinity;
    return m.pick(endless & finite, x, value);
}

} // namespace loopscope::device_math
