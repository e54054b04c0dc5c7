#pragma once
// The tables of the view: rounds, the candidates of one, the tiles that were weighed for a candidate, and the regions
// of a tile.

#include "schedule/grouping/merge_history.h"
#include "schedule/grouping/overlapped_tile.h"
#include "views/grouping/row_table_model.h"
#include "views/grouping/step_facts.h"

#include <functional>

namespace loopscope {

/// A row for every place but the first; its number is the place.
TableContent roundRows(const ShownGrouping &result);
/// Of the round that led to a place; numbers are those of the round's candidates.
TableContent candidateRows(const ShownGrouping &result, size_t place);
/// Numbers are those of the tiles, in the order they were tried.
TableContent tileRows(const ShownGrouping &result, const WeighedGroup &weighed);
/// Numbers are buffers.
/// `colours`: of buffers, as the picture has them.
TableContent regionRows(const ShownGrouping &result, const OverlappedTile &tile,
                        const std::function<int(int)> &colours = {});

/// Why a candidate is not worth it, or by how much it is; a sentence.
QString candidateVerdict(const ShownGrouping &result, const GroupMerge &candidate, bool best);

} // namespace loopscope
