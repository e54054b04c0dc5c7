#pragma once
// The statements by which the threads of a block combine the parts of a reduction that each of them holds: shuffles
// within a warp, shared memory between warps. They are of no stage and every thread of the block does them; no barriers
// are among them yet (placeBarriers).

#include "codegen/loop_ir/program.h"
#include "codegen/lower/thread_counts.h"
#include "language/te/op.h"

#include <functional>
#include <span>

namespace loopscope {

/// What to combine: along one axis of the block, the parts of its first `extent` threads.
struct MeetingAxis {
    LoopKind axis = LoopKind::ThreadX;
    int64_t extent = 1;
};

/// How they meet.
struct Meeting {
    enum class Kind : uint8_t {
        Shuffles, // one group; each of its threads has the result
        Groups,   // shuffles, then one value of each group in shared memory; each thread of the block has the result
        Tree,     // in shared memory, halving; each thread, likewise
    } kind = Kind::Tree;
    int64_t group = 1; // neighbours along the axis that shuffle: a power of two, within a warp
};

/// `wholeRegisters`: of values that shuffles can move. `forAll`: threads beyond the extent need the result as well.
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
    bool wholeRegisters = true;
    /// A buffer in shared memory for values of output k.
    std::function<const Buffer &(size_t k, std::vector<int64_t> shape)> share;
};

void combineParts(const ThreadParts &parts, MeetingAxis axis, Meeting meeting, std::vector<Stmt> &out);

} // namespace loopscope
