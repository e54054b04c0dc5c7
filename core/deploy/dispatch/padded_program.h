#pragma once
// A program for the multiples of a tile as one for every size: it runs for the next multiple, and what lies beyond the
// size is computed of the last values there are and kept nowhere, or the last tile begins earlier. So tiles that are
// not full cost as much as full ones, and no more: their loops are the same, with extents that are known when code is
// made. Rows that count are computed as in the kernel of the multiple, sum by sum.

#include "base/outcome.h"
#include "deploy/dispatch/symbolic_program.h"

#include <cstdint>

namespace loopscope {

/// `whole` holds at multiples of `tile`. Refuses programs in which the size is more than how many rows there are: that
/// sum over it, compute with it or with the number of a row, or give rows other numbers.
Outcome<SymbolicProgramPtr> paddedProgram(const SymbolicProgramPtr &whole, int64_t tile);

} // namespace loopscope
