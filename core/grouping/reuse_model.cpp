// The cost of a tile in the mode "fixed": what its members read of each other and read again comes from the cache of
// the core, as far as all that is alive in the tile fits there together; what they read of others is fetched once for
// every tile. Averages are exact where tiles do not divide.

#include "grouping/group_evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

int64_t roundedCost(double cost) {
    constexpr double most = 9.0e18;
    return cost >= most ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(std::llround(cost));
}

} // namespace

/// Of a byte among so many that are touched again and again: a little where the core keeps them, all of the balance
/// where not even the last cache does.
double GroupEvaluation::residentFactor(double bytes) const {
    constexpr double inCore = 2;
    const auto core = static_cast<double>(m_machine.coreCache);
    const double last = std::max(static_cast<double>(m_machine.lastLevelCache), 2 * core);
    if (bytes <= core) return 1 + (inCore - 1) * bytes / core;
    return std::min(inCore + (m_machine.balance - inCore) * (bytes - core) / (last - core),
                    std::max(m_machine.balance, inCore));
}

double GroupEvaluation::memoryByReuse(const Group &group, const TileWork &work, const Box &bounds,
                                      const NeededRegions &needed) const {
    const PipelineNode &output = m_pipeline.node(group.output);
    const auto regionBytes = [&](BufferNumber buffer) {
        const int64_t points = buffer == output.stage ? boxPoints(std::span(bounds).subspan(output.reduceLoops))
                                                      : boxPoints(needed.allocated(buffer));
        return static_cast<double>(points) * static_cast<double>(m_pipeline.bytesOf(buffer));
    };
    double alive = 0;
    for (size_t b = 0; b < work.bytes.size(); ++b)
        if (work.bytes[b] > 0) alive += regionBytes(static_cast<BufferNumber>(b));
    const double again = residentFactor(alive);
    double memory = 0;
    for (size_t b = 0; b < work.bytes.size(); ++b) {
        if (work.bytes[b] == 0) continue;
        const auto buffer = static_cast<BufferNumber>(b);
        const auto touched = static_cast<double>(work.bytes[b]);
        if (isLocal(group, buffer)) {
            memory += again * touched;
            continue;
        }
        const double once = std::min(regionBytes(buffer), touched);
        const double whole =
            static_cast<double>(boxPoints(m_whole.box(buffer))) * static_cast<double>(m_pipeline.bytesOf(buffer));
        memory += std::max(residentFactor(whole), again) * once + again * (touched - once);
    }
    return memory;
}

GroupCost GroupEvaluation::fixedCost(const Group &group, const Weighed &weighed, const TileSizes &tile) const {
    const PipelineNode &output = m_pipeline.node(group.output);
    GroupCost cost;
    double tiles = 1;
    const Box &whole = nodeBounds(group.output);
    for (size_t loop = 0; loop < tile.size(); ++loop) {
        const int64_t extent = whole[loop].max - whole[loop].min + 1;
        if (tile[loop] == 0 || tile[loop] >= extent) continue;
        tiles *= static_cast<double>(extent) / static_cast<double>(tile[loop]);
        if (!isSerial(output, loop))
            cost.parallelism = mulSaturating(cost.parallelism, (extent + tile[loop] - 1) / tile[loop]);
    }
    const Box bounds = tileBounds(group.output, tile);
    const NeededRegions needed = m_regions.needed(group.output, bounds, group.holds);
    const TileWork work = workOf(weighed, bounds, needed);
    cost.arith = roundedCost(tiles * static_cast<double>(work.arith));
    cost.memory = roundedCost(tiles * memoryByReuse(group, work, bounds, needed));
    return cost;
}

} // namespace loopscope
