#pragma once
// The statements by which the threads of a block combine the parts of a reduction that each of them holds: shuffles
// within a warp, shared memory between warps. They are of no stage and every thread of the block does them; no barriers
// are among them yet (placeBarriers).

#include "loop_ir/program.h"
#include "lower/thread_counts.h"
#include "te/op.h"

#include <functional>
#include <span>

namespace loopscope {

/// How the parts along one axis of threads meet.
enum class Meeting : uint8_t {
    Shuffles, // within groups of neighbours in a warp; each thread of a group has the result
    Warps,    // shuffles, then one value of each warp; each thread of the block (of those that differ along the axis)
    Tree,     // in shared memory, halving; each thread of the block, likewise
};

/// What to combine: along one axis of the block, the parts of its first `extent` threads.
struct MeetingAxis {
    LoopKind axis = LoopKind::ThreadX;
    int64_t extent = 1;
};

/// `forAll`: threads beyond the extent need the result as well.
Meeting meetingOf(MeetingAxis axis, const ThreadCounts &counts, int64_t warp, bool wholeRegisters, bool forAll);

/// Where a thread's own part is, one per output of the reduction, and what the statements may use.
struct ThreadParts {
    const Combiner &combiner;
    std::vector<const Buffer *> partial; // local; combined in place
    std::vector<Expr> indices;           // of the element in each of them
    std::vector<const Buffer *> other;   // local, one element each: another thread's part
    std::array<Expr, 3> threads;         // the thread's numbers
    ThreadCounts counts;
    int64_t warp = 32;
    /// A buffer in shared memory for values of output k.
    std::function<const Buffer &(size_t k, std::vector<int64_t> shape)> share;
};

void combineParts(const ThreadParts &parts, MeetingAxis axis, Meeting how, std::vector<Stmt> &out);

} // namespace loopscope
