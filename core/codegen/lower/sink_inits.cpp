// A reduction's init nest stands before the first loop that may reduce, also when the reduce loops there turned out to
// run once and are gone. Then the identity is written for many tiles before the first of them is summed up:
//
//     for w: for c: C[w, c] = 0            for w:
//     for w:                          ->       for c: C[w, c] = 0
//         for k: for c: C[w, c] = ...          for k: for c: C[w, c] = ...
//
// With the init beside its own reduce loops, the next pass keeps the tile in registers from the identity to the final
// store, and C is never read.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

bool startsAtZero(Stmt loop) { return !loop->min || isInt(loop->min, 0); }

class Sinker {
  public:
    Stmt visit(Stmt stmt) {
        if (stmt->kind == StmtKind::Block) return visitBlock(stmt);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(visit(child));
        return withChildren(stmt, children);
    }

  private:
    Stmt visitBlock(Stmt block) {
        std::vector<Stmt> statements(block->body().begin(), block->body().end());
        for (size_t i = 0; i + 1 < statements.size(); ++i) {
            const Stmt init = initStore(statements[i]);
            if (!init || statements[i]->kind != StmtKind::For) continue;
            size_t j = i + 1;
            while (j < statements.size() && !touches(statements[j], init->buffer)) ++j;
            if (j == statements.size()) continue;
            const Stmt sunk = sink(statements[i], statements[j]);
            if (!sunk) continue;
            statements[j] = sunk;
            statements.erase(statements.begin() + static_cast<ptrdiff_t>(i));
            --i;
        }
        for (Stmt &statement : statements) statement = visit(statement);
        return statements.size() == 1 ? statements[0] : makeBlock(statements);
    }

    /// `nest` with the init inside its outermost loop, where that loop is the init's own; null otherwise.
    Stmt sink(Stmt init, Stmt nest) {
        if (nest->kind == StmtKind::Allocate) {
            const Stmt inside = sink(init, nest->children[0]);
            return inside ? withChildren(nest, {&inside, 1}) : Stmt();
        }
        if (nest->kind == StmtKind::Block) { // the loop that uses the buffer first
            std::vector<Stmt> statements(nest->body().begin(), nest->body().end());
            const Buffer *buffer = initStore(init)->buffer;
            const auto user = std::find_if(statements.begin(), statements.end(),
                                           [&](Stmt statement) { return touches(statement, buffer); });
            if (user == statements.end()) return {};
            const Stmt inside = sink(init, *user);
            if (!inside) return {};
            *user = inside;
            return makeBlock(statements);
        }
        if (nest->kind != StmtKind::For || init->kind != StmtKind::For || !sameSpatialLoop(init, nest)) return {};
        const Stmt own = substituteStmt(init->children[0], {{init->var.node(), nest->var}});
        const std::array<Stmt, 2> both = {own, nest->children[0]};
        const Stmt body = makeBlock(both);
        return withChildren(nest, {&body, 1});
    }

    static bool sameSpatialLoop(Stmt a, Stmt b) {
        if (!sameIterator(a, b) || a->iterKind != IterKind::Spatial) return false;
        if (constantExtent(a) < 1 || constantExtent(a) != constantExtent(b) || !startsAtZero(a) || !startsAtZero(b))
            return false;
        return b->loop != LoopKind::Vectorized && b->loop < LoopKind::BlockX;
    }
};

} // namespace

void sinkInits(LoopProgram &program, const PassContext &) {
    program.root = Sinker().visit(program.root);
    numberNodes(program);
}

} // namespace loopscope
