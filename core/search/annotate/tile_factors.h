#pragma once
// Which lengths a loop may be split into when the open tile sizes of a sketch are drawn.

#include "base/random.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct TileLimits {
    int64_t maxInnermost = 64;
    bool guarded = true; // lengths that do not divide, for extents with hardly any divisor
};

std::vector<int64_t> divisors(int64_t n); // ascending; n >= 1

/// Draws `count` lengths, outermost first. Extents with usable divisors: uniform over all tuples whose product divides
/// the extent and whose last length is at most maxInnermost, as in Ansor. Others (a prime): lengths that leave a
/// guarded tail of at most a quarter of the work, or the whole of a loop that is short.
std::vector<int64_t> drawTileLengths(int64_t extent, size_t count, const TileLimits &limits, Random &random);

/// The same around lengths that are decided: of the loops that are made, outermost first; 0 where one is drawn. One of
/// those decided that no others can complete stays all the same.
std::vector<int64_t> drawTileLengthsAround(int64_t extent, const std::vector<int64_t> &decided,
                                           const TileLimits &limits, Random &random);

/// Has the extent a proper divisor that tiles it usefully (from 3 to maxInnermost), or is it so short that it needs no
/// tiling?
bool tilesExactly(int64_t extent, const TileLimits &limits);

} // namespace loopscope
