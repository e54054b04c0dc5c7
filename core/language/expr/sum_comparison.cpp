#include "language/expr/sum_comparison.h"

#include <numeric>

namespace loopscope {

int64_t commonFactor(const SplitSum &sum) {
    int64_t factor = 0;
    for (const SplitTerm &term : sum.all()) factor = std::gcd(factor, term.scale);
    return factor;
}

bool comparisonHolds(ExprKind kind, Interval difference, bool &value) {
    const auto decided = [&](bool yes, bool no) {
        value = yes;
        return yes || no;
    };
    switch (kind) {
    case ExprKind::Lt:
        return decided(difference.max < 0, difference.min >= 0);
    case ExprKind::Le:
        return decided(difference.max <= 0, difference.min > 0);
    case ExprKind::Gt:
        return decided(difference.min > 0, difference.max <= 0);
    case ExprKind::Ge:
        return decided(difference.min >= 0, difference.max < 0);
    case ExprKind::Eq:
        return decided(difference.min == 0 && difference.max == 0, difference.min > 0 || difference.max < 0);
    default: // Ne
        return decided(difference.min > 0 || difference.max < 0, difference.min == 0 && difference.max == 0);
    }
}

ExprKind mirroredComparison(ExprKind kind) {
    switch (kind) {
    case ExprKind::Lt:
        return ExprKind::Gt;
    case ExprKind::Le:
        return ExprKind::Ge;
    case ExprKind::Gt:
        return ExprKind::Lt;
    case ExprKind::Ge:
        return ExprKind::Le;
    default:
        return kind;
    }
}

bool multiplyOut(SplitSum &difference, ExprKind &kind, DType type) {
    if (difference.count != 1 || kind == ExprKind::Eq || kind == ExprKind::Ne) return false;
    SplitTerm term = difference.terms[0];
    if (term.lower == 1 || (term.scale != 1 && term.scale != -1)) return false;
    const ExprKind order = term.scale == 1 ? kind : mirroredComparison(kind);
    const int64_t bound = term.scale == 1 ? -difference.constant : difference.constant;
    // Of the whole bucket `bound`, the first value for < and >=, the last for <= and >.
    const bool last = order == ExprKind::Le || order == ExprKind::Gt;
    const int64_t limit = addSaturating(mulSaturating(addSaturating(bound, last ? 1 : 0), term.lower), last ? -1 : 0);
    if (!Interval::point(limit).inside(Interval::ofType(type))) return false;
    SplitSum dividend;
    if (term.whole != nullptr && term.upper == 0) {
        dividend.add(*term.whole);
    } else {
        term.lower = term.scale = 1;
        dividend.add(term);
    }
    dividend.constant -= limit;
    difference = dividend;
    kind = order;
    return true;
}

bool dropFineTerms(SplitSum &difference) {
    int64_t g = 0;
    for (const SplitTerm &term : difference.all())
        if (term.scale > 1 || term.scale < -1) g = std::gcd(g, term.scale);
    if (g != 0) g = std::gcd(g, difference.constant);
    if (g <= 1) return false;
    Interval fine = Interval::point(0);
    const SplitTerm *only = nullptr;
    size_t count = 0;
    for (const SplitTerm &term : difference.all()) {
        if (term.scale % g == 0) continue;
        fine = fine + term.values();
        only = &term;
        ++count;
    }
    if (count == 0) return false;
    const bool vanishes = fine.min >= 0 && fine.max < g;
    if (!vanishes && (count > 1 || only->scale != 1 || only->upper == 0 || only->upper % (g * only->lower) != 0))
        return false;
    SplitSum coarse;
    coarse.constant = difference.constant / g;
    for (SplitTerm term : difference.all()) {
        if (term.scale % g == 0)
            term.scale /= g;
        else if (vanishes)
            continue;
        else
            term.lower *= g;
        coarse.add(term);
    }
    difference = coarse;
    return true;
}

} // namespace loopscope
