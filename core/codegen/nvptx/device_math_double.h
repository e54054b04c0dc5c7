#pragma once
// erf, pow and fmod of float64, in the operations and for the machines of device_math.h. float32 has the wider type to
// compute in; here a value that has to be better than float64 is a sum of two of them.
//
// Errors, in units of the last place, as device_math_test holds them to: erf 2.5 (2.1 seen), pow 1.25 (1.04 seen); fmod
// is exact.

#include "codegen/nvptx/device_math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace loopscope::device_math {

/// high + low, low at most half a unit in the last place of high.
template <class M> struct Pair {
    typename M::Real high;
    typename M::Real low;
};

/// Exactly, |a| >= |b|.
template <class M> Pair<M> sumOfLarger(typename M::Real a, typename M::Real b) {
    const auto high = a + b;
    return {high, b - (high - a)};
}

template <class M> Pair<M> product(M &m, Pair<M> a, Pair<M> b) {
    const auto high = a.high * b.high;
    const auto rest = m.fma(a.high, b.high, m.constant(-1) * high);
    return sumOfLarger<M>(high, rest + m.fma(a.high, b.low, a.low * b.high));
}

/// A constant and something smaller.
template <class M> Pair<M> sum(M &m, double high, double low, Pair<M> smaller) {
    const auto first = sumOfLarger<M>(m.constant(high), smaller.high);
    return sumOfLarger<M>(first.high, first.low + (smaller.low + m.constant(low)));
}

/// log2 of a positive, finite number, good to 2^-66 of its size: 2 atanh(s) = 2s (1 + z/3 + z^2/5 + ...), s = f/(2+f),
/// z = s^2 < 0.03, the first three terms as pairs.
template <class M> Pair<M> log2Pair(M &m, typename M::Real x) {
    const Mantissa<M> parts = mantissaOf(m, x);
    const auto one = m.constant(1);
    const auto f = parts.m - one;
    const auto below = parts.m + one;
    const auto belowLow = parts.m - (below - one);
    const auto s = f / below;
    const auto missing = m.fma(m.constant(-1) * s, below, f) - s * belowLow;
    const Pair<M> quotient = sumOfLarger<M>(s, missing / below);
    const Pair<M> z = product(m, quotient, quotient);
    constexpr int count = 14;
    auto tail = m.constant(1.0 / (2 * count + 1));
    for (int k = count - 1; k >= 3; --k) tail = m.fma(tail, z.high, m.constant(1.0 / (2 * k + 1)));
    Pair<M> series = sum(m, 0.2, -0x1.999999999999ap-57, {tail * z.high, m.constant(0)});
    series = sum(m, 0x1.5555555555555p-2, 0x1.5555555555555p-56, product(m, series, z));
    series = sum(m, 1, 0, product(m, series, z));
    const Pair<M> twice = {m.constant(2) * quotient.high, m.constant(2) * quotient.low};
    const Pair<M> log2e = {m.constant(0x1.71547652b82fep+0), m.constant(0x1.777d0ffda0d24p-56)};
    const Pair<M> fraction = product(m, product(m, series, twice), log2e);
    // The exponent is nothing, or larger than the fraction.
    const Pair<M> whole = sumOfLarger<M>(parts.e, fraction.high);
    return sumOfLarger<M>(whole.high, whole.low + fraction.low);
}

/// 2^(high + low).
template <class M> typename M::Real exp2OfPair(M &m, Pair<M> x) {
    const auto high = clamped(m, x.high, -1100, 1030);
    const auto low = m.pick(high == x.high, x.low, m.constant(0));
    const Nearest<M> n = nearestOf(m, high + m.constant(kNoFractions<M>));
    const auto f = high - n.value;
    const auto ln2 = m.constant(std::numbers::ln2);
    const auto g = f * ln2;
    const auto rest = m.fma(f, ln2, m.constant(-1) * g) + m.fma(f, m.constant(0x1.abc9e3b39803fp-56), low * ln2);
    const auto grown = expSeries(m, g, 15); // e^(g + rest) = (1 + grown) (1 + rest), rest tiny
    return scaled(m, (grown + m.fma(grown, rest, rest)) + m.constant(1), n.number);
}

/// x to the power of y: 2^(y log2|x|), and what is different of numbers that are none, and of negative ones.
template <class M> typename M::Real powOfDouble(M &m, typename M::Real x, typename M::Real y) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto zero = m.constant(0);
    const auto base = magnitude(m, x);
    const Pair<M> log = log2Pair(m, base);
    const auto exponent = clamped(m, y, -0x1p66, 0x1p66); // 2^66 times the least logarithm is far beyond all exponents
    const auto high = exponent * log.high;
    const auto rest = m.fma(exponent, log.high, m.constant(-1) * high);
    auto value = exp2OfPair(m, {high, m.fma(exponent, log.low, rest)});
    const auto rises = zero < y;
    value = m.pick(base == zero, m.pick(rises, zero, m.constant(infinity)), value);
    value = m.pick(base == m.constant(infinity), m.pick(rises, m.constant(infinity), zero), value);
    value = m.pick(x == x, value, x);
    value = m.pick(y == y, value, y);
    return signedPower(m, x, y, value);
}

