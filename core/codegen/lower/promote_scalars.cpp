// A reduction's update `C[i, j] = C[i, j] + ...` loads and stores its accumulator at every step. Where the elements of
// C that a nest works on fit the registers, they are kept there across the nest's reduce loops:
//
//     C[..] = 0 for the tile                    acc[..] = 0
//     for k:                                    for k:
//         for i, j of the tile:          ->         for i, j of the tile (unrolled):
//             C[i, j] = C[i, j] + ...                   acc[i, j] = acc[i, j] + ...
//                                               C[..] = acc[..] for the tile
//
// or, around inner reduce loops only, with `acc[..] = C[..]` in place of the zeros.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/strip_mine.h"
#include "codegen/lower/tile_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace loopscope {

namespace {

int64_t accumulatorRegisters(const Target &target) {
    // The rest hold what is multiplied: one or two rows of the operand that is vectorized, and a broadcast.
    return target.vectorRegisters >= 32 ? 28 : std::max<int64_t>(4, target.vectorRegisters - 3);
}

struct Accesses {
    int stores = 0;
    int loads = 0;
};

void countLoads(Expr e, const Buffer *buffer, int &loads) {
    if (e->kind == ExprKind::Load && e->symbol == buffer) ++loads;
    for (const Expr operand : e->operands()) countLoads(operand, buffer, loads);
}

Accesses accessesTo(const Buffer *buffer, Stmt stmt) {
    Accesses result;
    forEachStmt(stmt, [&](Stmt s) {
        if (s->kind == StmtKind::Store && s->buffer == buffer) ++result.stores;
        forEachOwnExpr(s, [&](Expr e) { countLoads(e, buffer, result.loads); });
    });
    return result;
}

class Promoter {
  public:
    Promoter(LoopProgram &program, const PassContext &context) : m_program(program), m_context(context) {}

    Stmt visit(Stmt stmt) {
        if (stmt->kind == StmtKind::Block) return visitBlock(stmt);
        if (stmt->kind == StmtKind::For && runsOver(stmt, IterKind::Reduction))
            m_reduceVars[stmt->var.node()] = stmt->stage;
        if (stmt->kind == StmtKind::For && stmt->loop != LoopKind::Vectorized)
            if (const Stmt promoted = promoteInside(stmt)) return promoted;
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(visit(child));
        return withChildren(stmt, children);
    }

  private:
    struct Path {
        Stmt update;
        std::vector<Stmt> tile;       // loops whose variable indexes the accumulator, outermost first
        std::vector<Expr> conditions; // the update stands under
        bool reduces = false;         // a reduce loop that runs more than once
    };

    Stmt visitBlock(Stmt block) {
        std::vector<Stmt> statements(block->body().begin(), block->body().end());
        for (size_t i = 0; i < statements.size(); ++i) {
            const Stmt init = initStore(statements[i]);
            if (!init) continue;
            size_t j = i + 1;
            while (j < statements.size() && !touches(statements[j], init->buffer)) ++j;
            if (j == statements.size()) continue;
            const std::optional<Path> path = pathTo(statements[j], init->buffer);
            if (!path || guarded(*path) || !fits(*path) || !coversTile(statements[i], *path)) continue;
            statements[j] = promote(statements[j], *path, init->value);
            m_done.push_back(statements[j].node());
            statements.erase(statements.begin() + static_cast<ptrdiff_t>(i));
            --i;
        }
        for (Stmt &statement : statements)
            if (std::find(m_done.begin(), m_done.end(), statement.node()) == m_done.end()) statement = visit(statement);
        return statements.size() == 1 ? statements[0] : makeBlock(statements);
    }

    /// The init runs over the very tile: where tails are split off, it may cover more than the next update, or other
    /// elements.
    static bool coversTile(Stmt init, const Path &path) {
        Substitution map;
        for (; init->kind == StmtKind::For; init = init->children[0]) {
            const auto same = std::find_if(path.tile.begin(), path.tile.end(), [&](Stmt loop) {
                return sameIterator(loop, init) && constantExtent(loop) == constantExtent(init);
            });
            if (same == path.tile.end() || (init->min && !isInt(init->min, 0))) return false;
            map.emplace_back(init->var.node(), (*same)->var);
        }
        if (map.size() != path.tile.size()) return false;
        for (uint32_t i = 0; i < init->indexCount; ++i)
            if (!structurallyEqual(substitute(init->indices[i], map), path.update->indices[i])) return false;
        return true;
    }

    /// `loop` is a reduce loop of the only update inside: keep the tile in registers across it. Null when it is not.
    Stmt promoteInside(Stmt loop) {
        const Buffer *buffer = nullptr;
        forEachStmt(loop, [&](Stmt s) {
            if (s->kind == StmtKind::Store && !s->reductionInit && s->stage == loop->stage) buffer = s->buffer;
        });
        if (buffer == nullptr || loop->stage.value < 0) return {};
        const std::optional<Path> path = pathTo(loop, buffer);
        if (!path || guarded(*path)) return {};
        if (!path->tile.empty() && path->tile.front().node() == loop.node()) return {}; // a reduce loop may be inside
        if (fits(*path)) return promote(loop, *path, {});
        const Stmt mined = stripMine(loop, path->tile, lanesOf(*path), accumulatorRegisters(m_context.target));
        return mined ? visit(mined) : Stmt();
    }

