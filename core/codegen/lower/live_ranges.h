#pragma once
// From where to where in a kernel the shared buffers hold what somebody still reads. Statements are counted in the
// order they stand in. A value that a round of a loop leaves to the next one, or that is written outside of the loop
// and read inside of it, is live in the whole loop.

#include "codegen/loop_ir/program.h"

#include <span>
#include <vector>

namespace loopscope {

struct LiveRange {
    int first = -1; // statement; -1: it is never used
    int last = -1;
    /// Serial loops around all of its uses, from outside in: their variables.
    std::vector<const ExprNode *> rounds;

    /// Both hold something at some time of one pass over the kernel.
    [[nodiscard]] bool meets(const LiveRange &other) const {
        return first >= 0 && other.first >= 0 && first <= other.last && other.first <= last;
    }
    /// They take turns in the rounds of a loop.
    [[nodiscard]] bool takesTurnsWith(const LiveRange &other) const {
        return !rounds.empty() && !other.rounds.empty() && rounds.front() == other.rounds.front();
    }
};

/// In the order of `buffers`.
std::vector<LiveRange> liveRanges(Stmt kernel, std::span<const Buffer *const> buffers);

} // namespace loopscope
