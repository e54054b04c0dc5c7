#include "schedule/grouping/tile_candidates.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

constexpr std::array<int64_t, 8> kSizes = {1, 4, 8, 16, 32, 64, 128, 256};
constexpr std::array<int64_t, 9> kRows = {1, 2, 4, 8, 16, 32, 64, 128, 256};
/// Of the innermost axis, so that there is something to vectorize and to prefetch.
constexpr int64_t kMinInner = 64;

} // namespace

std::vector<TileSizes> tileCandidates(const PipelineNode &node, GroupingMode mode) {
    const size_t first = node.reduceLoops;
    const size_t rank = node.loops.size() - first;
    std::vector<TileSizes> tiles;
    const auto add = [&](const TileSizes &tile) {
        if (std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) tiles.push_back(tile);
    };
    const auto least = [](size_t axis, int64_t size) { return axis == 0 ? std::max(size, kMinInner) : size; };
    for (size_t axis = 0; axis < rank; ++axis)
        for (const int64_t size : kSizes) {
            TileSizes tile(node.loops.size(), 0);
            for (size_t other = 0; other < rank; ++other)
                tile[first + other] = other < axis ? kSizes.back() : other > axis ? kSizes.front() : least(axis, size);
            add(tile);
        }
    if (rank > 0)
        for (const int64_t size : kSizes) {
            TileSizes tile(node.loops.size(), 0);
            for (size_t axis = 0; axis < rank; ++axis) tile[first + axis] = least(axis, size);
            add(tile);
        }
    for (size_t axes = 1; axes < (size_t{1} << rank); ++axes) {
        TileSizes tile(node.loops.size(), 0);
        for (size_t axis = 0; axis < rank; ++axis)
            if (((axes >> axis) & 1) != 0) tile[first + axis] = axis == 0 ? kMinInner : 1;
        add(tile);
    }
    if (mode == GroupingMode::Fixed)
        for (const int64_t row : {int64_t{0}, int64_t{512}, int64_t{1024}})
            for (size_t axis = 1; axis < rank; ++axis)
                for (const int64_t size : kRows) {
                    TileSizes tile(node.loops.size(), 0);
                    tile[first] = row;
                    for (size_t other = 1; other < rank; ++other)
                        tile[first + other] = other < axis ? 0 : other > axis ? 1 : size;
                    add(tile);
                }
    return tiles;
}

} // namespace loopscope
