#include "language/interpret/grain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace loopscope {

double grainOf(double value) {
    if (value == 0) return std::numeric_limits<double>::infinity();
    if (!std::isfinite(value) || std::fabs(value) < kFinestGrain) return 0;
    constexpr int kMantissaBits = 52;
    const auto bits = std::bit_cast<uint64_t>(value);
    const uint64_t mantissa = (bits & ((uint64_t{1} << kMantissaBits) - 1)) | uint64_t{1} << kMantissaBits;
    const double grain = std::ldexp(1.0, std::ilogb(value) - kMantissaBits + std::countr_zero(mantissa));
    return grain >= kFinestGrain ? grain : 0;
}

TensorGrain grainOf(const TensorValue &value) {
    TensorGrain result{std::numeric_limits<double>::infinity(), true};
    bool positive = false, negative = false;
    for (const double x : value.floats) {
        result.grain = std::min(result.grain, grainOf(x));
        if (result.grain == 0) return {};
        positive = positive || x > 0;
        negative = negative || x < 0;
    }
    result.oneSigned = !(positive && negative);
    return result;
}

} // namespace loopscope
