#include "schedule/bounds/thread_scope.h"

#include "schedule/iteration_graph.h"

#include <algorithm>

namespace loopscope {

ScopeRank scopeRank(const LoopState &state, StageId id) {
    const std::string &scope = state.stage(id).scope;
    if (scope == "global") return ScopeRank::Global;
    if (scope == "shared") return ScopeRank::Shared;
    if (scope == "warp") return ScopeRank::Warp;
    if (!scope.empty()) return ScopeRank::Local; // local and the accelerators' private memories
    int rank = -1;
    for (AttachPoint at = state.attachedTo(id); at.stage.value >= 0; at = state.attachedTo(at.stage)) {
        const std::vector<Iter> &iters = state.stage(at.stage).iters;
        for (size_t i = 0; i <= at.iter.index(); ++i)
            if (isThread(iters[i].annotation)) rank = std::max(rank, threadRank(iters[i].annotation));
    }
    if (rank < 0) return ScopeRank::Global;
    return rank == 0 ? ScopeRank::Shared : ScopeRank::Local;
}

} // namespace loopscope
