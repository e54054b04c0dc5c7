#include "measure/answer/answer_check.h"

#include "language/expr/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

constexpr int64_t kLanes = 8;
constexpr int64_t kCheckBlock = 2048;

/// Finite, so that where infinity is expected nothing else passes.
inline double finite(double bound) { return std::min(bound, std::numeric_limits<double>::max()); }

/// No error is none of anything.
inline double ratioOf(double error, double allowed) { return error == 0 ? 0 : error / allowed; }

/// The largest error of a block over its bound; infinity when any element is beyond it or not a number. Independent
/// lanes, so that the compiler keeps maxima in vectors.
template <typename Stored>
double blockError(const double *expected, const float *bounds, const Stored *got, int64_t count) {
    double worst[kLanes] = {};
    double bad[kLanes] = {};
    for (int64_t i = 0; i < count; i += kLanes) {
        for (int64_t k = 0; k < std::min(kLanes, count - i); ++k) {
            const double allowed = finite(bounds[i + k]);
            const double error = std::fabs(static_cast<double>(got[i + k]) - expected[i + k]);
            const double ratio = ratioOf(error, allowed);
            worst[k] = ratio > worst[k] ? ratio : worst[k];
            bad[k] = error <= allowed ? bad[k] : 1.0;
        }
    }
    for (int64_t k = 0; k < kLanes; ++k) {
        if (bad[k] != 0) return HUGE_VAL;
    }
    return *std::max_element(worst, worst + kLanes);
}

bool sameSpecial(double expected, double got) {
    return (std::isnan(expected) && std::isnan(got)) || (std::isinf(expected) && expected == got);
}

std::string indexText(const std::vector<int64_t> &shape, int64_t flat) {
    std::vector<int64_t> index(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
        index[d] = flat % shape[d];
        flat /= shape[d];
    }
    std::string text = "[";
    for (size_t d = 0; d < index.size(); ++d) text += fmt::format("{}{}", d > 0 ? ", " : "", index[d]);
    return text + "]";
}

struct FirstBad {
    int64_t at = -1;
    int64_t count = 0;
    std::string expected;
    std::string got;
};

/// No arithmetic makes a NaN whose bits are all set.
bool isUntouched(const ReferenceTensor &tensor, const std::byte *got, int64_t at) {
    if (!isFloat(tensor.dtype)) return false;
    const auto bytes = static_cast<size_t>(dtypeBytes(tensor.dtype));
    const auto *element = reinterpret_cast<const unsigned char *>(got) + static_cast<size_t>(at) * bytes;
    return std::all_of(element, element + bytes, [](unsigned char byte) { return byte == kPoison; });
}

std::string describe(const ReferenceTensor &tensor, const FirstBad &bad, const std::byte *got) {
    const bool untouched = isUntouched(tensor, got, bad.at);
    const std::string place = indexText(tensor.shape, bad.at);
    std::string text =
        untouched
            ? fmt::format("output `{}` was not written at {}, where {} is right", tensor.name, place, bad.expected)
            : fmt::format("output `{}` is {} at {} instead of {}", tensor.name, bad.got, place, bad.expected);
    if (bad.count > 1) text += fmt::format("; {} of {} elements are wrong", bad.count, tensor.elements());
    return text;
}

