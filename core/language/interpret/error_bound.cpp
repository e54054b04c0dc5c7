#include "language/interpret/error_bound.h"

#include "language/expr/half.h"

#include <algorithm>

namespace loopscope {

RoundingStep RoundingStep::to(DType type) {
    switch (type) {
    case DType::Float64:
        return {0x1p-52, 0x1p-1022, largestOf(type)}; // the reference rounds as coarsely: twice
    case DType::Float32:
        return {0x1p-24, 0x1p-126, largestOf(type)};
    case DType::Float16:
        return {0x1p-11, 0x1p-25, largestOf(type)};
    case DType::BFloat16:
        return {0x1p-8, 0x1p-126, largestOf(type)};
    default:
        return {0, 0, std::numeric_limits<double>::infinity()};
    }
}

double minMostError(bool most, double a, double ea, double b, double eb, double value) {
    if (isNoNumber(a, ea) || isNoNumber(b, eb)) return 0;
    if (mayBeNoNumber(a, ea) || mayBeNoNumber(b, eb)) return std::numeric_limits<double>::infinity();
    const double upper = most ? std::max(a + ea, b + eb) : std::min(a + ea, b + eb);
    const double lower = most ? std::max(a - ea, b - eb) : std::min(a - ea, b - eb);
    return std::max(errorBetween(upper, value), errorBetween(lower, value));
}

double settledError(double value, double a, double ea, double b, double eb, double otherwise) {
    if (std::isfinite(value)) return otherwise;
    const auto settled = [](double operand, double error) {
        return error == 0 || (!std::isfinite(operand) && error < std::numeric_limits<double>::infinity());
    };
    if (isNoNumber(a, ea) || isNoNumber(b, eb) || (settled(a, ea) && settled(b, eb))) return 0;
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : otherwise;
}

float storedBound(double error, double value, const RoundingStep &rounding) {
    constexpr double kSmallPrint = 1.01; // products of errors, and that this is a float
    if (error == 0) return 0;
    const double bound = kSmallPrint * (error + rounding(value));
    return bound <= std::numeric_limits<float>::max() ? static_cast<float>(bound)
                                                      : std::numeric_limits<float>::infinity();
}

bool SumFacts::exact(DType type) const {
    const RoundingStep rounding = RoundingStep::to(type);
    return grain > 0 && termErrors == 0 && magnitudes <= grain / rounding.relative && magnitudes <= rounding.largest;
}

namespace {

/// How large a partial sum may be: in the worst order where the position tells the sign, else in nearly every one.
double reachOf(const SumFacts &facts) {
    const double sum = std::fabs(facts.sum);
    const double magnitudes = facts.grain > 0 ? facts.magnitudes : std::sqrt(facts.points * facts.squares);
    const double worst = (sum + magnitudes) / 2; // all of the sign of the sum first
    constexpr double kDeviations = 3;
    return facts.signsFollow ? worst : std::min(worst, sum + kDeviations * std::sqrt(facts.squares));
}

} // namespace

double sumError(const SumFacts &facts, DType type) {
    if (facts.exact(type)) return 0;
    if (!std::isfinite(facts.sum)) { // as its terms are, in any order, unless the others may overflow, too
        SumFacts others = facts;
        others.sum = 0;
        const bool settled = std::isfinite(facts.termErrors) && reachOf(others) <= RoundingStep::to(type).largest;
        return settled ? 0 : std::numeric_limits<double>::infinity();
    }
    constexpr double kDeviations = 3.5; // times u*sqrt(n)*P: nine standard deviations
    constexpr double kLostShare = 0.25; // of a typical term, from where on roundings are not random
    const RoundingStep rounding = RoundingStep::to(type);
    const double u = rounding.relative;
    const double n = facts.points;
    const double allOfOneSign = std::sqrt(n * facts.squares);
    // Partial sums: the largest, and the root of the mean square over all of them.
    const double largest = facts.signsFollow ? allOfOneSign : std::sqrt(facts.sum * facts.sum + facts.squares);
    const double partial = facts.signsFollow ? allOfOneSign : std::sqrt(facts.sum * facts.sum / 3 + facts.squares / 2);
    const double typical = std::sqrt(facts.squares / n);
    double error = kDeviations * u * std::sqrt(n) * partial;
    // Small terms are commoner than large ones, and more of them are rounded down than up: what that adds up to.
    if (typical > 0) error += n * (u * largest) * (u * largest) / (2 * typical);
    if (u * largest > kLostShare * typical) error = std::max(error, n * u * largest);
    constexpr double kLargestTerm = 2; // times a typical one
    if (facts.grain > 0 && error > kLargestTerm * typical) return std::numeric_limits<double>::infinity();
    // What has overflowed once stays infinite, or becomes NaN.
    if (reachOf(facts) > rounding.largest) return std::numeric_limits<double>::infinity();
    return facts.termErrors + error + std::sqrt(n) * rounding.absolute;
}

} // namespace loopscope
