#include "codegen/lower/zero_terms.h"

#include "codegen/lower/guards.h"
#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isZeroValue(Expr e) {
    return (e->kind == ExprKind::IntImm && e->intValue == 0) || (e->kind == ExprKind::FloatImm && e->floatValue == 0);
}

bool choosesValue(Expr e) {
    return e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
}

bool indexes(Stmt update, const ExprNode *var) {
    return std::any_of(update->index().begin(), update->index().end(), [&](Expr e) { return usesVar(e, Expr(var)); });
}

} // namespace

Expr addedTerm(Stmt update) {
    if (update->kind != StmtKind::Store || update->reductionInit || update->value->kind != ExprKind::Add) return {};
    for (const uint32_t side : {0U, 1U}) {
        const Expr own = update->value->arg(side);
        if (own->kind == ExprKind::Load && own->symbol == update->buffer) return update->value->arg(1 - side);
    }
    return {};
}

bool zeroWithout(Expr term, Expr part) {
    switch (term->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return isZeroValue(term);
    case ExprKind::Load:
        return term.is(part);
    case ExprKind::Cast:
        return zeroWithout(term->arg(0), part);
    case ExprKind::Mul:
        return zeroWithout(term->arg(0), part) || zeroWithout(term->arg(1), part);
    case ExprKind::Select:
    case ExprKind::Call: {
        if (!choosesValue(term)) return false;
        std::vector<Expr> parts;
        appendConjuncts(term->arg(0), parts);
        const bool decides = std::any_of(parts.begin(), parts.end(), [&](Expr e) { return e.is(part); });
        return zeroWithout(term->arg(2), part) && (decides || zeroWithout(term->arg(1), part));
    }
    default:
        return false;
    }
}

std::vector<Expr> partsNeeded(Expr term) {
    std::vector<Expr> needed;
    postOrder(term, [&](Expr e) {
        if (!choosesValue(e)) return;
        std::vector<Expr> parts;
        appendConjuncts(e->arg(0), parts);
        for (const Expr part : parts)
            if (zeroWithout(term, part)) needed.push_back(part);
    });
    return needed;
}

Expr withoutParts(Expr value, const std::function<bool(Expr)> &known) {
    return rewriteBottomUp(value, [&](Expr e) {
        if (!choosesValue(e)) return e;
        std::vector<Expr> parts;
        appendConjuncts(e->arg(0), parts);
        Expr left;
        bool same = true;
        for (const Expr part : parts) {
            if (known(part))
                same = false;
            else
                left = left ? logicalAnd(left, part) : part;
        }
        if (same) return e;
        if (!left) return e->arg(1);
        return e->kind == ExprKind::Select ? select(left, e->arg(1), e->arg(2))
                                           : ifThenElse(left, e->arg(1), e->arg(2));
    });
}

bool sumsBesideWindow(Stmt update, Expr term, const std::vector<const ExprNode *> &inside) {
    const auto reduces = [&](const ExprNode *var) {
        return std::find(inside.begin(), inside.end(), var) != inside.end() && !indexes(update, var);
    };
    const auto ofWindow = [&](const ExprNode *var) { // it is added to where the result is
        bool found = false;
        postOrder(term, [&](Expr e) {
            if (e->kind != ExprKind::Load) return;
            for (const Expr index : e->operands()) {
                if (!usesVar(index, Expr(var))) continue;
                postOrder(index, [&](Expr v) { found = found || (v->kind == ExprKind::Var && !reduces(v.node())); });
            }
        });
        return found;
    };
    return std::any_of(inside.begin(), inside.end(),
                       [&](const ExprNode *var) { return reduces(var) && !ofWindow(var); });
}

bool decidedOutsideTile(Expr part, Stmt update, const std::vector<const ExprNode *> &inside) {
    bool ofTile = false;
    bool met = false;
    for (size_t i = inside.size(); i > 0; --i) {
        const bool tile = indexes(update, inside[i - 1]);
        if (!usesVar(part, Expr(inside[i - 1]))) {
            if (!tile && !met) return true; // a reduce loop, further inside
            continue;
        }
        met = true;
        ofTile = ofTile || tile;
    }
    return !ofTile;
}

} // namespace loopscope
