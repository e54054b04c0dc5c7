#pragma once
// Sums of intervals that may leave 64 bits: whether a sum of integers is what an expression of the type has for a
// value.

#include "language/expr/split_sum.h"

namespace loopscope {

/// a + b, where what has stopped at an end of 64 bits stays there.
constexpr Interval addOpen(Interval a, Interval b) {
    constexpr Interval everything;
    Interval sum = a + b;
    if (a.min == everything.min || b.min == everything.min) sum.min = everything.min;
    if (a.max == everything.max || b.max == everything.max) sum.max = everything.max;
    return sum;
}

/// All values of the sum are inside the type.
inline bool staysIn(const SplitSum &sum, DType type) {
    if (type != DType::Int64) return exactIn(sum.values(), type);
    Interval r = Interval::point(sum.constant);
    for (const SplitTerm &term : sum.all()) r = addOpen(r, term.values());
    return !r.saturated();
}

} // namespace loopscope
