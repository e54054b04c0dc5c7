#pragma once
// Buffers at offsets in one arena: no two that exist at once may overlap. Greedy by size first; then the order in which
// they are placed is changed as long as the arena is larger than what exists at once.

#include "deploy/plan/lifetimes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace loopscope {

struct BufferPlacementOptions {
    uint64_t seed = 0;
    size_t maxPlacements = 2000; // orders that are tried; fewer for thousands of buffers
};

struct BufferPlacement {
    std::vector<size_t> offsets; // by buffer, multiples of kBufferAlignment
    size_t arenaBytes = 0;
};

/// Deterministic: the same buffers and options give the same offsets.
BufferPlacement placeBuffers(std::span<const BufferLifetime> buffers, const BufferPlacementOptions &options = {});

/// One buffer after the other in this order, each at the least offset where it fits between those before it.
BufferPlacement placeInOrder(std::span<const BufferLifetime> buffers, std::span<const size_t> order);

} // namespace loopscope
