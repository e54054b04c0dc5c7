#pragma once
// What memory costs a tile in the mode "fixed": what its members read of each other and read again comes from the cache
// of the core, as far as all that is alive in the tile fits there together; what they read of others is fetched once
// for every tile.

#include "grouping/machine_parameters.h"

#include <span>

namespace loopscope {

/// A buffer as one tile uses it; in bytes.
struct TouchedBuffer {
    double touched = 0; // loaded and stored, every time counted
    double region = 0;  // that lies in the tile
    double whole = 0;
    bool local = false; // lives as long as the tile
    double starts = 0;  // bytes' worth of coming to its rows
};

double memoryByReuse(const MachineParameters &machine, std::span<const TouchedBuffer> buffers);

} // namespace loopscope
