// While a block computes with one tile in shared memory, the next one is on its way:
//
//     for k:                                   S[0, ..] = A[.. 0 ..]
//         barrier                              for k:
//         S[..] = A[.. k ..]                       barrier
//         barrier                     ->           if k < 7: S.next[..] = A[.. k + 1 ..]      (registers of a thread)
//         C.local += S[..]                         C.local += S[k % 2, ..]
//                                                  if k < 7: S[(k + 1) % 2, ..] = S.next[..]
//
// Loads are in flight while the sums go on, and one barrier of two is left: a round writes what nobody reads before the
// next round, and reads what was written before its barrier. It costs a second tile of shared memory and a register for
// every element a thread fetches. It is done wherever it costs no block on a multiprocessor: not where as many blocks
// would no longer fit, by threads, shared memory and an estimate of the registers.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/block_fit.h"
#include "codegen/lower/thread_counts.h"
#include "language/expr/interval.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

constexpr int64_t kMaxStaged = 32;      // elements of all tiles that a thread fetches in a round
constexpr int64_t kTileAlignment = 128; // bytes, of the second tile: whatever words the first is accessed by

/// A loop that fetches and computes in turn.
struct Rounds {
    Stmt loop;
    std::vector<Stmt> fetches;
    std::vector<Stmt> computes;
    std::vector<const Buffer *> tiles; // what the fetches fill, in their order
};

std::set<const TensorSymbol *> loadsIn(Stmt stmt) {
    std::set<const TensorSymbol *> found;
    forEachStmt(stmt, [&](Stmt s) {
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind == ExprKind::Load) found.insert(e->symbol);
            });
        });
    });
    return found;
}

bool storesTo(Stmt stmt, const Buffer *buffer) {
    bool found = false;
    forEachStmt(stmt, [&](Stmt s) { found = found || (s->kind == StmtKind::Store && s->buffer == buffer); });
    return found;
}

int timesTouched(Stmt stmt, const Buffer *buffer) {
    int count = 0;
    forEachStmt(stmt, [&](Stmt s) {
        if (s->kind == StmtKind::Store || s->kind == StmtKind::If || s->kind == StmtKind::Let) {
            StmtNode alone = *s.node();
            alone.childCount = 0;
            count += touches(Stmt(&alone), buffer) ? 1 : 0;
        }
    });
    return count;
}

/// Its only store, when all around it are loops and conditions without alternatives.
Stmt onlyStore(Stmt stmt) {
    while (stmt->kind == StmtKind::For || (stmt->kind == StmtKind::If && stmt->childCount == 1))
        stmt = stmt->children[0];
    return stmt->kind == StmtKind::Store ? stmt : Stmt();
}

class KernelPrefetcher {
  public:
    KernelPrefetcher(LoopProgram &program, const Target &target, Stmt kernel)
        : m_program(program), m_target(target), m_kernel(kernel), m_fit(target, kernel) {
        forEachStmt(kernel, [&](Stmt s) {
            if (s->kind == StmtKind::Store) m_stored.insert(s->buffer);
            if (s->kind != StmtKind::Allocate) return;
            if (s->buffer->scope == MemoryScope::Shared) m_shared += sharedSizeOf(*s->buffer);
        });
    }

    Stmt run() { return allocated(visit(m_kernel, false)); }

  private:
    Stmt visit(Stmt stmt, bool repeated) {
        if (stmt->kind == StmtKind::For && stmt->loop == LoopKind::Serial) {
            Rounds rounds{stmt, {}, {}, {}};
            if (findRounds(rounds) && affordable(rounds)) return prefetched(rounds, repeated);
        }
        const bool again = stmt->kind == StmtKind::For && !isThreadAxis(stmt->loop) && !isBlockAxis(stmt->loop);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(visit(child, repeated || again));
        return withChildren(stmt, children);
    }

