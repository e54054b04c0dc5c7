#pragma once
// A grouping as a schedule for a GPU: a kernel for each group. The tiles of its output are the blocks, what lies in one
// tile is shared out to the threads of a block, and members are computed by the same threads before it, into shared
// memory.

#include "language/target/target.h"
#include "schedule/grouping/grouped_schedule.h"

namespace loopscope {

/// Where tiles need more shared memory than a block may have they are halved, the longest side first, and where even
/// the smallest do, the member that needs most is computed at root, in a kernel of its own; both is noted. A group
/// without tiles has a thread for each element.
Outcome<GroupedSchedule> gpuGroupedSchedule(const Grouping &grouping, const Target &target);

} // namespace loopscope
