#pragma once
// Which members of a tile can be computed row by row of a nest that reads them, instead of all at once before it: those
// of which its rows need disjoint parts, so that nothing is computed twice. Their buffers are then lines, which the
// first cache keeps. A stencil across the rows has none of that: its rows share what they read.

#include "schedule/grouping/group_evaluation.h"

#include <vector>

namespace loopscope {

struct LineBuffers {
    int axis = -1;            // loop of the nest whose rows they are of; -1: there are none
    std::vector<bool> stages; // are computed row by row
    NeededRegions row;        // what one row needs of them
    double spared = 0;        // bytes of their buffers
};

/// What reads a group's members, inlined stages looked through.
class GroupReaders {
  public:
    GroupReaders(GroupEvaluation &evaluation, const Group &group, const std::vector<bool> &inlined);
    /// Stages of the group, the output among them, that have loops and read it.
    [[nodiscard]] const std::vector<int> &of(int stage) const { return m_readers[static_cast<size_t>(stage)]; }

  private:
    std::vector<std::vector<int>> m_readers; // by stage
};

/// A nest in a tile, as far as rows of it are concerned.
struct RowNest {
    int node = 0;
    Box loops;                 // of the tile
    std::vector<int64_t> rows; // by loop: how many of its values one iteration of the row loop takes; 0: no row loop
    std::vector<bool> open;    // by stage: members that have no place yet
};

/// For the loop that spares most.
LineBuffers lineBuffers(const GroupEvaluation &evaluation, const MachineParameters &machine, const Group &group,
                        const GroupReaders &readers, const RowNest &nest);

} // namespace loopscope
