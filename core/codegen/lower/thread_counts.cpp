#include "codegen/lower/thread_counts.h"

#include "codegen/loop_ir/walk.h"
#include "schedule/stage_facts.h"

#include <algorithm>

namespace loopscope {

int64_t ThreadCounts::strideOf(LoopKind axis) const {
    int64_t stride = 1;
    for (size_t inner = 0; inner < indexOf(axis); ++inner) stride *= extents.at(inner);
    return stride;
}

void ThreadCounts::widen(LoopKind axis, int64_t extent) {
    int64_t &count = extents.at(indexOf(axis));
    count = std::max(count, extent);
}

std::vector<ThreadCounts> threadCounts(const LoopProgram &program, const LoopState &state) {
    std::vector<ThreadCounts> counts(state.stageCount());
    forEachStmt(program.root, [&](Stmt s) {
        if (s->kind != StmtKind::For || s->stage.value < 0) return;
        ThreadCounts &kernel = counts[rootOf(state, s->stage).index()];
        if (isThreadAxis(s->loop)) kernel.widen(s->loop, constantExtent(s));
        kernel.severalBlocks = kernel.severalBlocks || isBlockAxis(s->loop);
    });
    return counts;
}

ScopeRank kernelScope(const LoopState &state, StageId id, const ThreadCounts &kernel) {
    const ScopeRank rank = scopeRank(state, id);
    const bool implied = state.stage(id).scope.empty();
    return implied && rank == ScopeRank::Global && !kernel.severalBlocks ? ScopeRank::Shared : rank;
}

} // namespace loopscope
