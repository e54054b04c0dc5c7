#include "lower/passes.h"

#include "loop_ir/walk.h"

#include <algorithm>
#include <string_view>

namespace loopscope {

namespace {

/// Iterations would write the same element: loops of a reduction, also fused with spatial ones.
bool carriesReduction(const LoopState &state, Stmt loop) {
    if (loop->stage < 0) return false;
    const Stage &stage = state.stage(StageId(loop->stage));
    return std::any_of(stage.iters.begin(), stage.iters.end(), [&](const Iter &iter) {
        return iter.name == loop->iter && (iter.kind == IterKind::Reduction || iter.kind == IterKind::Mixed);
    });
}

Stmt settle(const LoopState &state, Stmt stmt, bool insideParallel) {
    StmtNode node = *stmt.node();
    if (stmt->kind == StmtKind::For) {
        if (stmt->loop == LoopKind::Parallel && insideParallel) node.loop = LoopKind::Serial;
        const bool spread = stmt->loop == LoopKind::Vectorized || stmt->loop == LoopKind::Parallel;
        if (spread && carriesReduction(state, stmt)) node.loop = LoopKind::Serial;
        insideParallel = insideParallel || node.loop == LoopKind::Parallel;
    }
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body()) children.push_back(settle(state, child, insideParallel));
    if (node.loop == stmt->loop) return withChildren(stmt, children);
    return withChildren(newStmt(node), children);
}

} // namespace

void settleAnnotations(LoopProgram &program, const PassContext &context) {
    program.root = settle(context.state, program.root, false);
    numberNodes(program);
}

} // namespace loopscope
