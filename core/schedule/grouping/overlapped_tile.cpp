#include "schedule/grouping/overlapped_tile.h"

#include "schedule/grouping/merge_history.h"

#include <algorithm>
#include <span>
#include <utility>

namespace loopscope {

namespace {

class TileRegions {
  public:
    TileRegions(const Grouping &grouping, const Group &group)
        : m_pipeline(withOwnArena(grouping.pipeline)), m_group(group), m_output(m_pipeline.node(group.output)),
          m_analysis(m_pipeline), m_whole(m_analysis.ofWholePipeline()) {
        m_loops =
            loopsFor(m_output, m_whole.has(m_output.stage) ? m_whole.box(m_output.stage) : std::span<const Interval>());
    }

    OverlappedTile make(const std::vector<int64_t> &at) {
        OverlappedTile tile;
        for (size_t loop = 0; loop < m_loops.size(); ++loop) {
            const int64_t size = sizeAlong(loop);
            tile.counts.push_back(size == 0 ? 1 : (extent(loop) + size - 1) / size);
            tile.tiles = mulSaturating(tile.tiles, tile.counts.back());
            const int64_t wanted = loop < at.size() ? at[loop] : (tile.counts.back() - 1) / 2;
            tile.at.push_back(std::clamp<int64_t>(wanted, 0, tile.counts.back() - 1));
        }
        const NeededRegions needed = neededBy(tile.at);
        const std::vector<NeededRegions> beside = neighbours(tile);
        for (int stage = m_output.stage; stage >= 0; --stage) add(tile, stage, needed, beside);
        for (size_t b = m_pipeline.stages.size(); b < m_pipeline.bufferCount(); ++b)
            add(tile, static_cast<BufferNumber>(b), needed, beside);
        std::stable_sort(tile.regions.begin(), tile.regions.end(),
                         [](const TileRegion &a, const TileRegion &b) { return a.input < b.input; });
        return tile;
    }

  private:
    [[nodiscard]] int64_t extent(size_t loop) const { return m_loops[loop].max - m_loops[loop].min + 1; }
    /// 0: not cut.
    [[nodiscard]] int64_t sizeAlong(size_t loop) const {
        const int64_t size = loop < m_group.tile.size() ? m_group.tile[loop] : 0;
        return size > 0 && size < extent(loop) ? size : 0;
    }

    [[nodiscard]] Box boxAt(const std::vector<int64_t> &at) const {
        Box box = m_loops;
        for (size_t loop = 0; loop < box.size(); ++loop) {
            const int64_t size = sizeAlong(loop);
            if (size == 0) continue;
            box[loop].min += at[loop] * size;
            box[loop].max = std::min(box[loop].min + size - 1, m_loops[loop].max);
        }
        return box;
    }

    [[nodiscard]] NeededRegions neededBy(const std::vector<int64_t> &at) const {
        return m_analysis.needed(m_group.output, boxAt(at), m_group.holds);
    }

    /// The next tile along each loop that is cut.
    [[nodiscard]] std::vector<NeededRegions> neighbours(const OverlappedTile &tile) {
        std::vector<NeededRegions> beside;
        m_tilesAlong.clear();
        for (size_t loop = 0; loop < tile.counts.size(); ++loop) {
            if (tile.counts[loop] < 2) continue;
            std::vector<int64_t> at = tile.at;
            at[loop] += at[loop] + 1 < tile.counts[loop] ? 1 : -1;
            beside.push_back(neededBy(at));
            m_tilesAlong.push_back(tile.counts[loop]);
        }
        return beside;
    }

    void add(OverlappedTile &tile, BufferNumber buffer, const NeededRegions &needed,
             const std::vector<NeededRegions> &beside) const {
        const bool output = buffer == m_output.stage;
        const bool member = !m_pipeline.isInput(buffer) && m_group.holds[static_cast<size_t>(buffer)];
        if (!output && !needed.computed.has(buffer)) return;
        TileRegion region;
        region.buffer = buffer;
        region.input = !member;
        region.inlined = member && m_group.inlined[static_cast<size_t>(buffer)];
        const Box loops = boxAt(tile.at);
        if (output) {
            region.region = writtenBy(m_pipeline, m_output, loops);
        } else {
            const auto computed = needed.computed.box(buffer);
            region.region.assign(computed.begin(), computed.end());
        }
        region.whole = region.region;
        if (m_whole.has(buffer)) region.whole.assign(m_whole.box(buffer).begin(), m_whole.box(buffer).end());
        if (member && !output && !region.inlined) region.repeated = repeatedShare(buffer, region.region, beside);
        tile.regions.push_back(std::move(region));
    }

    /// What a tile adds is as wide as the way from its region to that of the next tile. A loop along which the region
    /// stays where it is computes all of it anew for each of its tiles.
    [[nodiscard]] double repeatedShare(BufferNumber buffer, const Box &region,
                                       const std::vector<NeededRegions> &beside) const {
        std::vector<int64_t> way(region.size(), 0);
        double again = 1;
        for (size_t i = 0; i < beside.size(); ++i) {
            bool moves = false;
            const auto next = beside[i].computed.box(buffer);
            for (size_t d = 0; d < region.size(); ++d) {
                // The end that is farther: at a border the other one may be held by a clamp.
                const int64_t step =
                    std::max(std::abs(next[d].min - region[d].min), std::abs(next[d].max - region[d].max));
                moves = moves || step > 0;
                way[d] += step;
            }
            if (!moves) again *= static_cast<double>(m_tilesAlong[i]);
        }
        double fresh = 1;
        for (size_t d = 0; d < region.size(); ++d) {
            const int64_t length = region[d].max - region[d].min + 1;
            fresh *= static_cast<double>(way[d] > 0 ? std::min(way[d], length) : length);
        }
        return static_cast<double>(boxPoints(region)) * again / fresh - 1;
    }

    Pipeline m_pipeline;
    const Group &m_group;
    const PipelineNode &m_output;
    RegionAnalysis m_analysis;
    Regions m_whole;
    Box m_loops; // of the output's node, whole
    std::vector<int64_t> m_tilesAlong;
};

} // namespace

OverlappedTile overlappedTile(const Grouping &grouping, const Group &group, const std::vector<int64_t> &at) {
    return TileRegions(grouping, group).make(at);
}

} // namespace loopscope
