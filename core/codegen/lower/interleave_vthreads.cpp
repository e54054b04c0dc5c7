// The virtual threads of a thread do their work side by side, so that what is the same for all of them is done once and
// what one of them waits for hides behind the others:
//
//     vthread v in 0 .. 2:                     for k:
//         C.local[i] = 0                           S[t] = A[k, t]
//         for k:                           ->      for i:
//             S[t] = A[k, t]                           vthread v in 0 .. 2:
//             for i: C.local[i] += S[i + v*8]              C.local[v, i] += S[i + v*8]
//
// A loop over virtual threads goes inward, past loops that reduce and past statements that know nothing of it. Local
// memory that it fills gets a dimension for it. Where that cannot be told to mean the same, the loop stays where it
// was: one virtual thread after the other.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"

#include <set>

namespace loopscope {

namespace {

using Buffers = std::set<const TensorSymbol *>;

/// One loop over virtual threads.
class Interleaving {
  public:
    Interleaving(Stmt root, Stmt loop) : m_loop(loop) {
        for (size_t known = 1; known != m_own.size() + m_vars.size();) {
            known = m_own.size() + m_vars.size();
            if (m_vars.empty()) m_vars.insert(loop->var.node());
            collect(loop->children[0], false);
        }
        // Seen by others than the loop's own statements: it has to stay as it is.
        for (const TensorSymbol *buffer : m_own) m_legal = m_legal && accesses(root, buffer) == accesses(loop, buffer);
    }

    /// The loop's body with the loop inside; the loop itself where it has to stay.
    Stmt run() {
        if (!m_legal) return m_loop;
        const Stmt result = distributed(m_loop->children[0]);
        return m_legal ? result : m_loop;
    }

    /// Local memory that each virtual thread needs for itself; empty where the loop stayed.
    [[nodiscard]] Buffers own() const { return m_legal ? m_own : Buffers{}; }

  private:
    static int accesses(Stmt stmt, const TensorSymbol *buffer) {
        int count = 0;
        forEachStmt(stmt, [&](Stmt s) {
            count += s->kind == StmtKind::Store && s->buffer == buffer ? 1 : 0;
            forEachOwnExpr(s, [&](Expr own) {
                postOrder(own, [&](Expr e) { count += e->kind == ExprKind::Load && e->symbol == buffer ? 1 : 0; });
            });
        });
        return count;
    }