    bool findRounds(Rounds &rounds) const {
        const Stmt body = rounds.loop->children[0];
        if (constantExtent(rounds.loop) < 2 || rounds.loop->min || body->kind != StmtKind::Block) return false;
        size_t next = 0;
        if (body->children[next++]->kind != StmtKind::Barrier) return false;
        for (; next < body->childCount && body->children[next]->kind != StmtKind::Barrier; ++next) {
            const Stmt store = onlyStore(body->children[next]);
            if (!store || store->buffer->scope != MemoryScope::Shared || !fromOutside(body->children[next]))
                return false;
            rounds.fetches.push_back(body->children[next]);
            rounds.tiles.push_back(store->buffer);
        }
        for (++next; next < body->childCount; ++next) rounds.computes.push_back(body->children[next]);
        if (rounds.fetches.empty() || rounds.computes.empty()) return false;
        for (const Stmt compute : rounds.computes) {
            bool waits = false;
            forEachStmt(compute, [&](Stmt s) { waits = waits || s->kind == StmtKind::Barrier; });
            if (waits) return false;
        }
        for (size_t i = 0; i < rounds.tiles.size(); ++i) {
            const Buffer *tile = rounds.tiles[i];
            if (std::ranges::count(rounds.tiles, tile) != 1) return false;
            if (timesTouched(m_kernel, tile) != timesTouched(rounds.loop, tile)) return false;
            for (const Stmt compute : rounds.computes)
                if (storesTo(compute, tile)) return false;
        }
        return true;
    }

    /// Nothing that the kernel itself makes is read.
    [[nodiscard]] bool fromOutside(Stmt fetch) const {
        return std::ranges::all_of(loadsIn(fetch), [&](const TensorSymbol *symbol) {
            const auto &buffer = static_cast<const Buffer &>(*symbol);
            return !m_stored.contains(&buffer) && buffer.scope != MemoryScope::Shared &&
                   buffer.scope != MemoryScope::Local;
        });
    }

    static std::vector<Stmt> loopsOf(Stmt nest) {
        std::vector<Stmt> loops;
        for (; nest->kind != StmtKind::Store; nest = nest->children[0])
            if (nest->kind == StmtKind::For) loops.push_back(nest);
        return loops;
    }
    static int64_t stagedBy(Stmt fetch) {
        int64_t elements = 1;
        for (const Stmt loop : loopsOf(fetch))
            elements = mulSaturating(elements, std::max<int64_t>(0, constantExtent(loop)));
        return elements;
    }

    bool affordable(const Rounds &rounds) {
        int64_t staged = 0;
        for (const Stmt fetch : rounds.fetches) staged = addSaturating(staged, stagedBy(fetch));
        if (staged == 0 || staged > kMaxStaged) return false;
        int64_t shared = m_shared;
        for (const Buffer *tile : rounds.tiles) shared += tileStride(*tile) * dtypeBytes(tile->dtype);
        const int64_t most = m_target.hardware.maxSharedMemoryPerBlock;
        if (most > 0 && shared > most) return false;
        const BlockFit more = m_fit.withRegisters(staged);
        if (more.blocks(shared) < m_fit.blocks(m_shared)) return false;
        m_shared = shared;
        m_fit = more;
        return true;
    }

    static int64_t tileStride(const Buffer &tile) {
        const int64_t unit = std::max<int64_t>(1, kTileAlignment / dtypeBytes(tile.dtype));
        return (tile.elements() + unit - 1) / unit * unit;
    }

    Stmt prefetched(const Rounds &rounds, bool repeated) {
        const Expr round = rounds.loop->var;
        const Expr more = fold(ExprKind::Lt, round, makeInt(constantExtent(rounds.loop) - 1));
        for (Buffer *tile : owned(rounds.tiles)) {
            tile->strides.insert(tile->strides.begin(), tileStride(*tile));
            tile->shape.insert(tile->shape.begin(), 2);
        }
        std::vector<Stmt> before;
        std::vector<Stmt> loading;
        std::vector<Stmt> storing;
        for (const Stmt fetch : rounds.fetches) {
            const Buffer *staged = stagingFor(fetch);
            before.push_back(substituteStmt(intoTile(fetch, {}, makeInt(0)), {{round.node(), makeInt(0)}}));
            const Substitution next = {{round.node(), round + 1}};
            loading.push_back(substituteStmt(staging(fetch, *staged), next));
            storing.push_back(substituteStmt(intoTile(fetch, staged, floorMod(round, 2)), next));
        }
        std::vector<Stmt> body = {makeBarrier(), makeIf(more, makeBlock(loading))};
        for (const Stmt compute : rounds.computes) body.push_back(fromTile(compute, rounds.tiles, floorMod(round, 2)));
        body.push_back(makeIf(more, makeBlock(storing)));
        const Stmt block = makeBlock(body);
        // The last rounds of the loop before may still be read.
        if (repeated) before.insert(before.begin(), makeBarrier());
        before.push_back(withChildren(rounds.loop, {&block, 1}));
        return makeBlock(before);
    }

