#pragma once
// What of all that can be done to a schedule promises most.

#include "cost/cost_model.h"
#include "schedule/loop_state.h"
#include "target/target.h"
#include "thread_pool.h"

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
