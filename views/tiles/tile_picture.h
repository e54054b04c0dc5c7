#pragma once
// The tiles of a kernel as panels to paint, each a window of one stage cut by one or two levels of loops: the result by
// blocks, a block by virtual threads and threads, what a thread keeps, what is fetched by whom; loops of a reduction as
// strips. Values; where the panels lie on the screen is the scene's business.

#include "schedule/tiles/kernel_tiles.h"
#include "schedule/tiles/tile_plane.h"
#include "views/settings/theme.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

using KernelTilesPtr = std::shared_ptr<const std::vector<KernelTiles>>;

inline constexpr int kResultStage = -1; // else a number in KernelTiles::inside

/// What of a kernel is looked at.
struct TileFocus {
    /// Axes of the result that are shown, if not the last ones.
    std::optional<int> rows;
    std::optional<int> columns;
    /// Of a stage, where it is not the first: whose tiles are marked, and gone into.
    std::map<int, std::vector<int64_t>> elements;
    bool operator==(const TileFocus &) const = default;
};

/// A loop of the kernel by the names the selection goes by.
struct TileLoopRef {
    QString stage;
    QString iterator;
    bool operator==(const TileLoopRef &) const = default;
};

struct TilePanel {
    enum class Look : uint8_t { Plain, ByVirtualThread, ByThread };
    QString title;    // "C 4096 × 4096"
    QString subtitle; // "1024 blocks of 128 × 128"
    int stage = kResultStage;
    TilePlane plane;
    TileWindow window;
    TileNumber number; // of a part
    Role role = Role::BlockBound;
    Look look = Look::Plain;
    int64_t threads = 1;  // ByVirtualThread: parts have the number thread + virtual thread x threads
    int64_t marked = -1;  // number of the marked parts
    TileParts parts;      // empty where there are too many: then the cuts alone
    TileCuts cuts;        // of the same number, where there are too many parts
    TileCuts strong;      // lines drawn stronger
    bool entered = false; // the next panel shows what is marked here
    QString rowAxis, columnAxis;
    std::vector<TileLoopRef> loops; // that cut it, outermost first
};

/// A loop of the reduction: its iterations one after the other.
struct TileStrip {
    QString text;     // "k.0: 256 steps of 16"
    QString subtitle; // "fetches A.shared, B.shared"
    int64_t steps = 1;
    Role role = Role::Reduction;
    TileLoopRef loop;
};

struct TilePicture {
    std::vector<TilePanel> panels;
    std::vector<TileStrip> strips;
};

TilePicture tilePicture(const KernelTiles &kernel, const TileFocus &focus);

/// The stage by number, the result included.
const TiledStage &tiledStage(const KernelTiles &kernel, int stage);
/// "i.0@j.0@ = 5, i.1@j.1@ = 0, ...": what computes an element, loops of several iterations only.
QString placeText(const TiledStage &stage, const std::vector<int64_t> &element);
/// "C[37, 120]"
QString elementText(const TiledStage &stage, const std::vector<int64_t> &element);
/// The tile of the kernel's loops that is worth a look: it has blocks, threads, parallel loops or several levels.
bool hasTiles(const KernelTiles &kernel);
/// The kernel with most work.
int mainKernel(const std::vector<KernelTiles> &kernels);

} // namespace loopscope
