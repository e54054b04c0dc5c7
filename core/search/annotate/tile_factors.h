#pragma once
// Which lengths a loop may be split into (ansor.md §5.4, FillTileSize).

#include "random.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct TileLimits {
    int64_t maxInnermost = 64;
    bool guarded = true; // lengths that do not divide, for extents with hardly any divisor
};

std::vector<int64_t> divisors(int64_t n); // ascending; n >= 1

/// Draws `count` lengths, outermost first. Extents with usable divisors: uniform over all tuples whose product divides
/// the extent and whose last length is at most maxInnermost, as in Ansor. Others (a large prime): lengths that leave a
/// guarded tail of at most a quarter of the work.
std::vector<int64_t> drawTileLengths(int64_t extent, size_t count, const TileLimits &limits, Random &random);

/// Has the extent a divisor that tiles it usefully (between 3 and maxInnermost, or the extent itself is that small)?
bool tilesExactly(int64_t extent, const TileLimits &limits);

} // namespace loopscope
