#pragma once
// Walking and rewriting loop programs: what passes are made of.

#include "codegen/loop_ir/program.h"

#include "language/expr/walk.h"

namespace loopscope {

/// Pre-order over statements.
template <typename Visit> void forEachStmt(Stmt stmt, Visit &&visit) {
    visit(stmt);
    for (const Stmt child : stmt->body()) forEachStmt(child, visit);
}

/// The expressions a statement itself holds (not those of statements inside it): indices, then value, min and extent.
template <typename Visit> void forEachOwnExpr(Stmt stmt, Visit &&visit) {
    for (const Expr index : stmt->index()) visit(index);
    if (stmt->value) visit(stmt->value);
    if (stmt->min) visit(stmt->min);
    if (stmt->extent) visit(stmt->extent);
}

/// The same statement with every own expression replaced by `rewrite(e)`; itself when nothing changed.
template <typename Rewrite> Stmt withOwnExprs(Stmt stmt, Rewrite &&rewrite);

/// A deep copy, loop and let variables included, so that the copy may stand beside the original.
Stmt copyStmt(Stmt stmt);
/// A deep copy in which variables are replaced (loop variables inside keep their names but become new variables).
Stmt substituteStmt(Stmt stmt, Substitution map);

bool usesVar(Stmt stmt, Expr var);
bool reads(Stmt stmt, const Buffer *buffer);
/// Loads or stores.
bool touches(Stmt stmt, const Buffer *buffer);
/// Statement nodes in the tree.
int countStmts(Stmt stmt);
/// Constant trip count, or -1.
inline int64_t constantExtent(Stmt loop) {
    return loop->extent->kind == ExprKind::IntImm ? loop->extent->intValue : -1;
}

/// The loop stands for an iterator of that kind.
inline bool runsOver(Stmt loop, IterKind kind) { return loop->iter.value >= 0 && loop->iterKind == kind; }
/// Both loops stand for the same iterator of the same stage.
inline bool sameIterator(Stmt a, Stmt b) { return a->iter.value >= 0 && a->stage == b->stage && a->iter == b->iter; }

/// The store that a chain of loops ends in, when it writes a reduction's identity; null otherwise.
inline Stmt initStore(Stmt stmt) {
    while (stmt->kind == StmtKind::For) stmt = stmt->children[0];
    return stmt->kind == StmtKind::Store && stmt->reductionInit ? stmt : Stmt();
}

// --- Implementation -------------------------------------------------------------------------------------------------

Stmt newStmt(const StmtNode &fields);

template <typename Rewrite> Stmt withOwnExprs(Stmt stmt, Rewrite &&rewrite) {
    StmtNode node = *stmt.node();
    bool changed = false;
    const auto apply = [&](Expr &e) {
        if (!e) return;
        const Expr rewritten = rewrite(e);
        changed |= !rewritten.is(e);
        e = rewritten;
    };
    if (node.indexCount > 0) {
        Expr *indices = nullptr;
        for (uint32_t i = 0; i < node.indexCount; ++i) {
            const Expr rewritten = rewrite(node.indices[i]);
            if (rewritten.is(node.indices[i])) continue;
            if (indices == nullptr) {
                indices = ExprArena::current().allocateArray<Expr>(node.indexCount);
                for (uint32_t k = 0; k < node.indexCount; ++k) indices[k] = node.indices[k];
            }
            indices[i] = rewritten;
        }
        if (indices != nullptr) {
            node.indices = indices;
            changed = true;
        }
    }
    apply(node.value);
    apply(node.min);
    apply(node.extent);
    return changed ? newStmt(node) : stmt;
}

} // namespace loopscope
