#pragma once
// Inputs whose sums every correct kernel computes to the last bit, whatever its order: few small whole numbers among
// zeros, so few that the magnitudes of the terms of a sum add up to what its type holds exactly (2^8 in bfloat16, 2^11
// in float16, 2^24 in float32). With random inputs the roundings of a long sum hide whether one of its terms is
// missing; with these a missing, doubled or wrong term changes the result by a whole number.
//
// What that guarantees: where the terms of a sum are no more than the type holds, each of them is there in every sum,
// and leaving one out is always noticed. Where they are more, a term is zero in most sums; every term is drawn in
// kMinSights sums on average, or the inputs do not serve. The draw depends on the seed alone.
//
// Sums of sums of sums (layers of a network) grow beyond every type; chain_draws.h has inputs for these.
//
// Whether the sums did come out exact is not assumed but computed: the interpreter gives such results a bound of zero.

#include "language/interpret/interpreter.h"

#include <optional>

namespace loopscope {

/// How often a term of the longest sum is not zero, on average, over all sums of the op.
inline constexpr double kMinSights = 8;

/// How long the longest sum of floats is, in terms of what its type holds.
enum class SumLength : uint8_t {
    Short,  // random inputs show a missing term
    Long,   // they may not
    Hiding, // they do not
};
SumLength longestSum(const ComputeDag &dag);

/// Kinds of inputs to try, the most telling first; the same count for every DAG.
inline constexpr int kExactKinds = 4;
/// Nothing where the sums are too long, or too few, for inputs of that kind to show each term.
std::optional<std::vector<TensorValue>> exactInputs(const ComputeDag &dag, uint64_t seed, int kind);

} // namespace loopscope