    std::vector<Buffer *> owned(const std::vector<const Buffer *> &tiles) {
        std::vector<Buffer *> found;
        for (const auto &buffer : m_program.buffers)
            if (std::ranges::find(tiles, buffer.get()) != tiles.end()) found.push_back(buffer.get());
        return found;
    }

    const Buffer *stagingFor(Stmt fetch) {
        const Buffer &tile = *onlyStore(fetch)->buffer;
        auto buffer = std::make_unique<Buffer>();
        buffer->name = tile.name + ".next";
        buffer->dtype = tile.dtype;
        buffer->scope = MemoryScope::Local;
        for (const Stmt loop : loopsOf(fetch)) buffer->shape.push_back(constantExtent(loop));
        if (buffer->shape.empty()) buffer->shape.push_back(1);
        buffer->strides.assign(buffer->shape.size(), 1);
        for (size_t d = buffer->shape.size() - 1; d > 0; --d)
            buffer->strides[d - 1] = buffer->strides[d] * buffer->shape[d];
        m_program.buffers.push_back(std::move(buffer));
        m_staging.push_back(m_program.buffers.back().get());
        return m_staging.back();
    }

    static std::vector<Expr> stagedElement(Stmt fetch) {
        std::vector<Expr> indices;
        for (const Stmt loop : loopsOf(fetch)) indices.push_back(loop->var);
        if (indices.empty()) indices.push_back(makeInt(0));
        return indices;
    }

    template <typename StoreFrom> static Stmt withStore(Stmt nest, const StoreFrom &storeFrom) {
        if (nest->kind == StmtKind::Store) return storeFrom(nest);
        const Stmt inner = withStore(nest->children[0], storeFrom);
        return withChildren(nest, {&inner, 1});
    }
    static Stmt staging(Stmt fetch, const Buffer &staged) {
        return withStore(
            fetch, [&](Stmt store) { return makeStore(staged, stagedElement(fetch), store->value, store->stage); });
    }
    static Stmt intoTile(Stmt fetch, const Buffer *staged, Expr which) {
        return withStore(fetch, [&](Stmt store) {
            std::vector<Expr> indices = {which};
            indices.insert(indices.end(), store->index().begin(), store->index().end());
            const Expr value = staged == nullptr ? store->value : makeLoad(*staged, stagedElement(fetch));
            return makeStore(*store->buffer, indices, value, store->stage);
        });
    }
    static Stmt fromTile(Stmt stmt, const std::vector<const Buffer *> &tiles, Expr which) {
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(fromTile(child, tiles, which));
        return withOwnExprs(withChildren(stmt, children), [&](Expr e) {
            return rewriteBottomUp(e, [&](Expr part) {
                if (part->kind != ExprKind::Load || std::ranges::find(tiles, part->symbol) == tiles.end()) return part;
                std::vector<Expr> indices = {which};
                indices.insert(indices.end(), part->operands().begin(), part->operands().end());
                return makeLoad(*part->symbol, indices);
            });
        });
    }

    /// With what is staged allocated by each thread.
    Stmt allocated(Stmt stmt) const {
        if (m_staging.empty()) return stmt;
        const bool innermost = stmt->kind == StmtKind::For && isThreadAxis(stmt->loop) &&
                               !(stmt->children[0]->kind == StmtKind::For && isThreadAxis(stmt->children[0]->loop));
        Stmt body = stmt->children[0];
        if (innermost)
            for (const Buffer *buffer : m_staging) body = makeAllocate(*buffer, body);
        else
            body = allocated(body);
        return withChildren(stmt, {&body, 1});
    }

    LoopProgram &m_program;
    const Target &m_target;
    Stmt m_kernel;
    BlockFit m_fit;
    int64_t m_shared = 0; // bytes of a block
    std::set<const Buffer *> m_stored;
    std::vector<const Buffer *> m_staging;
};

Stmt prefetchedKernels(LoopProgram &program, const Target &target, Stmt stmt) {
    if (stmt->kind == StmtKind::For && isBlockAxis(stmt->loop)) return KernelPrefetcher(program, target, stmt).run();
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body()) children.push_back(prefetchedKernels(program, target, child));
    return withChildren(stmt, children);
}

} // namespace

void prefetchTiles(LoopProgram &program, const PassContext &context) {
    program.root = prefetchedKernels(program, context.target, program.root);
    numberNodes(program);
}

} // namespace loopscope
