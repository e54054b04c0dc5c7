#pragma once
// What of all that can be done to a schedule promises most.

#include "base/thread_pool.h"
#include "language/target/target.h"
#include "schedule/loop_state.h"
#include "search/cost/cost_model.h"

#include <string>
#include <vector>

namespace loopscope {

struct BestMove {
    Step step;
    std::string line;  // of a script
    double change = 0; // predicted, of the time: -0.2 is a fifth less
};

/// At most `most`, the best first; what rounds to 0.0 % promises nothing. `model`: as predictedChanges has it.
std::vector<BestMove> bestMoves(const LoopState &state, const Target &target, CostModel *model, ThreadPool &pool,
                                size_t most);

} // namespace loopscope