    /// Its value or place differs between virtual threads.
    [[nodiscard]] bool differs(Stmt stmt) const {
        bool found = false;
        forEachOwnExpr(stmt, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                found = found || (e->kind == ExprKind::Var && m_vars.contains(e.node())) ||
                        (e->kind == ExprKind::Load && m_own.contains(e->symbol));
            });
        });
        return found;
    }

    /// Adds what differs between virtual threads; `under`: a condition around does.
    void collect(Stmt stmt, bool under) {
        const bool here = under || differs(stmt);
        switch (stmt->kind) {
        case StmtKind::Store:
            if (!here && !m_own.contains(stmt->buffer)) return;
            // Memory that others see: of the loop's own stage each virtual thread has elements of its own.
            if (stmt->buffer->scope == MemoryScope::Local)
                m_own.insert(stmt->buffer);
            else if (stmt->buffer->scope == MemoryScope::Shared || stmt->stage != m_loop->stage)
                m_legal = false;
            m_stores.insert(stmt.node());
            return;
        case StmtKind::Let:
            if (here) m_vars.insert(stmt->var.node());
            break;
        case StmtKind::For:
            if (differs(stmt)) m_legal = false;
            break;
        case StmtKind::Allocate:
        case StmtKind::Barrier:
            m_legal = false;
            return;
        default:
            break;
        }
        for (const Stmt child : stmt->body()) collect(child, stmt->kind == StmtKind::If ? here : under);
    }

    enum class Share : uint8_t { None, Some, All };
    /// Of the stores in it, how many virtual threads do each for itself.
    [[nodiscard]] Share share(Stmt stmt) const {
        bool own = false;
        bool common = false;
        forEachStmt(stmt, [&](Stmt s) {
            if (s->kind == StmtKind::Store) (m_stores.contains(s.node()) ? own : common) = true;
        });
        if (!own) return Share::None;
        return common ? Share::Some : Share::All;
    }
    static bool reducesInside(Stmt stmt) {
        bool found = false;
        forEachStmt(stmt,
                    [&](Stmt s) { found = found || (s->kind == StmtKind::For && runsOver(s, IterKind::Reduction)); });
        return found;
    }

    Stmt distributed(Stmt stmt) {
        const Share own = share(stmt);
        if (own == Share::None) return stmt;
        if (own == Share::All && !reducesInside(stmt)) return wrapped(stmt);
        switch (stmt->kind) {
        case StmtKind::Block: {
            std::vector<Stmt> statements;
            std::vector<Stmt> together;
            const auto flush = [&] {
                if (!together.empty()) statements.push_back(wrapped(makeBlock(together)));
                together.clear();
            };
            for (const Stmt child : stmt->body()) {
                if (share(child) == Share::All && !reducesInside(child)) {
                    together.push_back(child);
                    continue;
                }
                flush();
                statements.push_back(distributed(child));
            }
            flush();
            return makeBlock(statements);
        }
        case StmtKind::For:
        case StmtKind::If: {
            if (stmt->loop == LoopKind::Vectorized || (stmt->kind == StmtKind::If && differs(stmt))) break;
            std::vector<Stmt> children;
            for (const Stmt child : stmt->body()) children.push_back(distributed(child));
            return withChildren(stmt, children);
        }
        default:
            break;
        }
        if (own == Share::All) return wrapped(stmt);
        m_legal = false;
        return stmt;
    }

    Stmt wrapped(Stmt stmt) const {
        StmtNode loop = *m_loop.node();
        loop.var = makeVar(m_loop->var->name());
        loop.unrollMaxStep = -1;
        return makeFor(loop, withOwnNumber(substituteStmt(stmt, {{m_loop->var.node(), loop.var}}), loop.var));
    }

    [[nodiscard]] Stmt withOwnNumber(Stmt stmt, Expr number) const {
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(withOwnNumber(child, number));
        const Stmt rebuilt = withOwnExprs(withChildren(stmt, children), [&](Expr e) {
            return rewriteBottomUp(e, [&](Expr part) {
                if (part->kind != ExprKind::Load || !m_own.contains(part->symbol)) return part;
                return makeLoad(*part->symbol, numbered(part->operands(), number));
            });
        });
        if (stmt->kind != StmtKind::Store || !m_own.contains(stmt->buffer)) return rebuilt;
        const std::vector<Expr> indices = numbered(rebuilt->index(), number);
        StmtNode node = *makeStore(*stmt->buffer, indices, rebuilt->value, stmt->stage, stmt->reductionInit).node();
        node.unrollMaxStep = stmt->unrollMaxStep;
        return newStmt(node);
    }
    static std::vector<Expr> numbered(std::span<const Expr> indices, Expr number) {
        std::vector<Expr> result = {number};
        result.insert(result.end(), indices.begin(), indices.end());
        return result;
    }

    Stmt m_loop;
    Buffers m_own;
    std::set<const ExprNode *> m_vars;   // what differs: the loop's variable, and values that follow from it
    std::set<const StmtNode *> m_stores; // that virtual threads do each for itself
    bool m_legal = true;
};

/// The first loop over virtual threads that holds no other one and was not looked at yet.
Stmt nextLoop(Stmt stmt, const std::set<const ExprNode *> &done) {
    for (const Stmt child : stmt->body())
        if (const Stmt found = nextLoop(child, done)) return found;
    const bool wanted = stmt->kind == StmtKind::For && stmt->loop == LoopKind::VThread && constantExtent(stmt) > 1 &&
                        !done.contains(stmt->var.node());
    return wanted ? stmt : Stmt();
}

Stmt replaced(Stmt stmt, Stmt from, Stmt by) {
    if (stmt.node() == from.node()) return by;
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body()) children.push_back(replaced(child, from, by));
    return withChildren(stmt, children);
}

} // namespace

void interleaveVThreads(LoopProgram &program, const PassContext &) {
    std::set<const ExprNode *> done;
    while (const Stmt loop = nextLoop(program.root, done)) {
        done.insert(loop->var.node());
        Interleaving interleaving(program.root, loop);
        const Stmt result = interleaving.run();
        if (result.node() == loop.node()) continue;
        forEachStmt(result, [&](Stmt s) {
            if (s->kind == StmtKind::For && s->loop == LoopKind::VThread) done.insert(s->var.node());
        });
        program.root = replaced(program.root, loop, result);
        const Buffers own = interleaving.own();
        for (const auto &buffer : program.buffers) {
            if (!own.contains(buffer.get())) continue;
            buffer->strides.insert(buffer->strides.begin(), buffer->elements());
            buffer->shape.insert(buffer->shape.begin(), constantExtent(loop));
        }
    }
    numberNodes(program);
}

} // namespace loopscope
