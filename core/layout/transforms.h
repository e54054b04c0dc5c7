#pragma once
// The transforms of a tensor's layout that have names, as spellings of a layout: swap two axes, interleave an axis in
// blocks (the place in a block becomes the fastest), cut an axis into blocks where it is (the identity on addresses),
// pad the rows.

#include "layout/layout.h"
#include "outcome.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// Axes in another order, slowest first.
Outcome<Layout> reordered(std::vector<int64_t> shape, const std::vector<int> &order);
/// Blocks of an axis, the place in them fastest; all else keeps its order.
Outcome<Layout> interleaved(std::vector<int64_t> shape, int axis, int64_t block);
/// Blocks of an axis where it stands: every element lies where it did.
Outcome<Layout> blockedInPlace(std::vector<int64_t> shape, int axis, int64_t block);
/// Unused cells behind each row.
Outcome<Layout> paddedRows(std::vector<int64_t> shape, int64_t cells);

} // namespace loopscope
