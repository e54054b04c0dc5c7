#include "language/expr/assumptions.h"

#include <algorithm>

namespace loopscope {

namespace {

LinearForm negated(const LinearForm &form) {
    LinearForm result;
    addScaled(result, form, -1);
    return result;
}

} // namespace

void Assumptions::assume(Expr condition, bool holds) {
    switch (condition->kind) {
    case ExprKind::Not:
        return assume(condition->arg(0), !holds);
    case ExprKind::And:
    case ExprKind::Or:
        if ((condition->kind == ExprKind::And) != holds)
            return assumeEither(condition->arg(0), condition->arg(1), holds);
        assume(condition->arg(0), holds);
        return assume(condition->arg(1), holds);
    case ExprKind::IntImm:
        if ((condition->intValue != 0) != holds) m_contradictory = true;
        return;
    default:
        break;
    }
    if (!isComparison(condition->kind) || !isInteger(condition->arg(0)->dtype)) return;
    std::optional<LinearForm> difference = differenceForm(condition->arg(0), condition->arg(1), m_ranges);
    if (!difference) return;
    Interval range;
    switch (condition->kind) {
    case ExprKind::Lt:
        range = holds ? Interval{Interval::kMin, -1} : Interval{0, Interval::kMax};
        break;
    case ExprKind::Le:
        range = holds ? Interval{Interval::kMin, 0} : Interval{1, Interval::kMax};
        break;
    case ExprKind::Gt:
        range = holds ? Interval{1, Interval::kMax} : Interval{Interval::kMin, 0};
        break;
    case ExprKind::Ge:
        range = holds ? Interval{0, Interval::kMax} : Interval{Interval::kMin, -1};
        break;
    default:
        if ((condition->kind == ExprKind::Eq) == holds) {
            range = Interval::point(0);
        } else { // different: only an end of the range can be cut off
            range = intervalOf(*difference);
            if (range.min == 0) ++range.min;
            if (range.max == 0) --range.max;
        }
    }
    assumeForm(std::move(*difference), range);
}

void Assumptions::assumeForm(LinearForm form, Interval range) {
    // Ends that mean "unbounded" stay so when the constant moves to the other side.
    if (range.min != Interval::kMin) range.min = addSaturating(range.min, mulSaturating(form.constant, -1));
    if (range.max != Interval::kMax) range.max = addSaturating(range.max, mulSaturating(form.constant, -1));
    form.constant = 0;
    if (form.isConstant()) {
        if (range.min > 0 || range.max < 0) m_contradictory = true;
        return;
    }
    range = intersect(range, intervalOf(form));
    if (range.empty()) m_contradictory = true;
    m_facts.push_back({std::move(form), range});
    // A new bound of one variable may tighten what older facts say about others; two rounds settle guards of tensors.
    for (int round = 0; round < 2 && !m_contradictory; ++round)
        for (const Fact &fact : m_facts) tightenVars(fact);
}

void Assumptions::assumeEither(Expr a, Expr b, bool holds) {
    Assumptions first = *this, second = *this;
    first.assume(a, holds);
    second.assume(b, holds);
    if (first.m_contradictory || second.m_contradictory) {
        *this = first.m_contradictory ? std::move(second) : std::move(first);
        return;
    }
    for (size_t i = 0; i < m_ranges.size(); ++i)
        m_ranges[i].range = hull(first.m_ranges[i].range, second.m_ranges[i].range);
    for (size_t i = m_facts.size(); i < first.m_facts.size(); ++i) {
        const Fact &fact = first.m_facts[i];
        const Interval either = hull(fact.range, second.intervalOf(fact.form));
        if (either != Interval{}) m_facts.push_back({fact.form, either});
    }
}

void Assumptions::tightenVars(const Fact &fact) {
    for (const LinearTerm &term : fact.form.terms) {
        if (term.atom->kind != ExprKind::Var) continue;
        const auto entry = std::find_if(m_ranges.begin(), m_ranges.end(),
                                        [&](const VarRange &range) { return range.var == term.atom.node(); });
        if (entry == m_ranges.end()) continue;
        LinearForm rest = fact.form;
        std::erase_if(rest.terms, [&](const LinearTerm &other) { return other.atom.is(term.atom); });
        const Interval others = loopscope::intervalOf(rest, m_ranges);
        if (others.min == Interval::kMin || others.max == Interval::kMax) continue;
        // coefficient * var lies in fact.range - others
        Interval product = fact.range - others;
        if (term.coefficient < 0) product = product * -1;
        const int64_t c = term.coefficient < 0 ? -term.coefficient : term.coefficient;
        const Interval allowed{product.min == Interval::kMin ? Interval::kMin : -floorDivInt(-product.min, c),
                               product.max == Interval::kMax ? Interval::kMax : floorDivInt(product.max, c)};
        entry->range = intersect(entry->range, allowed);
        if (entry->range.empty()) m_contradictory = true;
    }
}

Interval Assumptions::intervalOf(const LinearForm &form) const {
    Interval result = loopscope::intervalOf(form, m_ranges);
    const LinearForm opposite = negated(form);
    for (const Fact &fact : m_facts) {
        if (const auto shift = constantDifference(form, fact.form))
            result = intersect(result, fact.range + Interval::point(*shift));
        else if (const auto mirrored = constantDifference(opposite, fact.form))
            result = intersect(result, (fact.range + Interval::point(*mirrored)) * -1);
    }
    return result;
}

Interval Assumptions::intervalOf(Expr e) const {
    Interval result = loopscope::intervalOf(e, m_ranges);
    if (isInteger(e->dtype)) result = intersect(result, intervalOf(linearForm(e, m_ranges)));
    // What guards say of the number divided they say of its digits, too.
    if ((e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod) && e->arg(1)->kind == ExprKind::IntImm &&
        e->arg(1)->intValue > 0) {
        const int64_t by = e->arg(1)->intValue;
        const Interval number = intervalOf(e->arg(0));
        const Interval quotient = {floorDivInt(number.min, by), floorDivInt(number.max, by)};
        if (e->kind == ExprKind::FloorDiv)
            result = intersect(result, quotient);
        else if (quotient.isPoint())
            result = intersect(result, number + Interval::point(-quotient.min * by));
    }
    return result;
}

} // namespace loopscope
