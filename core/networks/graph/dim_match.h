#pragma once
// The dims of a value against a pattern. A dim of the pattern that has one symbol without a number, and has it in a sum
// (n, n + 1, 4*n), gives it one; all others are checked once their symbols have numbers. The one place that knows the
// rule: parameters of functions, `match`, and the check that a pattern can be solved at all.

#include "networks/graph/dim.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace loopscope {

using SymbolNumbers = std::map<std::string, int64_t, std::less<>>;
using SymbolNames = std::set<std::string, std::less<>>;

struct DimMismatch {
    size_t axis = 0;
    std::string sentence; // "dim 1 has to be 2*n = 8, it is 7"
};

/// Binds into `symbols`, which is unchanged when something does not fit. Ranks are the same.
std::optional<DimMismatch> matchDims(std::span<const Dim> pattern, std::span<const int64_t> actual,
                                     SymbolNumbers &symbols);

/// Adds what the pattern would bind to `known`; the first axis that stays without a number, where one does.
std::optional<size_t> unsolvedAxis(std::span<const Dim> pattern, SymbolNames &known);

/// The same with expressions: `values` gets what stands for the pattern's symbols, as far as that can be told.
void solveDims(std::span<const Dim> pattern, std::span<const Dim> actual,
               std::map<std::string, Dim, std::less<>> &values);

} // namespace loopscope
