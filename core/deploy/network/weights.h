#pragma once
// Numbers for networks that come without any: exported models whose weights are one number throughout, or nothing but a
// shape, answer the same to every input. Seeded numbers that keep activations in range take their place, so that what
// is computed wrongly shows.

#include "language/tensor/host_tensor.h"
#include "networks/graph/function.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct SeededWeights {
    FunctionPtr function;
    size_t replaced = 0; // tensors
};

/// Replaces weights that are splats, or made by constant_of_shape: of convolutions and dense products normal with
/// variance 2 / fan-in (half as wide in the last dense one), biases and means of normalisations 0.1 * normal, their
/// scales and variances uniform in [0.5, 1.5), scales whose result is summed with another branch 0.3 times that.
/// Biases and normalisations of such weights are replaced with them, whatever they hold. Types must be known; they
/// stay.
SeededWeights withSeededWeights(const GraphFunction &function, uint64_t seed);

enum class InputKind : uint8_t {
    Ramp,     // element i of N is i/N
    Uniform,  // [-1, 1)
    Mean100,  // that, and 100 more: what cancels shows
    Mean1000, // 1000 more
    Large,    // [20000, 40000): two of them leave float16
    Ties,     // halves from -2 to 2: many are equal, and some round both ways
    Special,  // of [-1, 1) every eighth NaN, an infinity or a negative zero
};
/// One tensor for each parameter, which has static dims. Integers are 0 and 1, floats times `scale`.
std::vector<HostTensor> seededInputs(const GraphFunction &function, InputKind kind, uint64_t seed, double scale = 1);

} // namespace loopscope
