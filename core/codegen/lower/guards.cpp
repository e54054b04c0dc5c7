#include "codegen/lower/guards.h"

#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

Inequality inequalityOf(Simplifier &simplifier, Expr comparison) {
    Inequality result;
    const ExprKind kind = comparison->kind;
    const bool ordered = kind == ExprKind::Lt || kind == ExprKind::Le || kind == ExprKind::Gt || kind == ExprKind::Ge;
    if (!ordered || comparison->arg(0)->dtype != DType::Int32) return result; // of coordinates
    if (containsLoad(comparison)) return result;
    const bool less = kind == ExprKind::Lt || kind == ExprKind::Le;
    result.sum.add(simplifier.sum(comparison->arg(0)), less ? 1 : -1);
    result.sum.add(simplifier.sum(comparison->arg(1)), less ? -1 : 1);
    if (kind == ExprKind::Le || kind == ExprKind::Ge) result.sum.constant -= 1;
    result.exact = true;
    return result;
}

void appendConjuncts(Expr condition, std::vector<Expr> &parts) {
    if (condition->kind != ExprKind::And) {
        parts.push_back(condition);
        return;
    }
    appendConjuncts(condition->arg(0), parts);
    appendConjuncts(condition->arg(1), parts);
}

LoopView viewFrom(const Inequality &inequality, Expr var, const std::vector<const ExprNode *> &inside) {
    LoopView view;
    view.separable = inequality.exact;
    view.inner = Interval::point(inequality.sum.constant);
    for (const SplitTerm &term : inequality.sum.all()) {
        bool own = false;
        bool inner = false;
        bool outer = false;
        postOrder(term.base, [&](Expr e) {
            if (e->kind != ExprKind::Var) return;
            if (e.is(var))
                own = true;
            else if (std::find(inside.begin(), inside.end(), e.node()) != inside.end())
                inner = true;
            else
                outer = true;
        });
        if (int(own) + int(inner) + int(outer) > 1) view.separable = false;
        if (own) {
            if (term.base->kind != ExprKind::Var || term.lower != 1 || term.upper != 0) view.separable = false;
            view.coefficient += term.scale;
        } else if (!inner) { // of no variable: a number, though it is not known which
            view.outer.add(term);
        } else {
            view.inner = view.inner + term.values();
        }
    }
    return view;
}

void appendCuts(const LoopView &view, int64_t first, int64_t extent, std::vector<int64_t> &cuts) {
    if (!view.separable || view.outer.count > 0 || view.coefficient == 0) return;
    const int64_t a = view.coefficient;
    const auto add = [&](int64_t cut) {
        if (cut > first && cut < first + extent && std::find(cuts.begin(), cuts.end(), cut) == cuts.end())
            cuts.push_back(cut);
    };
    // a*v + inner < 0
    if (a > 0) {
        add(-floorDivInt(view.inner.max, a));
        add(-floorDivInt(view.inner.min, a));
    } else {
        add(floorDivInt(view.inner.min, -a) + 1);
        add(floorDivInt(view.inner.max, -a) + 1);
    }
}

} // namespace loopscope
