#include "language/tensor/compare.h"

#include "language/expr/half.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace loopscope {

namespace {

std::string dimsOf(DType type, const std::vector<int64_t> &dims) {
    return fmt::format("{}[{}]", dtypeName(type), fmt::join(dims, ", "));
}

/// float32 as it is stored: an expected 1e39 is an infinity there.
double asStored(double value, DType type) {
    return type == DType::Float32 ? static_cast<double>(static_cast<float>(value)) : roundToType(value, type);
}

bool sameSpecial(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b;
}

void compareFloats(const HostTensor &computed, const WideTensor &expected, TensorVerdict &verdict) {
    for (size_t i = 0; i < expected.floats.size(); ++i) {
        const double a = computed.number(static_cast<int64_t>(i));
        const double b = asStored(expected.floats[i], expected.dtype);
        if (!std::isfinite(a) || !std::isfinite(b)) {
            if (verdict.specialsAgree && !sameSpecial(a, b)) {
                verdict.specialsAgree = false;
                verdict.worst = static_cast<int64_t>(i);
            }
            continue;
        }
        const double difference = std::abs(a - expected.floats[i]);
        verdict.largestExpected = std::max(verdict.largestExpected, std::abs(expected.floats[i]));
        if (difference <= verdict.largestDifference && (verdict.worst >= 0 || difference == 0)) continue;
        verdict.largestDifference = difference;
        if (verdict.specialsAgree) verdict.worst = static_cast<int64_t>(i);
    }
}

void compareIntegers(const HostTensor &computed, const WideTensor &expected, TensorVerdict &verdict) {
    for (size_t i = 0; i < expected.integers.size(); ++i) {
        const int64_t a = computed.integer(static_cast<int64_t>(i));
        const int64_t b = wrapToType(expected.integers[i], expected.dtype);
        verdict.largestExpected = std::max(verdict.largestExpected, std::abs(static_cast<double>(b)));
        // Two different integers may be the same double.
        const double difference = a == b ? 0 : std::max(1.0, std::abs(static_cast<double>(a) - static_cast<double>(b)));
        if (difference <= verdict.largestDifference) continue;
        verdict.largestDifference = difference;
        verdict.worst = static_cast<int64_t>(i);
    }
}

std::string valueText(const HostTensor &tensor, int64_t i) {
    return isFloat(tensor.dtype()) ? fmt::format("{}", tensor.number(i)) : fmt::format("{}", tensor.integer(i));
}

} // namespace

std::string elementText(int64_t element, const std::vector<int64_t> &dims) {
    std::vector<int64_t> index(dims.size());
    for (size_t d = dims.size(); d-- > 0;) {
        const int64_t extent = std::max<int64_t>(dims[d], 1);
        index[d] = element % extent;
        element /= extent;
    }
    return fmt::format("[{}]", fmt::join(index, ", "));
}

TensorVerdict compareTensors(const HostTensor &computed, const WideTensor &expected, double tolerance) {
    TensorVerdict verdict;
    if (computed.dtype() != expected.dtype || computed.dims() != expected.dims) {
        verdict.relative = std::numeric_limits<double>::infinity();
        verdict.sentence = fmt::format("it is {} where {} was expected", dimsOf(computed.dtype(), computed.dims()),
                                       dimsOf(expected.dtype, expected.dims));
        return verdict;
    }
    const bool floats = isFloat(expected.dtype);
    if (floats)
        compareFloats(computed, expected, verdict);
    else
        compareIntegers(computed, expected, verdict);
    if (verdict.largestDifference > 0)
        verdict.relative = verdict.largestExpected > 0 ? verdict.largestDifference / verdict.largestExpected
                                                       : std::numeric_limits<double>::infinity();
    const bool near = floats ? verdict.relative <= tolerance : verdict.largestDifference == 0;
    verdict.ok = verdict.specialsAgree && near;
    if (verdict.ok) return verdict;
    const std::string place = elementText(verdict.worst, computed.dims());
    const std::string got = valueText(computed, verdict.worst);
    const std::string wanted = valueText(expected.narrow(), verdict.worst);
    if (!verdict.specialsAgree || !floats)
        verdict.sentence = fmt::format("it is {} at {} where {} was expected", got, place, wanted);
    else
        verdict.sentence = fmt::format("it is {} at {} where {} was expected: {:.3g} of the largest value, {} at most",
                                       got, place, wanted, verdict.relative, tolerance);
    return verdict;
}

} // namespace loopscope