    /// The way from `nest` to the single update of `buffer` in it; none when something forbids registers.
    std::optional<Path> pathTo(Stmt nest, const Buffer *buffer) {
        Path path;
        if (buffer->scope == MemoryScope::Register) return std::nullopt;
        if (!follow(nest, buffer, path) || !path.reduces) return std::nullopt;
        int own = 0;
        countLoads(path.update->value, buffer, own);
        const Accesses all = accessesTo(buffer, nest);
        if (own == 0 || all.stores != 1 || all.loads != own) return std::nullopt;
        if (!loadsOnlyItself(path.update->value, path.update)) return std::nullopt;
        if (placeChangesIn(nest, path.update)) return std::nullopt;
        return path;
    }

    /// Where a scatter's term goes is read from what the nest itself computes.
    static bool placeChangesIn(Stmt nest, Stmt update) {
        std::set<const TensorSymbol *> stored;
        forEachStmt(nest, [&](Stmt s) {
            if (s->kind == StmtKind::Store) stored.insert(s->buffer);
        });
        bool found = false;
        for (const Expr index : update->index())
            postOrder(index,
                      [&](Expr e) { found = found || (e->kind == ExprKind::Load && stored.contains(e->symbol)); });
        return found;
    }

    bool follow(Stmt stmt, const Buffer *buffer, Path &path) {
        switch (stmt->kind) {
        case StmtKind::Store:
            path.update = stmt;
            return stmt->buffer == buffer && !stmt->reductionInit;
        case StmtKind::Block: {
            const Stmt *inside = nullptr;
            for (const Stmt &child : stmt->body())
                if (touches(child, buffer)) {
                    if (inside != nullptr) return false;
                    inside = &child;
                }
            // Unrolling a tile loop would repeat what stands beside the update.
            return inside != nullptr && path.tile.empty() && follow(*inside, buffer, path);
        }
        case StmtKind::For: {
            if (!follow(stmt->children[0], buffer, path)) return false;
            const auto &index = path.update->index();
            const bool inTile = std::any_of(index.begin(), index.end(), [&](Expr e) { return usesVar(e, stmt->var); });
            if (stmt->loop == LoopKind::Parallel || stmt->loop >= LoopKind::BlockX) return false;
            // A scan, or a scatter: another iteration may need the element, or add to the same one.
            if (inTile && runsOver(stmt, IterKind::Reduction)) return false;
            if (!inTile) {
                if (runsOver(stmt, IterKind::Reduction))
                    m_reduceVars[stmt->var.node()] = stmt->stage;
                else if (constantExtent(stmt) < 1)
                    return false; // without an iteration the element itself may not exist
                path.reduces = path.reduces || constantExtent(stmt) != 1;
                return stmt->loop != LoopKind::Vectorized;
            }
            if (constantExtent(stmt) < 1 || (stmt->min && !isInt(stmt->min, 0)) || runsOver(stmt, IterKind::Mixed))
                return false;
            path.tile.insert(path.tile.begin(), stmt);
            return true;
        }
        case StmtKind::If: {
            if (stmt->childCount > 1 || !follow(stmt->children[0], buffer, path)) return false;
            path.conditions.push_back(stmt->value);
            return true;
        }
        default:
            return false;
        }
    }

    static bool loadsOnlyItself(Expr e, Stmt update) {
        if (e->kind == ExprKind::Load && e->symbol == update->buffer)
            for (uint32_t i = 0; i < e->argCount; ++i)
                if (!structurallyEqual(e->arg(i), update->indices[i])) return false;
        return std::all_of(e->operands().begin(), e->operands().end(),
                           [&](Expr operand) { return loadsOnlyItself(operand, update); });
    }

    /// Under any other condition than one on the reduction's own loops, the element itself may not exist.
    bool guarded(const Path &path) {
        bool found = false;
        for (const Expr condition : path.conditions)
            postOrder(condition, [&](Expr e) {
                if (e->kind != ExprKind::Var) return;
                const auto loop = m_reduceVars.find(e.node());
                found = found || loop == m_reduceVars.end() || loop->second != path.update->stage;
            });
        return found;
    }

    [[nodiscard]] int64_t lanesOf(const Path &path) const {
        return std::max(1, m_context.target.vectorBytes / std::max(4, dtypeBytes(path.update->buffer->dtype)));
    }

    [[nodiscard]] bool fits(const Path &path) const {
        return registersOf(path.tile, lanesOf(path)) <= accumulatorRegisters(m_context.target);
    }