template <typename Stored>
AnswerCheck checkFloats(const ReferenceTensor &tensor, const std::byte *expectedBytes, const float *bounds,
                        const std::byte *gotBytes, double (*widen)(Stored)) {
    const auto *expected = reinterpret_cast<const double *>(expectedBytes);
    const auto *got = reinterpret_cast<const Stored *>(gotBytes);
    const int64_t count = tensor.elements();
    const float exact[kCheckBlock] = {};

    AnswerCheck check;
    FirstBad bad;
    std::vector<double> widened;
    for (int64_t at = 0; at < count; at += kCheckBlock) {
        const int64_t here = std::min(kCheckBlock, count - at);
        const float *const boundsHere = bounds == nullptr ? exact : bounds + at;
        double error = 0;
        if constexpr (std::is_floating_point_v<Stored>) {
            error = blockError(expected + at, boundsHere, got + at, here);
        } else {
            widened.resize(static_cast<size_t>(here));
            for (int64_t i = 0; i < here; ++i) widened[static_cast<size_t>(i)] = widen(got[at + i]);
            error = blockError(expected + at, boundsHere, widened.data(), here);
        }
        if (std::isfinite(error)) {
            check.maxError = std::max(check.maxError, error);
            continue;
        }
        for (int64_t i = at; i < at + here; ++i) {
            const double value = widen(got[i]);
            const double allowed = finite(boundsHere[i - at]);
            const double difference = std::fabs(value - expected[i]);
            if (sameSpecial(expected[i], value)) continue;
            // Nothing is known of this number: it may as well be none.
            if (std::isinf(boundsHere[i - at]) && std::isfinite(expected[i]) && !isUntouched(tensor, gotBytes, i))
                continue;
            if (std::isfinite(difference)) check.maxError = std::max(check.maxError, ratioOf(difference, allowed));
            if (difference <= allowed && std::isfinite(expected[i])) continue;
            if (!std::isfinite(difference)) check.maxError = HUGE_VAL;
            if (bad.count++ == 0) {
                bad.at = i;
                bad.expected = fmt::format("{:.9g}", expected[i]);
                bad.got = fmt::format("{:.9g}", value);
            }
        }
    }
    if (bad.count > 0) check.problem = describe(tensor, bad, gotBytes);
    return check;
}

template <typename Stored>
AnswerCheck checkIntegers(const ReferenceTensor &tensor, const std::byte *expectedBytes, const float *bounds,
                          const std::byte *gotBytes) {
    const auto *expected = reinterpret_cast<const int64_t *>(expectedBytes);
    const auto *got = reinterpret_cast<const Stored *>(gotBytes);
    AnswerCheck check;
    FirstBad bad;
    const int64_t count = tensor.elements();
    for (int64_t i = 0; i < count; ++i) {
        if (static_cast<int64_t>(got[i]) == expected[i]) continue;
        // What a rounded value decides may come out either way where it lies on the edge.
        const double difference = std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
        const double allowed = bounds == nullptr ? 0.0 : bounds[i];
        if (difference <= allowed) {
            check.maxError = std::max(check.maxError, ratioOf(difference, finite(allowed)));
            continue;
        }
        if (bad.count++ == 0) {
            bad.at = i;
            bad.expected = std::to_string(expected[i]);
            bad.got = std::to_string(static_cast<int64_t>(got[i]));
        }
    }
    if (bad.count > 0) {
        check.maxError = HUGE_VAL;
        check.problem = describe(tensor, bad, gotBytes);
    }
    return check;
}

double widenHalf(uint16_t bits) { return halfToFloat(bits); }
double widenBfloat(uint16_t bits) { return bfloatToFloat(bits); }
double widenFloat(float value) { return value; }
double widenDouble(double value) { return value; }

} // namespace

AnswerCheck checkAnswer(const ReferenceTensor &tensor, const std::byte *expected, const float *bounds,
                        const std::byte *got) {
    switch (tensor.dtype) {
    case DType::Float64:
        return checkFloats<double>(tensor, expected, bounds, got, widenDouble);
    case DType::Float32:
        return checkFloats<float>(tensor, expected, bounds, got, widenFloat);
    case DType::Float16:
        return checkFloats<uint16_t>(tensor, expected, bounds, got, widenHalf);
    case DType::BFloat16:
        return checkFloats<uint16_t>(tensor, expected, bounds, got, widenBfloat);
    case DType::Int64:
        return checkIntegers<int64_t>(tensor, expected, bounds, got);
    case DType::Int32:
        return checkIntegers<int32_t>(tensor, expected, bounds, got);
    case DType::UInt32:
        return checkIntegers<uint32_t>(tensor, expected, bounds, got);
    case DType::Int16:
        return checkIntegers<int16_t>(tensor, expected, bounds, got);
    case DType::UInt16:
        return checkIntegers<uint16_t>(tensor, expected, bounds, got);
    case DType::Int8:
        return checkIntegers<int8_t>(tensor, expected, bounds, got);
    case DType::UInt8:
    case DType::Bool:
        break;
    }
    return checkIntegers<uint8_t>(tensor, expected, bounds, got);
}

} // namespace loopscope
