#pragma once
// Interval analysis of integer (and bool) expressions: the smallest and largest value over ranges of the variables,
// operand by operand. Cheap and allocation-free; it does not see that two operands move together (`x - x` is not 0).
// language/expr/affine.h has the form that does.

#include "language/expr/expr.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace loopscope {

/// Both ends inclusive. Bool expressions: {1, 1} is provably true, {0, 0} provably false.
struct Interval {
    /// The ends where nothing is known.
    static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
    static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

    int64_t min = kMin;
    int64_t max = kMax;

    static constexpr Interval point(int64_t value) { return {value, value}; }
    /// [0, extent)
    static constexpr Interval upTo(int64_t extent) { return {0, extent - 1}; }
    /// Every value of the type.
    static Interval ofType(DType type);

    /// An end at which int64 arithmetic stops may have been passed.
    [[nodiscard]] constexpr bool saturated() const { return min == kMin || max == kMax; }
    [[nodiscard]] constexpr bool isPoint() const { return min == max; }
    [[nodiscard]] constexpr bool empty() const { return min > max; }
    [[nodiscard]] constexpr bool inside(Interval other) const { return min >= other.min && max <= other.max; }
    bool operator==(const Interval &) const = default;
};

constexpr Interval intersect(Interval a, Interval b) {
    return {a.min > b.min ? a.min : b.min, a.max < b.max ? a.max : b.max};
}
constexpr Interval hull(Interval a, Interval b) {
    return {a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
}

// int64 arithmetic that stops at the ends of the range instead of wrapping. Inline: schedulers call it millions of
// times.
constexpr int64_t addSaturating(int64_t a, int64_t b) {
    int64_t result = 0;
    if (!__builtin_add_overflow(a, b, &result)) return result;
    return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
constexpr int64_t mulSaturating(int64_t a, int64_t b) {
    int64_t result = 0;
    if (!__builtin_mul_overflow(a, b, &result)) return result;
    return (a < 0) != (b < 0) ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
// The same, wrapping: sums that stand for values are congruent to them, whatever their factors.
constexpr int64_t addWrapping(int64_t a, int64_t b) {
    int64_t result = 0;
    (void)__builtin_add_overflow(a, b, &result);
    return result;
}
constexpr int64_t mulWrapping(int64_t a, int64_t b) {
    int64_t result = 0;
    (void)__builtin_mul_overflow(a, b, &result);
    return result;
}
constexpr Interval operator*(Interval a, int64_t factor) {
    const int64_t low = mulSaturating(a.min, factor), high = mulSaturating(a.max, factor);
    return factor < 0 ? Interval{high, low} : Interval{low, high};
}
constexpr Interval operator+(Interval a, Interval b) {
    return {addSaturating(a.min, b.min), addSaturating(a.max, b.max)};
}
constexpr Interval operator-(Interval a, Interval b) { return a + b * -1; }
constexpr Interval operator*(Interval a, Interval b) {
    if (b.isPoint()) return a * b.min;
    if (a.isPoint()) return b * a.min;
    return hull(hull(Interval::point(mulSaturating(a.min, b.min)), Interval::point(mulSaturating(a.min, b.max))),
                hull(Interval::point(mulSaturating(a.max, b.min)), Interval::point(mulSaturating(a.max, b.max))));
}

constexpr int64_t floorDivInt(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0); }
constexpr int64_t floorModInt(int64_t a, int64_t b) { return a - floorDivInt(a, b) * b; }

struct VarRange {
    const ExprNode *var = nullptr;
    Interval range;
};
/// Found by linear search: nests are shallow. A variable that is not listed may have any value of its type.
using VarRanges = std::span<const VarRange>;

/// Sums of integers as integers are what an expression of the type has for a value where they stay inside the type: it
/// wraps. Outside, and where int64 ends, the two are congruent only.
inline bool exactIn(Interval sum, DType type) {
    if (type == DType::Int32)
        return sum.min >= std::numeric_limits<int32_t>::min() && sum.max <= std::numeric_limits<int32_t>::max();
    return type == DType::Int64 ? !sum.saturated() : sum.inside(Interval::ofType(type));
}

/// Where the arithmetic may wrap around the expression's type: the whole type.
Interval intervalOf(Expr e, VarRanges ranges);

/// Some sum, difference or product of integers in it may leave its type.
bool mayWrap(Expr e, VarRanges ranges);

} // namespace loopscope
