#include "codegen/lower/simplify_program.h"

#include "base/check.h"
#include "codegen/loop_ir/walk.h"

#include <vector>

namespace loopscope {

namespace {

bool isThreadLoop(LoopKind kind) { return kind >= LoopKind::BlockX; }

} // namespace

Stmt ProgramSimplifier::visit(Stmt stmt) {
    switch (stmt->kind) {
    case StmtKind::Block:
        return visitBlock(stmt);
    case StmtKind::For: {
        StmtNode node = *stmt.node();
        node.extent = (*this)(stmt->extent);
        if (stmt->min) node.min = (*this)(stmt->min);
        if (node.min && isInt(node.min, 0)) node.min = Expr();
        const size_t outer = mark();
        if (node.extent->kind == ExprKind::IntImm && !isThreadLoop(stmt->loop)) {
            if (node.extent->intValue <= 0) return {};
            if (node.extent->intValue == 1) {
                if (node.min)
                    bindValue(stmt->var, sum(stmt->min));
                else
                    bindRange(stmt->var, Interval::point(0));
                const Stmt body = visit(stmt->children[0]);
                release(outer);
                return body;
            }
        }
        Interval range = sum(stmt->extent).values();
        range = {0, range.max - 1};
        if (stmt->min) range = range + sum(stmt->min).values();
        bindRange(stmt->var, range);
        const bool same = node.extent.is(stmt->extent) && node.min.is(stmt->min);
        const Stmt result = visitLoop(same ? stmt : newStmt(node));
        release(outer);
        return result;
    }
    case StmtKind::Store:
        return visitStore(stmt);
    case StmtKind::If:
        return visitIf(stmt);
    case StmtKind::Let: {
        const Stmt body = visit(stmt->children[0]);
        if (!body) return {};
        return makeLetStmt(stmt->var, (*this)(stmt->value), body);
    }
    case StmtKind::Allocate:
        return visitAllocate(stmt);
    case StmtKind::Barrier:
        return stmt;
    }
    return stmt;
}

Stmt ProgramSimplifier::visitChildren(Stmt stmt) {
    const Stmt body = visit(stmt->children[0]);
    if (!body) return {};
    return withChildren(stmt, {&body, 1});
}

Stmt ProgramSimplifier::visitLoop(Stmt stmt) { return visitChildren(stmt); }
Stmt ProgramSimplifier::visitAllocate(Stmt stmt) { return visitChildren(stmt); }
Stmt ProgramSimplifier::visitStore(Stmt stmt) {
    return withOwnExprs(stmt, [this](Expr e) { return (*this)(e); });
}

Stmt ProgramSimplifier::visitBlock(Stmt stmt) {
    std::vector<Stmt> statements;
    for (const Stmt child : stmt->body())
        if (const Stmt kept = visit(child)) statements.push_back(kept);
    if (statements.empty()) return {};
    return withChildren(stmt, statements);
}

Stmt ProgramSimplifier::visitIf(Stmt stmt) {
    const Expr condition = (*this)(stmt->value);
    if (condition->kind == ExprKind::IntImm) {
        if (condition->intValue != 0) return visit(stmt->children[0]);
        return stmt->childCount > 1 ? visit(stmt->children[1]) : Stmt();
    }
    const size_t outer = mark();
    assume(condition);
    const Stmt then = visit(stmt->children[0]);
    release(outer);
    assume(condition, false);
    const Stmt otherwise = stmt->childCount > 1 ? visit(stmt->children[1]) : Stmt();
    release(outer);
    if (!then && !otherwise) return {};
    if (!then) return makeIf(logicalNot(condition), otherwise, {}, stmt->likely);
    return makeIf(condition, then, otherwise, stmt->likely);
}

void simplifyProgram(LoopProgram &program) {
    ProgramSimplifier simplifier;
    program.root = simplifier.visit(program.root);
    LOOPSCOPE_CHECK(static_cast<bool>(program.root), "a program that does nothing");
    numberNodes(program);
}

} // namespace loopscope