    /// A register for every element of the tile; the vectorized loop's elements are neighbours.
    const Buffer &makeRegisters(const Path &path, std::vector<Stmt> &dims) {
        dims = path.tile;
        std::stable_sort(dims.begin(), dims.end(), [](Stmt a, Stmt b) {
            return (a->loop == LoopKind::Vectorized) < (b->loop == LoopKind::Vectorized);
        });
        auto buffer = std::make_unique<Buffer>();
        buffer->name = path.update->buffer->name + ".acc";
        buffer->dtype = path.update->buffer->dtype;
        buffer->scope = MemoryScope::Register;
        buffer->stage = path.update->buffer->stage;
        for (const Stmt loop : dims) buffer->shape.push_back(constantExtent(loop));
        buffer->strides.resize(dims.size());
        int64_t stride = 1;
        for (size_t d = dims.size(); d > 0; --d) {
            buffer->strides[d - 1] = stride;
            stride *= buffer->shape[d - 1];
        }
        m_program.buffers.push_back(std::move(buffer));
        return *m_program.buffers.back();
    }

    static LoopKind tileKind(Stmt loop) {
        return loop->loop == LoopKind::Vectorized ? LoopKind::Vectorized : LoopKind::Unrolled;
    }

    Stmt promote(Stmt nest, const Path &path, Expr identity) {
        std::vector<Stmt> dims;
        const Buffer &registers = makeRegisters(path, dims);
        std::vector<Expr> registerIndex;
        for (const Stmt loop : dims) registerIndex.push_back(loop->var);

        // One nest over the tile with variables of its own.
        const auto overTile = [&](auto &&makeBody) {
            Substitution map;
            std::vector<Expr> vars;
            for (const Stmt loop : dims) {
                vars.push_back(makeVar(loop->var->name()));
                map.emplace_back(loop->var.node(), vars.back());
            }
            std::vector<Expr> place;
            for (const Expr index : path.update->index()) place.push_back(substitute(index, map));
            Stmt body = makeBody(place, vars);
            for (size_t d = dims.size(); d > 0; --d) {
                StmtNode node = *dims[d - 1].node();
                node.loop = tileKind(dims[d - 1]);
                node.var = vars[d - 1];
                node.unrollMaxStep = -1;
                body = makeFor(node, body);
            }
            return body;
        };
        const Buffer &memory = *path.update->buffer;
        const StageId stage = path.update->stage;
        const Stmt before = overTile([&](std::span<const Expr> place, std::span<const Expr> vars) {
            return makeStore(registers, vars, identity ? identity : makeLoad(memory, place), stage,
                             static_cast<bool>(identity));
        });
        const Stmt after = overTile([&](std::span<const Expr> place, std::span<const Expr> vars) {
            return makeStore(memory, place, makeLoad(registers, vars), stage);
        });
        const std::array<Stmt, 3> all = {before, rewrite(nest, path, registers, registerIndex), after};
        return makeAllocate(registers, makeBlock(all));
    }

    Stmt rewrite(Stmt stmt, const Path &path, const Buffer &registers, std::span<const Expr> index) {
        if (stmt.node() == path.update.node()) {
            const Expr value = rewriteBottomUp(stmt->value, [&](Expr e) {
                return e->kind == ExprKind::Load && e->symbol == stmt->buffer ? makeLoad(registers, index) : e;
            });
            return makeStore(registers, index, value, stmt->stage);
        }
        const std::vector<Stmt> tile = tileFrom(stmt, path);
        if (tile.empty()) {
            std::vector<Stmt> children;
            for (const Stmt child : stmt->body()) children.push_back(rewrite(child, path, registers, index));
            return withChildren(stmt, children);
        }
        Stmt body = rewrite(tile.back()->children[0], path, registers, index);
        const std::vector<Stmt> ordered =
            tile.back()->children[0].node() == path.update.node()
                ? orderOfTile(tile, path.update, lanesOf(path), m_context.target.vectorRegisters)
                : tile;
        for (size_t i = ordered.size(); i > 0; --i) {
            StmtNode node = *ordered[i - 1].node();
            node.loop = tileKind(ordered[i - 1]);
            body = makeFor(node, body);
        }
        return body;
    }

    /// The loops of the tile that stand right inside each other from this one on; empty when it is none of them.
    static std::vector<Stmt> tileFrom(Stmt stmt, const Path &path) {
        std::vector<Stmt> loops;
        const auto inTile = [&](Stmt at) {
            return std::any_of(path.tile.begin(), path.tile.end(), [&](Stmt loop) { return loop.node() == at.node(); });
        };
        for (; stmt->kind == StmtKind::For && inTile(stmt); stmt = stmt->children[0]) loops.push_back(stmt);
        return loops;
    }

    LoopProgram &m_program;
    const PassContext &m_context;
    std::map<const ExprNode *, StageId> m_reduceVars; // of loops that only reduce, with their stage
    std::vector<const StmtNode *> m_done;
};

} // namespace

void promoteScalars(LoopProgram &program, const PassContext &context) {
    program.root = Promoter(program, context).visit(program.root);
    numberNodes(program);
}

} // namespace loopscope
