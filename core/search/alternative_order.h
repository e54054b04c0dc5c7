#pragma once
// The order of tasks that are alternatives of one another: the same answer from other tensors' layouts, of which only
// the fastest is wanted. So no round goes to one that can no longer become it, as far as anybody can tell.

#include "search/task_order.h"

#include <cstdint>
#include <memory>

namespace loopscope {

struct AlternativeOptions {
    double promise = 0.5;   // what the first round after none may gain, in shares of the time; a t-th round promises a
                            // (t + 1)-th of it
    int backwardRounds = 3; // over which what was gained is averaged, and may be gained again
    uint64_t seed = 0;      // where all promise the same
};

/// One round each, then the one that may be fastest after its next round: so much less than its best time as the rounds
/// it had leave room for, or as it gained lately. One without a valid kernel after its first round comes last, the one
/// with the fewest rounds first.
std::unique_ptr<TaskOrder> makeAlternativeOrder(const AlternativeOptions &options = {});

} // namespace loopscope
