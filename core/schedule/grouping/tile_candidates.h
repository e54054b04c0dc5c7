#pragma once
// The tiles that are tried for a group.

#include "schedule/grouping/group.h"

#include <vector>

namespace loopscope {

/// Skewed, nearly square and merely reordered tiles of the node's spatial loops, in the order they are tried. None of
/// them is "no tile", which is always tried first. In fixed also such tiles of whole rows, or of long ones.
std::vector<TileSizes> tileCandidates(const PipelineNode &node, GroupingMode mode = GroupingMode::Compat);

} // namespace loopscope
