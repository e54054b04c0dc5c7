// The rule is that of TVM's loop unrolling pass under the pragma: from the inside out, a serial loop without a rolled
// loop inside is unrolled while the steps it makes stay within the limit. Beyond it, a short nest that copies or
// finishes what a stack buffer holds is always unrolled: with constant indices on both sides the buffer of a register
// tile dissolves, and the tile goes from registers to its destination. On GPUs the loops that index a thread's local
// memory are unrolled for the same reason, virtual threads included: registers have no index.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kDepthLimit = 8;
constexpr int64_t kCopyLimit = 24; // stores of an unrolled copy: what registers could have held, twice

constexpr int64_t kLocalElements = 256; // of a local buffer that registers may hold
constexpr int64_t kLocalSteps = 4096;   // stores of an unrolled nest over such buffers

/// The loop's variable chooses among elements of a thread's local memory.
bool indexesLocal(Stmt loop) {
    bool found = false;
    const auto look = [&](const Buffer &buffer, std::span<const Expr> indices) {
        if (buffer.scope != MemoryScope::Local || buffer.elements() > kLocalElements) return;
        for (const Expr index : indices) found = found || usesVar(index, loop->var);
    };
    forEachStmt(loop, [&](Stmt s) {
        if (s->kind == StmtKind::Store) look(*s->buffer, s->index());
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind == ExprKind::Load) look(static_cast<const Buffer &>(*e->symbol), e->operands());
            });
        });
    });
    return found;
}

struct Inside {
    int64_t steps = 0;     // stores once everything marked is unrolled
    int64_t unrolled = 0;  // nested unrolled loops
    bool rolled = false;   // a loop that stays a loop
    bool fromStack = true; // every store reads a stack buffer
};

bool readsStack(Expr e) {
    if (e->kind == ExprKind::Load && static_cast<const Buffer &>(*e->symbol).scope == MemoryScope::Stack) return true;
    return std::any_of(e->operands().begin(), e->operands().end(), readsStack);
}

Stmt unroll(Stmt stmt, int64_t limit, Inside &inside) {
    if (stmt->kind == StmtKind::For && stmt->unrollMaxStep >= 0) limit = stmt->unrollMaxStep;
    if (stmt->kind == StmtKind::Store) {
        ++inside.steps;
        inside.fromStack = stmt->buffer->scope != MemoryScope::Stack && readsStack(stmt->value);
    }
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body()) {
        Inside one;
        children.push_back(unroll(child, limit, one));
        inside.steps += one.steps;
        inside.unrolled = std::max(inside.unrolled, one.unrolled);
        inside.rolled = inside.rolled || one.rolled;
        inside.fromStack = inside.fromStack && one.fromStack;
    }
    const Stmt rebuilt = withChildren(stmt, children);
    if (stmt->kind != StmtKind::For || stmt->loop == LoopKind::Vectorized) return rebuilt;
    const int64_t extent = constantExtent(stmt);
    const bool asked = (stmt->loop == LoopKind::Unrolled || stmt->loop == LoopKind::VThread) && extent > 0;
    const bool local =
        stmt->loop == LoopKind::Serial && extent > 0 && extent * inside.steps <= kLocalSteps && indexesLocal(stmt);
    const int64_t most = inside.fromStack ? std::max(limit, kCopyLimit) : limit;
    const bool fits = stmt->loop == LoopKind::Serial && extent > 0 && !inside.rolled &&
                      inside.unrolled <= kDepthLimit && extent * inside.steps <= most;
    if (!asked && !local && !fits) {
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
