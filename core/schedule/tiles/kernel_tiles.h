#pragma once
// How the loops of a schedule cut what a kernel computes into tiles: on a GPU by blocks, virtual threads and threads,
// on a processor by parallel loops and tile levels; what is kept in shared and local memory meanwhile, and which thread
// brings which element there.
//
// All of it follows from the bounds, before any program is made: passes may vectorize, hoist and unroll as they like,
// the tiles stay. Values of their own, which outlive the state they were made from.

#include "schedule/bounds/thread_scope.h"
#include "schedule/tiles/tile_map.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

enum class TileKind : uint8_t { Block, VirtualThread, Thread, Parallel, Inner, Vector };
std::string_view tileKindName(TileKind kind); // "block", "virtual thread", ...

struct TileLoop {
    IterId iter;
    std::string name;
    int64_t extent = 1;
    Annotation annotation = Annotation::None;
};

/// The number of an iteration of some loops together: the sum of value x factor over nodes of the iteration graph.
struct TileNumber {
    std::vector<std::pair<int, int64_t>> digits; // node, factor
    [[nodiscard]] int64_t of(const std::vector<int64_t> &nodes) const {
        int64_t number = 0;
        for (const auto &[node, factor] : digits) number += nodes[static_cast<size_t>(node)] * factor;
        return number;
    }
};

/// Spatial loops next to one another that run alike.
struct TileLevel {
    TileKind kind = TileKind::Inner;
    std::vector<TileLoop> loops; // outermost first; those of one iteration are left out
    int64_t count = 1;           // iterations of all of them
    /// Along each spatial axis, what lies in one tile: what one iteration covers with all loops further inside.
    std::vector<int64_t> shape;
    bool whole = true; // nothing else lies between the elements of a tile
    TileNumber number; // of a tile, the loops outside left out
};

/// A stage of the kernel: its result, or what is computed (fetched) inside of it.
struct TiledStage {
    StageId stage;
    std::string name;
    std::string type;
    int elementBytes = 4;
    ScopeRank memory = ScopeRank::Global; // on a processor always global
    std::vector<std::string> axes;        // spatial
    std::vector<int64_t> shape;           // of what is computed at once
    std::vector<TileLevel> levels;        // outermost first
    std::vector<TileLoop> reductions;     // outermost first, those of one iteration included
    std::string atStage;                  // loop it is computed inside of; empty: at root
    std::string atLoop;
    int64_t times = 1;     // how often it is computed one after the other: in a block, or by a thread where it is local
    int64_t copies = 1;    // virtual threads that each have one of their own (local memory)
    int64_t allocated = 0; // elements from the first to the last, with what storage_align puts between them
    // On the whole block, each time:
    int64_t vector = 1;    // elements a thread computes with one instruction
    int64_t perThread = 1; // elements that the busiest thread computes, virtual threads included
    double reuse = 0;      // how often an element is read inside the kernel; 0: not counted
    TileMap map;
    TileNumber block;
    TileNumber virtualThread;
    TileNumber thread; // in the order of the hardware: x fastest

    [[nodiscard]] int64_t elements() const;
    /// Of a block, or of a thread where it is local.
    [[nodiscard]] int64_t bytes() const { return allocated * copies * elementBytes; }
    [[nodiscard]] const TileLevel *level(TileKind kind) const; // the outermost of that kind; null when there is none
};

struct KernelTiles {
    std::array<int64_t, 3> blocks = {1, 1, 1}; // x, y, z
    std::array<int64_t, 3> threads = {1, 1, 1};
    int64_t virtualThreads = 1;
    bool gpu = false; // some loop is bound to blocks or threads
    TiledStage output;
    std::vector<TiledStage> inside; // in the order of the stages
    int work = -1;                  // the one of `inside` that reduces; -1: the output itself, or none does
    /// Of a block, told by who has lowered the kernel: second tiles and partial results of threads with it.
    std::optional<int64_t> sharedAsLowered;

    [[nodiscard]] const TiledStage &worker() const { return work < 0 ? output : inside[static_cast<size_t>(work)]; }
    [[nodiscard]] int64_t blockCount() const { return blocks[0] * blocks[1] * blocks[2]; }
    [[nodiscard]] int64_t threadCount() const { return threads[0] * threads[1] * threads[2]; }
    [[nodiscard]] int64_t sharedBytes() const; // of a block: as lowered, else what its stages keep
    [[nodiscard]] int64_t localBytes() const;  // of a thread
};

/// A kernel for each stage computed at root, in the order of the stages.
std::vector<KernelTiles> tilesOf(const BoundedState &bounded);

/// Indented, a level a line; the same in words as the picture.
std::string tilesText(const KernelTiles &kernel);

} // namespace loopscope
