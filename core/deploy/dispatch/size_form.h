#pragma once
// A whole number of a program as a function of the size n of a symbolic dim: the trip count of a loop over tiles, a
// stride, a remainder. It is told from what the number is at a few sizes, and proved elsewhere (symbolic_program.h).
//
//     offset + factor * (scale * n^power + shift) div divisor        [ * (n + otherShift) div other ]
//     offset + factor * (scale * n^power + shift) mod divisor

#include "language/expr/expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace loopscope {

struct SizeForm {
    int64_t offset = 0;
    int64_t factor = 0; // 0: the offset alone
    int64_t scale = 1;
    int64_t shift = 0;
    int64_t divisor = 1;
    int power = 1; // 1 or 2
    bool remainder = false;
    int64_t other = 0; // 0: there is no second factor
    int64_t otherShift = 0;

    static SizeForm constant(int64_t value) { return {.offset = value}; }
    [[nodiscard]] bool isConstant() const { return factor == 0; }
    [[nodiscard]] int64_t at(int64_t size) const;
    /// Of type int64; `size` is, too.
    [[nodiscard]] Expr over(Expr size) const;
    /// "n*768", "ceil(n / 8)", "n mod 8".
    [[nodiscard]] std::string text(const std::string &symbol) const;
    bool operator==(const SizeForm &) const = default;
};

/// The least and the largest value for sizes 1 .. bound.
struct SizeRange {
    int64_t least = 0;
    int64_t most = 0;
};
SizeRange rangeOf(const SizeForm &form, int64_t bound);

/// The simplest form that has these values at these sizes, of which there are five or more; nothing when none has.
std::optional<SizeForm> formThrough(std::span<const int64_t> sizes, std::span<const int64_t> values);

} // namespace loopscope
