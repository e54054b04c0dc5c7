#pragma once
// What a group costs for a tile: operations and loads of all members for one tile of its output, halos included, times
// the tiles.

#include "schedule/grouping/group.h"
#include "schedule/grouping/point_costs.h"
#include "schedule/grouping/region.h"
#include "schedule/grouping/reuse_model.h"

#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace loopscope {

class GroupEvaluation {
  public:
    /// Both outlive it.
    GroupEvaluation(const Pipeline &pipeline, const MachineParameters &machine,
                    GroupingMode mode = GroupingMode::Compat);

    /// Of one tile; the group's own tile is not looked at.
    GroupCost cost(const Group &group, const TileSizes &tile);
    /// No tile, then all candidates.
    std::vector<TileCost> allTiles(const Group &group);
    /// The first of those that saves most against those before it while it leaves enough parallelism; otherwise no
    /// tile.
    [[nodiscard]] size_t bestTile(const std::vector<TileCost> &tiles) const;
    /// The same of all tiles, which prices only what may be it.
    TileCost cheapestTile(const Group &group);
    [[nodiscard]] bool parallelEnough(const GroupCost &cost) const { return cost.parallelism >= m_machine.parallelism; }

    /// The loops of a node for one tile of it; in compat whole where two tiles do not fit.
    [[nodiscard]] Box tileBounds(int node, const TileSizes &tile) const;
    [[nodiscard]] NeededRegions needed(const Group &group, const TileSizes &tile) const;
    /// By a nest of a group in these loops of it.
    [[nodiscard]] NeededRegions neededBy(int node, const Box &loops, const Group &group) const {
        return m_regions.needed(node, loops, group.holds);
    }
    /// All that is computed or read of each buffer.
    [[nodiscard]] const Regions &whole() const { return m_whole; }
    [[nodiscard]] const Box &nodeBounds(int node) const { return m_nodeBounds[static_cast<size_t>(node)]; }
    /// A point of the node where all of these stages are inlined.
    const PointCost &pointCost(int node, const std::vector<bool> &inlined) { return m_points.cost(node, inlined); }
    /// What the node reads in these loops, itself or by what is inlined.
    [[nodiscard]] Regions readBy(int node, const Box &loops, const std::vector<bool> &inlined) const;
    [[nodiscard]] const Pipeline &pipeline() const { return m_pipeline; }
    [[nodiscard]] const std::vector<int> &readStages(int node) const { return m_points.readStages(node); }

  private:
    struct Weighed { // a group's nodes with their costs, for all tiles
        std::vector<std::pair<int, const PointCost *>> members;
        const PointCost *output = nullptr;
        int outputNode = 0;
        std::vector<Lifetime> lifetimes; // by buffer
    };
    Weighed weigh(const Group &group);
    /// One tile; kept from one to the next for its memory.
    struct Tile {
        Box bounds; // loops of the output
        NeededRegions needed;
        int64_t arith = 0;          // of all members
        std::vector<int64_t> bytes; // loaded and stored, by buffer
        /// Of those, what each nest comes to for the first time.
        std::vector<int64_t> streamed;
        std::vector<int64_t> regions; // bytes of each buffer's region; -1: not asked yet
        std::vector<TouchedBuffer> touched;
        Box box;
    };
    /// Where operations alone come to `most`, memory is left out.
    GroupCost cost(const Group &group, const Weighed &weighed, const TileSizes &tile, int64_t most = kAnyCost);
    void tileBounds(int node, const TileSizes &tile, Box &bounds) const;
    void findNeeded(const Group &group, const TileSizes &tile);
    void findWork(const Weighed &weighed);
    /// Of one node in these loops.
    void addWork(int node, const PointCost &point, const Box &loops, int outputNode);
    /// What is needed of a buffer for the tile of the output.
    const Box &regionOf(BufferNumber buffer, int outputNode);
    /// Of a node's points in a box of its loops; in fixed of whole vectors, and where no loop runs along what they are
    /// of, each point takes as long as one.
    [[nodiscard]] int64_t arithOf(int node, const PointCost &point, const Box &loops) const;
    /// The buffer holds what one tile needs, and is gone after it.
    [[nodiscard]] bool isLocal(const Group &group, BufferNumber buffer) const;
    /// Of one tile: each buffer is priced by its own size.
    [[nodiscard]] int64_t memoryBySize(const Group &group);
    [[nodiscard]] double memoryOfTile(const Group &group, const Weighed &weighed);
    GroupCost fixedCost(const Group &group, const Weighed &weighed, const TileSizes &tile, int64_t most = kAnyCost);
    static constexpr int64_t kAnyCost = std::numeric_limits<int64_t>::max();
    /// No fewer tiles than may be computed at the same time.
    [[nodiscard]] int64_t maxParallel(const Group &group, const TileSizes &tile) const;
    [[nodiscard]] int64_t loadFactor(int64_t footprint) const;

    const Pipeline &m_pipeline;
    const MachineParameters &m_machine;
    GroupingMode m_mode;
    RegionAnalysis m_regions;
    Regions m_whole;
    std::vector<Box> m_nodeBounds;
    std::vector<int64_t> m_elementBytes; // by buffer
    std::vector<int> m_lanes;            // of a vector, by node
    Tile m_tile;
    PointCosts m_points;
};

/// A reduce loop of more than one step takes its steps in turn, as every step writes where the last one did.
inline bool isSerial(const PipelineNode &node, size_t loop) {
    return loop < node.reduceLoops && node.loops[loop].extent > 1;
}

/// Elements of a vector of the node's widest value.
int lanesOf(const PipelineNode &node, const MachineParameters &machine);

} // namespace loopscope
