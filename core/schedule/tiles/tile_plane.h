#pragma once
// Two axes of a stage as a plane, cut into the tiles of some loops: what a picture of them is painted from. However
// large the plane, the work is bounded: straight cuts are found by leaps from tile to tile, and where tiles are no
// boxes (rows run on into the next) only so many rows are looked at.

#include "schedule/tiles/kernel_tiles.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// The plane through an element. A stage of one axis has no rows: -1.
struct TilePlane {
    int rows = -1;
    int columns = 0;
    std::vector<int64_t> through; // element of the stage, spatial axes
};

struct TileWindow {
    int64_t row = 0;
    int64_t column = 0;
    int64_t height = 1;
    int64_t width = 1;
    bool operator==(const TileWindow &) const = default;
};

/// Part of the window that belongs to one tile.
struct TilePart {
    TileWindow place;
    int64_t number = 0;
};

/// Where tiles begin, when straight lines part them.
struct TileCuts {
    bool straight = false;
    std::vector<int64_t> rows; // first of each tile, the window's own first row included
    std::vector<int64_t> columns;
};

struct TileParts {
    std::vector<TilePart> parts;
    bool complete = true; // else: of some rows between others, or none as there are too many
};

/// The last two axes of more than one element, or whatever there is.
TilePlane planeOf(const TiledStage &stage);
TileWindow wholePlane(const TiledStage &stage, const TilePlane &plane);
/// The element at a place of the plane.
std::vector<int64_t> elementAt(const TilePlane &plane, int64_t row, int64_t column);

TileCuts cutsOf(const TiledStage &stage, const TileNumber &number, const TilePlane &plane, const TileWindow &window);
/// The window in parts of one number each, at most `most` of them.
TileParts partsOf(const TiledStage &stage, const TileNumber &number, const TilePlane &plane, const TileWindow &window,
                  size_t most);
/// The smallest window that holds what has the same number as the element the plane goes through, looked for inside of
/// a box of that size around it: the box of TileLevel::shape.
TileWindow windowOf(const TiledStage &stage, const TileNumber &number, const TilePlane &plane,
                    const std::vector<int64_t> &shape);

} // namespace loopscope
