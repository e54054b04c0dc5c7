#pragma once
// How far a correct kernel may be from the reference, element by element. The interpreter carries a bound beside every
// value that rounding may have touched: a constant that masks or pads enters only where it really reaches, and what two
// nearly equal values decide is known to be undecided there and nowhere else.
//
// Sums need more than that, because a kernel may add in any order and worst-case bounds are useless: for a 4608-term
// convolution they exceed the terms. Rounding errors are random, so n additions with partial sums of about P are off by
// a few times 0.4*u*sqrt(n)*P (u = unit roundoff). Terms whose signs do not follow their position have partial sums
// whose mean square is about S^2/3 + S2/2 (S the sum, S2 the sum of squares) in every order; terms whose signs do
// (term_signs.h) may have partial sums as large as the sum of the magnitudes. Where a partial sum is so large that
// whole terms get lost, errors are no longer random and all of them add up. Where one may overflow there is no bound.
//
// Sums of few enough multiples of one number (grain.h) are exact in every order, and known to be. A sum that was meant
// to be and is not, and may hide whether a term is missing, has no bound: its inputs do not serve.

#include "language/expr/dtype.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace loopscope {

/// What one rounding to a type may do to a value: at most relative*|value| + absolute; infinity beyond the largest one.
struct RoundingStep {
    double relative = 0;
    double absolute = 0; // results too small to be normal
    double largest = std::numeric_limits<double>::infinity();

    static RoundingStep to(DType type);

    [[nodiscard]] double operator()(double value) const {
        const double magnitude = std::fabs(value);
        if (magnitude <= largest) return relative * magnitude + absolute;
        return std::isfinite(value) ? std::numeric_limits<double>::infinity() : 0;
    }
};

/// An exact factor leaves nothing, not even of infinity.
inline double errorTimes(double magnitude, double error) { return error == 0 ? 0 : magnitude * error; }
inline double errorBetween(double a, double b) { return a == b ? 0 : std::fabs(a - b); }
/// Of a product, before its own rounding.
inline double productError(double a, double ea, double b, double eb) {
    return errorTimes(std::fabs(a), eb) + errorTimes(std::fabs(b), ea) + ea * eb;
}
/// Without a bound a value may be infinite or NaN in another order of computing, and then comparisons let it pass.
inline bool mayBeNoNumber(double value, double error) {
    return std::isnan(value) || !(error < std::numeric_limits<double>::infinity());
}
/// It is none, in every order.
inline bool isNoNumber(double value, double error) {
    return std::isnan(value) && error < std::numeric_limits<double>::infinity();
}
/// Of what is made of a and b: none where `value` is infinite or NaN because they are, or exact; else `otherwise`.
double settledError(double value, double a, double ea, double b, double eb, double otherwise);
/// Of a term of a sum; those that are infinite or NaN make the sum so, and tell nothing of its roundings.
inline double finiteSquare(double term) { return std::isfinite(term) ? term * term : 0; }
/// Of max(a, b) (`most`) or min(a, b), which is `value`: what cannot be chosen does not count.
double minMostError(bool most, double a, double ea, double b, double eb, double value);
/// As a result keeps it: `error` of its value, which is rounded to the type once more.
float storedBound(double error, double value, const RoundingStep &rounding);

struct SumFacts {
    double points = 1; // summed up, at most
    double sum = 0;
    double squares = 0;       // of the finite terms
    double termErrors = 0;    // the sum of their bounds
    bool signsFollow = false; // their position
    double grain = 0;         // all terms are multiples of it; 0: not known, infinity: all are zero
    double magnitudes = 0;    // the sum of them, at most; where there is a grain
    /// Every partial sum of the terms is a number the type has.
    [[nodiscard]] bool exact(DType type) const;
};

/// Bound of a sum added up in a type, in any order, with or without fused multiply-add.
double sumError(const SumFacts &facts, DType type);

} // namespace loopscope
