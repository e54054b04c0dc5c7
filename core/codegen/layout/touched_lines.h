#pragma once
// The bytes that an access touches while some loops run, as runs of neighbours a sum of strides apart, and the cache
// lines these lie on.

#include "codegen/layout/access_nest.h"
#include "codegen/layout/nest_cost.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// 0, distance, 2 x distance, ...
struct Progression {
    int64_t distance = 1;
    int64_t count = 1;
};

struct TouchedBytes {
    int64_t run = 0;                // bytes that follow one another
    std::vector<Progression> apart; // beginnings of runs: sums of one of each
    int64_t grain = 1;              // bytes that every beginning is a multiple of, in all iterations
    int64_t first = 0;              // of the first run, in the iteration asked for

    /// On average over where runs begin.
    [[nodiscard]] double lines(int64_t lineBytes) const;
    /// Numbers of the lines, each once, ascending; empty when there are more than `most`.
    [[nodiscard]] std::vector<int64_t> lineNumbers(int64_t lineBytes, size_t most) const;
};

/// What `access` touches while the loops marked in `runs` (by number) run from their beginning to their end, the others
/// standing at `at` (by number).
TouchedBytes touchedBytes(const AccessNest &nest, const NestAccess &access, const PlacedTensor &placement,
                          const std::vector<bool> &runs, const std::vector<int64_t> &at);

/// Elements between the places of an access in one iteration of a loop and the next; 0 where it does not move.
int64_t strideAlong(const AccessNest &nest, const NestAccess &access, const PlacedTensor &placement, int loop);

/// In elements, with the loops standing at `at`.
int64_t offsetAt(const NestAccess &access, const Layout &layout, const std::vector<int64_t> &at);

} // namespace loopscope
