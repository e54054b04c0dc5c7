#include "language/expr/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopscope {

uint16_t floatToHalf(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u); // NaN
    if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7C00u);
    if (magnitude < 0x38800000u) { // subnormal half: let the float unit round at 2^-24
        const float scaled = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(scaled) - std::bit_cast<uint32_t>(0.5f)));
    }
    const uint32_t odd = (magnitude >> 13) & 1u;
    const uint32_t rounded = magnitude + 0xFFFu + odd;
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float halfToFloat(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1Fu;
    const uint32_t mantissa = bits & 0x3FFu;
    if (exponent == 0) {
        const float value = std::ldexp(static_cast<float>(mantissa), -24);
        return sign ? -value : value;
    }
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t floatToBfloat(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
    return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

float bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

double roundToType(double value, DType type) {
    switch (type) {
    case DType::Float32:
        return static_cast<float>(value);
    case DType::Float16:
        return halfToFloat(floatToHalf(static_cast<float>(value)));
    case DType::BFloat16:
        return bfloatToFloat(floatToBfloat(static_cast<float>(value)));
    default:
        return value;
    }
}

double largestOf(DType type) {
    switch (type) {
    case DType::Float16:
        return 65504;
    case DType::BFloat16:
        return 0x1.FEp127;
    case DType::Float32:
        return std::numeric_limits<float>::max();
    default:
        return std::numeric_limits<double>::max();
    }
}

double minNormalOf(DType type) {
    switch (type) {
    case DType::Float16:
        return 0x1p-14;
    case DType::BFloat16:
    case DType::Float32:
        return 0x1p-126;
    default:
        return std::numeric_limits<double>::min();
    }
}

} // namespace loopscope
