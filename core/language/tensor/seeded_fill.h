#pragma once
// Numbers made up by a rule: weights of samples, inputs of checks. The same on every machine and with every library of
// mathematical functions: whoever has the rule has the numbers, so that a text can say the rule instead of them.

#include "language/expr/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace loopscope {

enum class FillKind : uint8_t {
    Uniform,  // [low, high)
    Normal,   // mean and deviation; a sum of twelve uniform numbers, so never beyond six deviations
    Integers, // least to most, both included
    Ramp,     // element i of N is i/N, as ONNX's own tests fill inputs
};

struct FillRecipe {
    FillKind kind = FillKind::Ramp;
    uint64_t seed = 0;
    uint64_t stream = 0; // different numbers of the same seed
    double first = 0;    // low, or mean
    double second = 0;   // high, or deviation
    int64_t least = 0;   // of Integers
    int64_t most = 0;

    static FillRecipe uniform(uint64_t seed, double low = -1, double high = 1, uint64_t stream = 0) {
        return {FillKind::Uniform, seed, stream, low, high, 0, 0};
    }
    static FillRecipe normal(uint64_t seed, double mean, double deviation, uint64_t stream = 0) {
        return {FillKind::Normal, seed, stream, mean, deviation, 0, 0};
    }
    /// least <= most.
    static FillRecipe integers(uint64_t seed, int64_t least, int64_t most, uint64_t stream = 0) {
        return {FillKind::Integers, seed, stream, 0, 0, least, most};
    }
    static FillRecipe ramp() { return {}; }
    bool operator==(const FillRecipe &) const = default;
};

/// So many elements, dense, rounded to the type (integers: towards zero, then wrapped).
void fill(std::byte *to, DType type, int64_t count, const FillRecipe &recipe);

} // namespace loopscope
