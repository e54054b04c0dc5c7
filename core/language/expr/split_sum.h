#pragma once
// Canonical sums of scaled terms `scale * floordiv(floormod(base, upper), lower)`, the split-sum form of TVM's
// canonical simplifier: what index expressions over split and fused loops come to. Written back, terms stand in
// descending order of scale, negative ones last as subtractions, so that operation counts agree with Ansor's.
//
// Lives in the thread's current arena; language/expr/simplify.h makes such sums from expressions.

#include "language/expr/interval.h"

#include <cstdint>
#include <span>

namespace loopscope {

struct SplitSum;

/// scale * floordiv(floormod(base, upper), lower); upper 0 = no floormod.
struct SplitTerm {
    Expr base;
    int64_t scale = 1;
    int64_t lower = 1;
    int64_t upper = 0;
    Interval range;                  // of base
    const SplitSum *whole = nullptr; // what base was written from, where that is a sum of its own

    [[nodiscard]] Interval values() const; // scale applied
    [[nodiscard]] Interval unscaledValues() const;
};

/// constant + sum of terms; terms live in the arena. Congruent to the expression it was made of, modulo the values of
/// its type, as sums and products wrap; equal to it where it is `exactIn` the type (interval.h), which is what
/// divisions, comparisons and wider types need.
struct SplitSum {
    SplitTerm *terms = nullptr;
    uint32_t count = 0;
    uint32_t capacity = 0;
    int64_t constant = 0;

    [[nodiscard]] std::span<const SplitTerm> all() const { return {terms, count}; }
    [[nodiscard]] Interval values() const;
    void add(SplitTerm term); // merges with what is there
    void add(const SplitSum &other, int64_t factor = 1);
};

/// Which quotients of sums are taken apart. Feature rows count what is left of them.
enum class Divisions : uint8_t {
    Full,    // whatever can be: for code
    AsAnsor, // what TVM's analyzer does (a rewrite of canonical sums of few addends), no more: for features
};

/// Of a sum that is equal to its expression. `known` is what is known of it beyond the ranges of its terms, such as a
/// condition around it. No part that is divided by itself leaves the type, nor does a divisor.
SplitSum floorDiv(const SplitSum &sum, int64_t divisor, DType type, Divisions divisions = Divisions::Full,
                  Interval known = {});
SplitSum floorMod(const SplitSum &sum, int64_t divisor, DType type, Divisions divisions = Divisions::Full,
                  Interval known = {});
Expr write(const SplitSum &sum, DType type);

} // namespace loopscope
