#include "language/interpret/term_signs.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isZero(Expr e) { return isInt(e, 0) || (e->kind == ExprKind::FloatImm && e->floatValue == 0); }

} // namespace

TermSigns TermSignAnalysis::chosen(Expr e) const {
    const TermSigns condition = of(e->arg(0)), yes = of(e->arg(1)), no = of(e->arg(2));
    const bool random =
        (yes == TermSigns::Random || isZero(e->arg(1))) && (no == TermSigns::Random || isZero(e->arg(2)));
    // Chosen by position: borders, masks. Random values among zeros stay random.
    if (condition == TermSigns::Followed) return random ? TermSigns::Random : TermSigns::Followed;
    return yes == TermSigns::Followed || no == TermSigns::Followed ? TermSigns::Followed : TermSigns::Even;
}

TermSigns TermSignAnalysis::of(Expr e) const {
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return TermSigns::Even;
    case ExprKind::Var: {
        const auto bound = m_variables.find(e.node());
        return bound == m_variables.end() ? TermSigns::Followed : bound->second;
    }
    case ExprKind::Load: {
        const auto known = m_tensors.find(e->symbol);
        return known == m_tensors.end() ? TermSigns::Followed : known->second;
    }
    case ExprKind::Let:
        m_variables[e->arg(0).node()] = of(e->arg(1));
        return of(e->arg(2));
    case ExprKind::Cast:
        return of(e->arg(0));
    case ExprKind::Select:
        return chosen(e);
    case ExprKind::Call:
        if (e->intrinsic == Intrinsic::IfThenElse) return chosen(e);
        break;
    default:
        break;
    }
    TermSigns worst = TermSigns::Random;
    bool anyRandom = false;
    for (const Expr operand : e->operands()) {
        const TermSigns signs = of(operand);
        worst = std::max(worst, signs);
        anyRandom = anyRandom || signs == TermSigns::Random;
    }
    if (e->kind == ExprKind::Mul && anyRandom)
        return structurallyEqual(e->arg(0), e->arg(1)) ? TermSigns::Even : TermSigns::Random;
    if (e->kind == ExprKind::Div && of(e->arg(0)) == TermSigns::Random) return TermSigns::Random;
    if (e->kind == ExprKind::Add || e->kind == ExprKind::Sub) return worst;
    return std::max(worst, TermSigns::Even);
}

TermSigns TermSignAnalysis::visit(const Op &op) {
    if (op.isPlaceholder()) {
        for (const auto &output : op.outputs) m_tensors[output.get()] = TermSigns::Random;
        return TermSigns::Random;
    }
    TermSigns terms = TermSigns::Random;
    for (const Expr body : op.body) terms = std::max(terms, of(body));
    // Terms left out by position are zeros among the others.
    if (op.reduction && op.reduction->condition && terms == TermSigns::Even) terms = TermSigns::Followed;
    TermSigns elements = terms;
    if (op.reduction && reduceKind(op.reduction->combiner) != ReduceKind::Sum)
        elements = std::max(elements, TermSigns::Even);
    for (const auto &output : op.outputs) m_tensors[output.get()] = elements;
    return terms;
}

} // namespace loopscope
