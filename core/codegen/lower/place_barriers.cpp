// Threads of a block hand values to each other in shared memory. A barrier stands between what writes and what reads
// it, and between the reading and the writing of the next round of a loop around both:
//
//     for k:                          for k:
//         S[t] = A[k, t]                  barrier        (all have read what the last round left)
//         C += S[..]           ->         S[t] = A[k, t]
//                                         barrier        (all is written)
//                                         C += S[..]
//
// A stage's own accesses need none: each element of it is one thread's business, from its identity to its last update
// (of a reduction across threads every thread has a part of its own). Where threads combine their parts in shared
// memory, in a buffer that is no stage's, each statement waits for the one before. Barriers stand where all threads
// come by, beside whole nests and never under a condition.

#include "codegen/lower/barriers.h"
#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

/// What the statement accesses. A condition reads for the stores under it.
SharedAccesses sharedAccesses(Stmt stmt) {
    SharedAccesses accesses;
    std::set<StageId> storing;
    forEachStmt(stmt, [&](Stmt s) {
        if (s->kind != StmtKind::Store) return;
        storing.insert(s->stage);
        if (s->buffer->scope == MemoryScope::Shared) accesses.written.insert(s->buffer);
    });
    forEachStmt(stmt, [&](Stmt s) {
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind != ExprKind::Load) return;
                const auto &buffer = static_cast<const Buffer &>(*e->symbol);
                if (buffer.scope != MemoryScope::Shared) return;
                accesses.readByAny.insert(&buffer);
                const bool ofOwnStage =
                    buffer.stage.value >= 0 &&
                    (s->kind == StmtKind::Store ? s->stage == buffer.stage : storing.contains(buffer.stage));
                if (!ofOwnStage) accesses.read.insert(&buffer);
            });
        });
    });
    return accesses;
}

/// Threads of a block of the kernel.
int64_t threadsOf(Stmt kernel) {
    int64_t threads = 1;
    forEachStmt(kernel, [&](Stmt s) {
        if (s->kind == StmtKind::For && s->loop >= LoopKind::ThreadX && s->loop <= LoopKind::ThreadZ)
            threads *= constantExtent(s);
    });
    return threads;
}

class BarrierPlacer {
  public:
    explicit BarrierPlacer(const MustWait &mustWait) : m_mustWait(mustWait) {}

    /// `since` holds what was accessed since the last barrier, before and after.
    Stmt visit(Stmt stmt, SharedAccesses &since) {
        switch (stmt->kind) {
        case StmtKind::Block: {
            std::vector<Stmt> statements;
            for (const Stmt child : stmt->body()) append(child, since, statements);
            return statements.size() == stmt->childCount ? withChildren(stmt, statements) : makeBlock(statements);
        }
        case StmtKind::For:
            return visitLoop(stmt, since);
        case StmtKind::Allocate: {
            const Stmt body = visitBody(stmt->children[0], since);
            return withChildren(stmt, {&body, 1});
        }
        case StmtKind::Barrier:
            since = {};
            return stmt;
        default:
            since.add(sharedAccesses(stmt));
            return stmt;
        }
    }

  private:
    void append(Stmt stmt, SharedAccesses &since, std::vector<Stmt> &out) {
        const SharedAccesses accesses = sharedAccesses(stmt);
        if (!m_mustWait(since, accesses)) {
            out.push_back(visit(stmt, since));
            return;
        }
        // Outside of loops, unless a barrier that stands inside for their own sake serves too.
        SharedAccesses none;
        const Stmt afterBarrier = visit(stmt, none);
        if (barriersIn(stmt) > 0 || m_mustWait(accesses, accesses)) {
            SharedAccesses end = since;
            const Stmt without = visit(stmt, end);
            if (barriersIn(without) > 0 && barriersIn(without) == barriersIn(afterBarrier)) {
                since = end;
                out.push_back(without);
                return;
            }
        }
        out.push_back(makeBarrier());
        out.push_back(afterBarrier);
        since = none;
    }

    static int barriersIn(Stmt stmt) {
        int barriers = 0;
        forEachStmt(stmt, [&](Stmt s) { barriers += s->kind == StmtKind::Barrier ? 1 : 0; });
        return barriers;
    }

    Stmt visitBody(Stmt body, SharedAccesses &since) {
        if (body->kind == StmtKind::Block) return visit(body, since);
        std::vector<Stmt> statements;
        append(body, since, statements);
        return makeBlock(statements);
    }

    Stmt visitLoop(Stmt loop, SharedAccesses &since) {
        const bool blocks = loop->loop >= LoopKind::BlockX && loop->loop <= LoopKind::BlockZ;
        if (blocks && threadsOf(loop) == 1) return loop; // it waits for nobody
        const int64_t extent = constantExtent(loop);
        const bool repeats = extent != 1 && (loop->loop < LoopKind::BlockX || loop->loop == LoopKind::VThread);
        SharedAccesses entry = since; // of any round
        for (;;) {
            SharedAccesses end = entry;
            const Stmt body = visitBody(loop->children[0], end);
            if (repeats && !entry.holds(end)) {
                entry.add(end);
                continue;
            }
            if (extent < 1) end.add(since);
            since = end;
            return withChildren(loop, {&body, 1});
        }
    }

    const MustWait &m_mustWait;
};

bool meet(const std::set<const Buffer *> &a, const std::set<const Buffer *> &b) {
    return std::ranges::any_of(a, [&](const Buffer *buffer) { return b.contains(buffer); });
}

} // namespace

void SharedAccesses::add(const SharedAccesses &other) {
    written.insert(other.written.begin(), other.written.end());
    read.insert(other.read.begin(), other.read.end());
    readByAny.insert(other.readByAny.begin(), other.readByAny.end());
}

bool SharedAccesses::holds(const SharedAccesses &other) const {
    return std::ranges::includes(written, other.written) && std::ranges::includes(read, other.read) &&
           std::ranges::includes(readByAny, other.readByAny);
}

Stmt withBarriers(Stmt root, const MustWait &mustWait) {
    SharedAccesses since;
    return BarrierPlacer(mustWait).visit(root, since);
}

void placeBarriers(LoopProgram &program, const PassContext &) {
    program.root = withBarriers(program.root, [](const SharedAccesses &earlier, const SharedAccesses &later) {
        return meet(earlier.written, later.read) || meet(earlier.read, later.written);
    });
    numberNodes(program);
}

} // namespace loopscope
