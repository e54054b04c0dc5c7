// Conditions are asked for where they begin to matter and not again in every iteration inside:
//
//     for i:                                        if t < 16:
//         vectorized v in 0 .. 4:                       for i:
//             if t < 16:                                    if i*4 < n - 3:
//                 if i*4 + v < 52:                  ->          if 0 <= i*4 - 1:
//                     S[i*4 + v] =                                  vectorized v in 0 .. 4: S[i*4 + v] = A[i*4 + v - 4]
//                         if_then_else(.., A[..], 0)            else:
//                                                                   vectorized v in 0 .. 4: S[i*4 + v] = 0
//
// What holds for all lanes of a vector or for none is asked once for the vector, padding too, so that the vector is
// loaded and stored as one.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/guards.h"
#include "codegen/lower/simplify_program.h"
#include "codegen/lower/thread_counts.h"
#include "language/expr/walk.h"

#include <numeric>

namespace loopscope {

namespace {

class ConditionHoister : public ProgramSimplifier {
  protected:
    Stmt visitLoop(Stmt loop) override {
        const Stmt body = visit(loop->children[0]);
        if (!body) return {};
        if (isThreadAxis(loop->loop) || isBlockAxis(loop->loop)) return withChildren(loop, {&body, 1});
        Stmt inner = body;
        std::vector<Expr> parts;
        bool likely = true;
        for (; inner->kind == StmtKind::If && inner->childCount == 1; inner = inner->children[0]) {
            appendConjuncts(inner->value, parts);
            likely = likely && inner->likely;
        }
        Expr outside;
        Expr inside;
        for (const Expr part : parts) {
            const bool once = !containsLoad(part) && sameInAll(loop, part);
            Expr &where = once ? outside : inside;
            const Expr told = once ? ofFirst(loop, part) : part;
            where = where ? logicalAnd(where, told) : told;
        }
        Stmt result = inside ? withIf(loop, inside, inner, likely) : choosing(loop, inner);
        if (!outside) return result;
        return isInt(outside, 0) ? Stmt() : isInt(outside, 1) ? result : makeIf(outside, result, {}, likely);
    }

  private:
    static Stmt withIf(Stmt loop, Expr condition, Stmt inner, bool likely) {
        const Stmt body = makeIf(condition, inner, {}, likely);
        return withChildren(loop, {&body, 1});
    }

    /// The loop over `inner`; of a vector that either reads or pads, the choice before it.
    Stmt choosing(Stmt loop, Stmt inner) {
        const bool chooses = loop->loop == LoopKind::Vectorized && inner->kind == StmtKind::Store &&
                             inner->value->kind == ExprKind::Call && inner->value->intrinsic == Intrinsic::IfThenElse;
        if (!chooses || containsLoad(inner->value->arg(0)) || !sameInAll(loop, inner->value->arg(0)))
            return withChildren(loop, {&inner, 1});
        const auto with = [&](Expr value) {
            StmtNode store = *inner.node();
            store.value = value;
            const Stmt body = newStmt(store);
            return withChildren(loop, {&body, 1});
        };
        const Stmt then = with(inner->value->arg(1));
        const Stmt otherwise = copyStmt(with(inner->value->arg(2)));
        const Expr condition = ofFirst(loop, inner->value->arg(0));
        if (condition->kind == ExprKind::IntImm) return condition->intValue != 0 ? then : otherwise;
        return makeIf(condition, then, otherwise);
    }

    Expr ofFirst(Stmt loop, Expr condition) {
        if (!usesVar(condition, loop->var)) return condition;
        return (*this)(substitute(condition, {{loop->var.node(), loop->min ? loop->min : makeInt(0)}}));
    }

    /// In all iterations of the loop, whatever the variables outside are. Other loops than vectors are not looked into.
    bool sameInAll(Stmt loop, Expr condition) {
        if (!usesVar(condition, loop->var)) return true;
        if (loop->loop != LoopKind::Vectorized || loop->min) return false;
        switch (condition->kind) {
        case ExprKind::And:
        case ExprKind::Or:
            return sameInAll(loop, condition->arg(0)) && sameInAll(loop, condition->arg(1));
        case ExprKind::Not:
            return sameInAll(loop, condition->arg(0));
        default:
            return isComparison(condition->kind) && sameComparison(loop, condition);
        }
    }

    /// constant + a*v + (a multiple of some number) < 0: no multiple of it lies where v would decide.
    bool sameComparison(Stmt loop, Expr comparison) {
        const Inequality inequality = inequalityOf(*this, comparison);
        if (!inequality.exact) return false;
        int64_t own = 0;
        int64_t step = 0;
        for (const SplitTerm &term : inequality.sum.all()) {
            if (term.base.is(loop->var)) {
                if (term.lower != 1 || term.upper != 0) return false;
                own += term.scale;
            } else if (usesVar(term.base, loop->var)) {
                return false;
            } else {
                step = std::gcd(step, term.scale);
            }
        }
        const int64_t span = mulSaturating(std::abs(own), constantExtent(loop) - 1);
        const int64_t first = inequality.sum.constant; // of v = 0
        const int64_t last = own > 0 ? addSaturating(first, span) : addSaturating(first, -span);
        if (step == 0) return (first < 0) == (last < 0);
        const int64_t rest = floorModInt(first, step);
        return own > 0 ? step - rest > span : rest >= span;
    }
};

} // namespace

void hoistConditions(LoopProgram &program, const PassContext &) {
    program.root = ConditionHoister().visit(program.root);
    numberNodes(program);
}

} // namespace loopscope