/// A positive number as m 2^e, 2^52 <= m < 2^53. Of nothing it is something.
template <class M> struct WholeMantissa {
    typename M::Real m;
    typename M::Integer e;
};
template <class M> WholeMantissa<M> wholeMantissaOf(M &m, typename M::Real size) {
    const auto tiny = size < m.constant(0x1p-1022);
    const auto bits = m.bitsOf(m.pick(tiny, size * m.constant(0x1p54), size));
    const auto shift = m.bitsOf(m.pick(tiny, m.realOf(m.whole(54)), m.constant(0)));
    const auto inside = bits & m.whole((int64_t{1} << 52) - 1);
    return {m.realOf(inside | m.bitsOf(m.constant(0x1p52))), (bits >> 52) - shift - m.whole(1023 + 52)};
}

/// What is left of dividing whole numbers: a number between -of/2 and of/2.
template <class M> typename M::Real centred(M &m, typename M::Real a, typename M::Real of) {
    const auto half = m.constant(0.5) * of;
    a = m.pick(half < a, a - of, a);
    return m.pick(a < m.constant(-1) * half, a + of, a);
}

/// a b modulo `of`, a and b centred, all whole and below 2^53. The quotient is off by one at most, so that what is left
/// is a whole number that has room in the mantissa.
template <class M>
typename M::Real timesModulo(M &m, typename M::Real a, typename M::Real b, typename M::Real of,
                             typename M::Real inverse) {
    const auto high = a * b;
    const auto low = m.fma(a, b, m.constant(-1) * high);
    const auto times = nearestOf(m, high * inverse + m.constant(kNoFractions<M>)).value;
    const auto rest = centred(m, m.fma(m.constant(-1) * times, of, high), of);
    return centred(m, rest + low, of);
}

/// (mx 2^d) modulo my for x = mx 2^ex, y = my 2^ey, d = ex - ey; 2^d modulo my by squaring. All whole numbers: exact.
template <class M> typename M::Real fmodOfDouble(M &m, typename M::Real x, typename M::Real y) {
    const auto size = magnitude(m, x);
    const auto divisor = magnitude(m, y);
    const WholeMantissa<M> above = wholeMantissaOf(m, size);
    const WholeMantissa<M> below = wholeMantissaOf(m, divisor);
    const auto distance = above.e - below.e;
    const auto inverse = m.constant(1) / below.m;
    auto power = m.constant(1);
    for (int bit = 11; bit >= 0; --bit) {
        const auto set = m.whole(int64_t{1} << bit);
        power = timesModulo(m, power, power, below.m, inverse);
        power = m.pick((distance & set) == set, centred(m, power + power, below.m), power);
    }
    auto rest = centred(m, centred(m, above.m, below.m), below.m);
    rest = timesModulo(m, rest, power, below.m, inverse);
    rest = m.pick(rest < m.constant(0), rest + below.m, rest);
    auto value = scaled(m, rest, below.e);
    value = m.pick(size < divisor, size, value);
    const auto something = m.constant(0) < divisor;
    const auto finite = size < m.constant(std::numeric_limits<double>::infinity());
    const auto divides = something & finite;
    value = m.pick(divides, value, m.constant(std::numeric_limits<double>::quiet_NaN()));
    return withSignOf(m, value, x);
}

/// Up to 1 the series. From there 1 - e^(-x^2) r(x) / (1 + 2x), r a Chebyshev fit on [1, 6] of (1 + 2x) e^(x^2) erfc(x)
/// in t = (x - 3.5) / (x + 3.5), in which it bends least (Shepherd and Laframboise, 1981); off by 1.1e-18 of it.
template <class M> typename M::Real erfOfDouble(M &m, typename M::Real x) {
    const auto size = magnitude(m, x);
    const auto one = m.constant(1);
    const auto z = x * x;
    constexpr int count = 20;
    std::array<double, count> series{};
    double factorial = 1;
    for (int n = 0; n < count; ++n) {
        if (n > 0) factorial *= -n;
        series[static_cast<size_t>(n)] = 2 * std::numbers::inv_sqrtpi / (factorial * (2 * n + 1));
    }
    auto inner = m.constant(series[count - 1]);
    for (int n = count - 2; n >= 1; --n) inner = m.fma(inner, z, m.constant(series[static_cast<size_t>(n)]));
    const auto inside = m.fma(inner * z, size, m.constant(series[0]) * size);

    constexpr std::array<double, 17> fit = {-1.1509819543202954e-06, -4.5924614422092648e-06, 2.2031022075243221e-06,
                                            2.4387838277195596e-05,  -4.2719598108095768e-05, -0.00012151365329765748,
                                            0.00056437809048690338,  -0.00030226865073372435, -0.004215019633455201,
                                            0.019099330995528619,    -0.048823325833281549,   0.087983153823513502,
                                            -0.11508959816015274,    0.097519095153271243,    -0.010555596332218305,
                                            -0.14000918013761945,    1.2423492448711544};
    const auto far = m.constant(6) < size;
    const auto at = m.pick(far, m.constant(6), size);
    const auto t = (at - m.constant(3.5)) / (at + m.constant(3.5));
    auto r = m.constant(fit[0]);
    for (size_t k = 1; k < fit.size(); ++k) r = m.fma(r, t, m.constant(fit[k]));
    const auto square = at * at;
    const auto missing = m.fma(at, at, m.constant(-1) * square);
    const auto decay = exp(m, m.constant(-1) * square);
    const auto rest = m.fma(m.constant(-1) * missing, decay, decay) * r / (at + at + one);
    auto outside = m.pick(far, one, one - rest);
    outside = m.pick(x == x, outside, x);
    return withSignOf(m, m.pick(size < one, inside, outside), x);
}

} // namespace loopscope::device_math
