#include "language/tensor/seeded_fill.h"

#include "base/random.h"
#include "language/expr/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace loopscope {

namespace {

/// So many elements share a generator, so that parts can be filled alone.
constexpr int64_t kFillBlock = int64_t{1} << 16;

/// Sum of twelve numbers of 16 bits each; their mean is 12 * 65535 / 2, their deviation 65536 (but for one part in
/// 2^33).
double standardNormal(Random &random) {
    uint64_t sum = 0;
    for (int word = 0; word < 3; ++word) {
        const uint64_t bits = random.next();
        sum += (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
    }
    return (static_cast<double>(sum) - 393210.0) / 65536.0;
}

/// mean + deviation * z, rounded once whatever the compiler makes of it.
double scaled(double z, double by, double plus) { return plus == 0 ? by * z : std::fma(by, z, plus); }

template <typename T> void put(std::byte *to, int64_t i, T value) {
    std::memcpy(to + static_cast<size_t>(i) * sizeof value, &value, sizeof value);
}

void putNumber(std::byte *to, DType type, int64_t i, double value) {
    switch (type) {
    case DType::Float64:
        return put(to, i, value);
    case DType::Float32:
        return put(to, i, static_cast<float>(value));
    case DType::Float16:
        return put(to, i, floatToHalf(static_cast<float>(roundToType(value, type))));
    case DType::BFloat16:
        return put(to, i, floatToBfloat(static_cast<float>(roundToType(value, type))));
    default:
        break;
    }
    // Beyond int64 there is no nearest integer to wrap.
    const double limited = std::isnan(value) ? 0 : std::clamp(value, -0x1.0p62, 0x1.0p62);
    const int64_t whole = wrapToType(static_cast<int64_t>(limited), type);
    std::memcpy(to + static_cast<size_t>(i) * static_cast<size_t>(dtypeBytes(type)), &whole,
                static_cast<size_t>(dtypeBytes(type)));
}

void putInteger(std::byte *to, DType type, int64_t i, int64_t value) {
    if (isFloat(type)) return putNumber(to, type, i, static_cast<double>(value));
    const int64_t wrapped = wrapToType(value, type);
    std::memcpy(to + static_cast<size_t>(i) * static_cast<size_t>(dtypeBytes(type)), &wrapped,
                static_cast<size_t>(dtypeBytes(type)));
}

void fillBlock(std::byte *to, DType type, int64_t begin, int64_t end, int64_t count, const FillRecipe &recipe) {
    Random random(recipe.seed, recipe.stream << 32 ^ static_cast<uint64_t>(begin / kFillBlock));
    switch (recipe.kind) {
    case FillKind::Uniform:
        for (int64_t i = begin; i < end; ++i)
            putNumber(to, type, i, scaled(random.uniform(), recipe.second - recipe.first, recipe.first));
        return;
    case FillKind::Normal:
        for (int64_t i = begin; i < end; ++i)
            putNumber(to, type, i, scaled(standardNormal(random), recipe.second, recipe.first));
        return;
    case FillKind::Integers: {
        const uint64_t range = static_cast<uint64_t>(recipe.most) - static_cast<uint64_t>(recipe.least) + 1;
        for (int64_t i = begin; i < end; ++i) {
            const uint64_t drawn = range == 0 ? random.next() : random.below(range);
            putInteger(to, type, i, static_cast<int64_t>(static_cast<uint64_t>(recipe.least) + drawn));
        }
        return;
    }
    case FillKind::Ramp:
        for (int64_t i = begin; i < end; ++i)
            putNumber(to, type, i, static_cast<double>(i) / static_cast<double>(count));
        return;
    }
}

} // namespace

void fill(std::byte *to, DType type, int64_t count, const FillRecipe &recipe) {
    for (int64_t begin = 0; begin < count; begin += kFillBlock)
        fillBlock(to, type, begin, std::min(count, begin + kFillBlock), count, recipe);
}

} // namespace loopscope
