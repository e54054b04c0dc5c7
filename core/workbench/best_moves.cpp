#include "workbench/best_moves.h"

#include "schedule/script/schedule_script.h"
#include "search/moves/offered_moves.h"
#include "search/moves/predicted_change.h"

#include <algorithm>

namespace loopscope {

std::vector<BestMove> bestMoves(const LoopState &state, const Target &target, CostModel *model, ThreadPool &pool,
                                size_t most) {
    constexpr double kMinGain = -0.0005;
    const std::vector<Step> moves = offeredMoves(state, target);
    const auto changes = predictedChanges(state, moves, target, model, pool);
    std::vector<size_t> order;
    for (size_t i = 0; i < moves.size(); ++i)
        if (changes[i].value_or(0) < kMinGain) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](size_t i) { return *changes[i]; });
    order.resize(std::min(order.size(), most));
    std::vector<BestMove> best;
    for (const size_t i : order) best.push_back({moves[i], scriptLine(state, moves[i]), *changes[i]});
    return best;
}

} // namespace loopscope
