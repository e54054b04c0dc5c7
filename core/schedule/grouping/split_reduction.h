#pragma once
// Into what pieces the steps of a reduction are cut: blocks of results side by side read the same elements, which are
// gone from the core's cache when the next block comes, if the steps of one reach over more than it holds. Then all
// blocks of a tile take some of the steps before any of them goes on. The steps of each result keep their order.

#include "schedule/grouping/group_evaluation.h"

namespace loopscope {

/// The updates of a reduction in one tile.
struct ReductionTile {
    int node = 0;
    Box loops;               // of the tile
    TileSizes block;         // results in registers, by loop; those of steps do not count
    std::vector<bool> local; // by stage: its buffer holds what the tile needs and no more
    size_t cut = 0;          // the loop that may be cut: of those over steps the outermost
};

/// How many iterations of the loop are taken at a time. 0: all of them, since they fit, or since nothing is read twice.
int64_t stepsAtATime(const GroupEvaluation &evaluation, const MachineParameters &machine,
                     const std::vector<bool> &inlined, const ReductionTile &tile);

} // namespace loopscope
