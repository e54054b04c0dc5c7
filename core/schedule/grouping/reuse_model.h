#pragma once
// What memory costs a tile in the mode "fixed": what its members read of each other and read again comes from the cache
// of the core, as far as what is alive there at the same time fits together; what they read of others is fetched once
// for every tile. A buffer is alive from the first nest that touches it to the last: buffers take turns in memory.

#include "schedule/grouping/machine_parameters.h"

#include <span>

namespace loopscope {

/// Of the nests of a tile, in the order they run, the first and the last one that touch a buffer.
struct Lifetime {
    int first = -1;
    int last = -1;
};

/// A buffer as one tile uses it; in bytes.
struct TouchedBuffer {
    double touched = 0;  // loaded and stored, every time counted
    double streamed = 0; // by each nest the first time it comes there; what follows soon is at hand
    double region = 0;   // that lies in the tile
    double whole = 0;
    bool local = false; // lives as long as the tile
    bool fresh = false; // written here, into memory that is had for this run only
    double starts = 0;  // bytes' worth of coming to its rows
    Lifetime lifetime = {};
};

double memoryByReuse(const MachineParameters &machine, std::span<const TouchedBuffer> buffers);

} // namespace loopscope
