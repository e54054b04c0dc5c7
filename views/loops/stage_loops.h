#pragma once
// What can be said about the loops of a stage before any program is made of it: which axes each runs over, which level
// of a tiling it is, and the nests of a state whose lengths are still open.

#include "language/target/target.h"
#include "schedule/loop_state.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace loopscope {

struct LoopTree;

/// Per leaf iterator, the axes of the op it comes from, as the op names them.
std::vector<QStringList> leafAxes(const Stage &stage);
/// Per leaf iterator, how many loops over one of its axes stand outside it; -1 for a loop that is its axis's only one.
std::vector<int> leafTileLevels(const Stage &stage);
/// Leaf iterators that come from one of the nodes of the iteration graph.
std::vector<int> leavesBelow(const Stage &stage, const std::vector<int> &nodes);

/// The nests of a state, attached stages inside the loops they are attached to.
void appendStateRows(const LoopState &state, const Target &target, LoopTree &tree);
/// One row for every stage that has no loops because it was inlined.
void appendInlinedRows(const LoopState &state, LoopTree &tree);

/// Stages that read the stage in the end, through those that are inlined themselves.
std::vector<StageId> finalReaders(const LoopState &state, StageId stage);

} // namespace loopscope
