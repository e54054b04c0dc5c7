#pragma once
// What memory costs a tile in the mode "fixed": what its members read of each other and read again comes from the cache
// of the core, as far as all that is alive in the tile fits there together; what they read of others is fetched once
// for every tile.

#include "grouping/machine_parameters.h"

#include <span>

namespace loopscope {

/// A buffer as one tile uses it; in bytes.
struct TouchedBuffer {
    double touched = 0;  // loaded and stored, every time counted
    double streamed = 0; // by each nest the first time it comes there; what follows soon is at hand
    double region = 0;   // that lies in the tile
    double whole = 0;
    bool local = false; // lives as long as the tile
    bool fresh = false; // written here, into memory that is had for this run only
    double starts = 0;  // bytes' worth of coming to its rows
};

double memoryByReuse(const MachineParameters &machine, std::span<const TouchedBuffer> buffers);

} // namespace loopscope
