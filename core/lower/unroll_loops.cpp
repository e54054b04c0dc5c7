// The rule is that of TVM's loop unrolling pass under the pragma: from the inside out, a serial loop without a rolled
// loop inside is unrolled while the steps it makes stay within the limit.

#include "lower/passes.h"

#include "loop_ir/walk.h"

namespace loopscope {

namespace {

constexpr int64_t kDepthLimit = 8;

struct Inside {
    int64_t steps = 0;    // stores once everything marked is unrolled
    int64_t unrolled = 0; // nested unrolled loops
    bool rolled = false;  // a loop that stays a loop
};

Stmt unroll(Stmt stmt, int64_t limit, Inside &inside) {
    if (stmt->kind == StmtKind::For && stmt->unrollMaxStep > 0) limit = stmt->unrollMaxStep;
    if (stmt->kind == StmtKind::Store) ++inside.steps;
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body()) {
        Inside one;
        children.push_back(unroll(child, limit, one));
        inside.steps += one.steps;
        inside.unrolled = std::max(inside.unrolled, one.unrolled);
        inside.rolled = inside.rolled || one.rolled;
    }
    const Stmt rebuilt = withChildren(stmt, children);
    if (stmt->kind != StmtKind::For || stmt->loop == LoopKind::Vectorized) return rebuilt;
    const int64_t extent = constantExtent(stmt);
    const bool asked = stmt->loop == LoopKind::Unrolled && extent > 0;
    const bool fits = stmt->loop == LoopKind::Serial && extent > 0 && !inside.rolled &&
                      inside.unrolled <= kDepthLimit && extent * inside.steps <= limit;
    if (!asked && !fits) {
        inside.rolled = true;
        return rebuilt;
    }
    inside.steps *= extent;
    ++inside.unrolled;
    if (asked) return rebuilt;
    StmtNode node = *rebuilt.node();
    node.loop = LoopKind::Unrolled;
    return newStmt(node);
}

} // namespace

void unrollLoops(LoopProgram &program, const PassContext &) {
    Inside inside;
    program.root = unroll(program.root, 0, inside);
    numberNodes(program);
}

} // namespace loopscope
