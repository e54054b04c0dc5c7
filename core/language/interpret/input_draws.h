#pragma once
// How the seeded inputs of a DAG are drawn, as data: a program that is taken away from here draws the same ones.
// Element after element from Random(seed, stream), and what comes is rounded to the input's type.

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace loopscope {

/// Placeholders whose elements are read as indices, with the least extent they reach into.
std::unordered_map<const TensorSymbol *, int64_t> indexExtents(const ComputeDag &dag);

/// What an element of whole numbers that are no indices is drawn from: least, least + 1, .. of as many.
struct IntegerDraw {
    int64_t least = 0;
    uint64_t count = 0;
};
/// Of bool: its lowest bit. Those of 8 bits and the usual ones of 32 and 64 are small, so that sums stay readable; the
/// others have all their values, as pictures do.
IntegerDraw integerDraw(DType type);

/// Floats that make sums exact (language/interpret/exact_inputs.h): what an element is drawn from.
struct ExactDraw {
    double share = 1;         // of elements that are the usual numbers
    int64_t largest = 1;      // these: 1 .. largest
    bool bothSigns = true;    // of them
    bool zeroIsUsual = false; // instead of them
    double otherwise = 0;
};
/// Streams of floats drawn so; those of random inputs begin at 0.
inline constexpr uint64_t kExactStream = 0x65786163'74000000;

/// Of each input in order. Nothing where inputs of that kind do not serve.
std::optional<std::vector<ExactDraw>> exactDraws(const ComputeDag &dag, int kind);

} // namespace loopscope
