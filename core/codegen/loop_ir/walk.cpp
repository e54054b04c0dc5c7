#include "codegen/loop_ir/walk.h"

#include <new>

namespace loopscope {

Stmt newStmt(const StmtNode &fields) {
    return Stmt(new (ExprArena::current().allocate(sizeof(StmtNode))) StmtNode(fields));
}

namespace {

Stmt copyWith(Stmt stmt, Substitution &map) {
    StmtNode node = *stmt.node();
    if (!map.empty()) node = *withOwnExprs(stmt, [&](Expr e) { return substitute(e, map); }).node();
    const bool binds = stmt->kind == StmtKind::For || stmt->kind == StmtKind::Let;
    if (binds) {
        node.var = makeVar(stmt->var->name(), stmt->var->dtype);
        map.emplace_back(stmt->var.node(), node.var);
    }
    Stmt *children = ExprArena::current().allocateArray<Stmt>(stmt->childCount);
    for (uint32_t i = 0; i < stmt->childCount; ++i) children[i] = copyWith(stmt->children[i], map);
    if (binds) map.pop_back();
    node.children = children;
    return newStmt(node);
}

} // namespace

Stmt copyStmt(Stmt stmt) { return substituteStmt(stmt, {}); }

Stmt substituteStmt(Stmt stmt, Substitution map) { return copyWith(stmt, map); }

bool usesVar(Stmt stmt, Expr var) {
    bool found = false;
    forEachStmt(stmt, [&](Stmt s) {
        if (!found) forEachOwnExpr(s, [&](Expr e) { found = found || usesVar(e, var); });
    });
    return found;
}

int countStmts(Stmt stmt) {
    int count = 0;
    forEachStmt(stmt, [&](Stmt) { ++count; });
    return count;
}

bool reads(Stmt stmt, const Buffer *buffer) {
    bool found = false;
    forEachStmt(stmt, [&](Stmt s) {
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) { found = found || (e->kind == ExprKind::Load && e->symbol == buffer); });
        });
    });
    return found;
}

bool touches(Stmt stmt, const Buffer *buffer) {
    bool stored = false;
    forEachStmt(stmt, [&](Stmt s) { stored = stored || (s->kind == StmtKind::Store && s->buffer == buffer); });
    return stored || reads(stmt, buffer);
}

} // namespace loopscope
