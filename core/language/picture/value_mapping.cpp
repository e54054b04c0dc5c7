#include "language/picture/value_mapping.h"

#include "language/expr/interval.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr size_t kSamples = 1 << 16; // of which the hundredths are counted
constexpr double kSlack = 0.2;       // of a unit, that a hundredth of the values may go beyond

double elementOf(const TensorValue &value, size_t i) {
    return value.floats.empty() ? static_cast<double>(value.integers[i]) : value.floats[i];
}

PictureRange orUnit(double black, double white) {
    if (black < white) return {black, white};
    return {black - 0.5, black + 0.5}; // one value alone is grey
}

} // namespace

ValueFacts factsOf(const TensorValue &value) {
    ValueFacts facts{INFINITY, -INFINITY, 0, 0, 0};
    std::vector<double> sampled;
    const size_t count = value.size();
    const size_t step = count / kSamples + 1;
    for (size_t i = 0; i < count; ++i) {
        const double x = elementOf(value, i);
        if (!std::isfinite(x)) {
            ++facts.noNumbers;
            continue;
        }
        facts.least = std::min(facts.least, x);
        facts.greatest = std::max(facts.greatest, x);
        if (i % step == 0) sampled.push_back(x);
    }
    if (facts.least > facts.greatest) return {0, 0, 0, 0, facts.noNumbers};
    facts.low = facts.least;
    facts.high = facts.greatest;
    if (sampled.empty()) return facts;
    const auto last = static_cast<double>(sampled.size() - 1);
    const auto at = [&](double rank) {
        const auto place = sampled.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(sampled.begin(), place, sampled.end());
        return *place;
    };
    facts.low = at(std::floor(0.01 * last));
    facts.high = at(std::ceil(0.99 * last));
    return facts;
}

ValueMapping mappingFor(DType dtype, const ValueFacts &facts) {
    if (dtype == DType::UInt8 || dtype == DType::Bool) return ValueMapping::Type;
    if (dtype == DType::UInt16 && facts.greatest > 0.5 * 65535) return ValueMapping::Type;
    // By what most values are: a few lie beyond 0 and 1 wherever something was sharpened.
    const double most = facts.high - facts.low;
    const double span = facts.greatest - facts.least;
    if (isFloat(dtype) && facts.low >= -kSlack && facts.high <= 1 + kSlack && facts.high > 0.2)
        return ValueMapping::Unit;
    // Few values far off everything else leave the rest one shade.
    const bool outliers = most < 0.2 * span && most > 0;
    if (facts.low < -0.05 * most && facts.high > 0.05 * most && !outliers) return ValueMapping::Signed;
    return outliers ? ValueMapping::Most : ValueMapping::Stretched;
}

PictureRange mappedRange(ValueMapping mapping, DType dtype, const ValueFacts &facts) {
    switch (mapping) {
    case ValueMapping::Stretched:
        return orUnit(facts.least, facts.greatest);
    case ValueMapping::Most:
        return orUnit(facts.low, facts.high);
    case ValueMapping::Unit:
        return {0, 1};
    case ValueMapping::Signed: {
        const double farthest = std::max(std::fabs(facts.least), std::fabs(facts.greatest));
        return farthest > 0 ? PictureRange{-farthest, farthest} : PictureRange{-1, 1};
    }
    case ValueMapping::Type:
        if (isFloat(dtype)) return {0, 1};
        const Interval held = dtype == DType::Bool ? Interval{0, 1} : Interval::ofType(dtype);
        return {static_cast<double>(held.min), static_cast<double>(held.max)};
    }
    return {0, 1};
}

} // namespace loopscope
