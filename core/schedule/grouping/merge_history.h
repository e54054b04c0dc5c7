#pragma once
// How a grouping came about, told again from what it recorded: the groups after any number of its merges, and what was
// weighed for a merge that was not done.

#include "schedule/grouping/group.h"

#include <cstddef>
#include <vector>

namespace loopscope {

/// How many merges had been done when a round began.
size_t mergesBefore(const Grouping &grouping, size_t round);

/// The groups after the first so many merges, by the name of the output. Nothing is weighed anew.
std::vector<Group> groupsAfter(const Grouping &grouping, size_t merges);

GroupingTotals totalsOf(const std::vector<Group> &groups);

/// What becomes of one consumer of a merge.
struct WeighedGroup {
    Group before;
    Group after; // with the best of the tiles
    std::vector<TileCost> tiles;
    size_t best = 0;
};

/// Weighs a candidate of a round again, with all tiles; of each consumer.
std::vector<WeighedGroup> weighMerge(const Grouping &grouping, size_t round, const GroupMerge &candidate);

/// A pipeline whose expressions are made in an arena of its own from here on, so that several threads may weigh one
/// grouping.
Pipeline withOwnArena(const Pipeline &pipeline);

} // namespace loopscope
