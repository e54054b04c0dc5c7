#pragma once
// One tile of a group with what every stage computes for it. Stencils make these regions overlap from tile to tile:
// what lies in two of them is computed twice.

#include "schedule/grouping/group.h"
#include "schedule/grouping/region.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct TileRegion {
    BufferNumber buffer = 0;
    bool input = false;   // read only; an input, or the stage of another group
    bool inlined = false; // has no loops: its values are computed where they are read, not once for each point
    Box region;           // innermost dimension first, like all boxes
    Box whole;            // what all tiles need of it
    /// How much more is computed than would be without overlap: 0.047 for 262 x 262 points of which 256 x 256 are new
    /// with every tile. 0 for what is read or inlined.
    double repeated = 0;
};

struct OverlappedTile {
    std::vector<int64_t> counts; // tiles along each loop of the output's node
    std::vector<int64_t> at;     // which of them it is
    int64_t tiles = 1;
    std::vector<TileRegion> regions; // the output first, then each stage in front of what reads it, then inputs
};

/// Of the tile with these numbers along the loops of the group's output; one in the middle where none are given. A
/// group without tiles is one tile.
OverlappedTile overlappedTile(const Grouping &grouping, const Group &group, const std::vector<int64_t> &at = {});

} // namespace loopscope
