#include "codegen/llvm/unroll_plan.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <vector>

namespace loopscope {

namespace {

/// A loop annotated `unroll` is written out up to this many stores; beyond it, code size costs more than it saves.
constexpr int64_t maxUnrolledSteps = 4096;

struct LaneCheck {
    std::vector<const ExprNode *> dependent; // variables that differ between lanes
    std::vector<const TensorSymbol *> inner; // buffers with a copy per lane

    [[nodiscard]] bool differs(Expr e) const {
        if (!e) return false;
        bool found = false;
        postOrder(e, [&](Expr node) {
            if (node->kind == ExprKind::Var)
                found = found || std::ranges::find(dependent, node.node()) != dependent.end();
            if (node->kind == ExprKind::Load) found = found || std::ranges::find(inner, node->symbol) != inner.end();
        });
        return found;
    }

    bool check(Stmt stmt) {
        const StmtNode &node = *stmt.node();
        switch (node.kind) {
        case StmtKind::Block:
            return std::ranges::all_of(node.body(), [&](Stmt child) { return check(child); });
        case StmtKind::For:
            if (node.loop == LoopKind::Vectorized && node.extent->kind == ExprKind::IntImm && node.extent->intValue > 1)
                return false;
            if (node.loop == LoopKind::Parallel || differs(node.extent)) return false;
            if (differs(node.min)) dependent.push_back(node.var.node());
            return check(node.body()[0]);
        case StmtKind::Store: {
            if (std::ranges::find(inner, node.buffer) != inner.end()) return true;
            return std::ranges::any_of(node.index(), [&](Expr e) { return differs(e); });
        }
        case StmtKind::If:
            return std::ranges::all_of(node.body(), [&](Stmt child) { return !child || check(child); });
        case StmtKind::Let:
            if (differs(node.value)) dependent.push_back(node.var.node());
            return check(node.body()[0]);
        case StmtKind::Allocate:
            inner.push_back(node.buffer);
            return check(node.body()[0]);
        case StmtKind::Barrier:
            return false;
        }
        return false;
    }
};

bool indexedBy(std::span<const Expr> indices, Expr var) {
    return std::ranges::any_of(indices, [&](Expr index) { return usesVar(index, var); });
}

/// An element of a local buffer is chosen by the loop's variable.
bool indexesLocalMemory(const StmtNode &loop) {
    const auto local = [](const TensorSymbol *symbol) {
        const MemoryScope scope = static_cast<const Buffer *>(symbol)->scope;
        return scope == MemoryScope::Local || scope == MemoryScope::Register;
    };
    bool found = false;
    forEachStmt(loop.body()[0], [&](Stmt s) {
        if (s->kind == StmtKind::Store && local(s->buffer)) found = found || indexedBy(s->index(), loop.var);
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind == ExprKind::Load && local(e->symbol)) found = found || indexedBy(e->operands(), loop.var);
            });
        });
    });
    return found;
}

bool readsMemory(Expr e) {
    bool found = false;
    postOrder(e, [&](Expr part) { found = found || part->kind == ExprKind::Load; });
    return found;
}

/// Of what is computed in lanes. Places that are computed are none of it: of addresses there is one, however wide.
void widestElement(Expr e, int &bytes) {
    const bool index = e->kind == ExprKind::Var || e->kind == ExprKind::IntImm;
    if (e->kind == ExprKind::Load || e->kind == ExprKind::Cast || (!index && isFloat(e->dtype)))
        bytes = std::max(bytes, dtypeBytes(e->dtype));
    for (const Expr operand : e->operands())
        if (e->kind != ExprKind::Load || readsMemory(operand)) widestElement(operand, bytes);
}

void widestElement(Stmt stmt, int &bytes) {
    if (!stmt) return;
    if (stmt->kind == StmtKind::Store) {
        bytes = std::max(bytes, dtypeBytes(stmt->buffer->dtype));
        widestElement(stmt->value, bytes);
    }
    for (Stmt child : stmt->body()) widestElement(child, bytes);
}

} // namespace

bool canVectorize(const StmtNode &loop) {
    if (loop.extent->kind != ExprKind::IntImm || loop.extent->intValue < 2) return false;
    LaneCheck check;
    check.dependent.push_back(loop.var.node());
    return check.check(loop.body()[0]);
}

std::vector<SerialisedLoop> loopsWithoutLanes(const LoopProgram &program) {
    std::vector<SerialisedLoop> found;
    const auto visit = [&](const auto &self, Stmt stmt, bool insideVector) -> void {
        const bool asks = stmt->kind == StmtKind::For && stmt->loop == LoopKind::Vectorized && !insideVector &&
                          !(stmt->extent->kind == ExprKind::IntImm && stmt->extent->intValue < 2);
        const bool lanes = asks && canVectorize(*stmt.node());
        if (asks && !lanes) {
            const SerialisedLoop loop{SerialisedLoop::Why::NoLanes, LoopKind::Vectorized, stmt->stage, stmt->iter,
                                      stmt->iterName == nullptr ? "" : stmt->iterName};
            if (std::ranges::find(found, loop) == found.end()) found.push_back(loop);
        }
        for (const Stmt child : stmt->body())
            if (child) self(self, child, insideVector || lanes);
    };
    if (program.root) visit(visit, program.root, false);
    return found;
}

int chunkLanes(const StmtNode &loop, int vectorBytes) {
    int bytes = 1;
    widestElement(loop.body()[0], bytes);
    return std::max(1, std::min(64, vectorBytes / bytes));
}

UnrollPlan::UnrollPlan(const LoopProgram &program, bool onGpu) : m_onGpu(onGpu) {
    if (program.root) visit(program.root, 0, false);
}

UnrollPlan::Visit UnrollPlan::visit(Stmt stmt, int maxStep, bool insideVector) {
    const StmtNode &node = *stmt.node();
    Visit result;
    if (node.kind == StmtKind::For && node.unrollMaxStep >= 0) maxStep = node.unrollMaxStep;
    const bool lanes =
        node.kind == StmtKind::For && node.loop == LoopKind::Vectorized && !insideVector && canVectorize(node);
    if (lanes) m_vectorized.insert(&node);
    for (Stmt child : node.body()) {
        if (!child) continue;
        const Visit inner = visit(child, maxStep, insideVector || lanes);
        result.steps += inner.steps;
        result.hasLoop = result.hasLoop || inner.hasLoop;
    }
    if (node.kind == StmtKind::Store) result.steps = 1;
    if (node.kind == StmtKind::For) {
        const int64_t extent = node.extent->kind == ExprKind::IntImm ? node.extent->intValue : -1;
        const int64_t written = extent < 0 ? INT64_MAX : result.steps * std::min<int64_t>(extent, 1 << 20);
        if (lanes) {
            // One vector store each; a long row of chunks becomes a loop in the emitter and counts like one step.
        } else if (extent == 1) {
            m_unrolled.insert(&node);
        } else if ((node.loop == LoopKind::Unrolled || (m_onGpu && indexesLocalMemory(node))) &&
                   written <= maxUnrolledSteps) {
            m_unrolled.insert(&node);
            result.steps = written;
        } else if (node.loop == LoopKind::Serial && !result.hasLoop && written <= maxStep) {
            // Ansor's auto_unroll: innermost loops, as long as the product of what is written out stays within the
            // limit.
            m_unrolled.insert(&node);
            result.steps = written;
        } else {
            result.hasLoop = true;
        }
    }
    m_steps[&node] = result.steps;
    return result;
}

} // namespace loopscope
