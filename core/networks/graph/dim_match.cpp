#include "networks/graph/dim_match.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

/// factor * symbol + rest, where nothing else is unknown.
struct LinearDim {
    std::string symbol;
    Dim factor;
    Dim rest;
};

std::optional<LinearDim> linearIn(const Dim &dim, const std::string &symbol) {
    const auto at = [&](const Dim &value) { return dim.substituted({{symbol, value}}); };
    const auto rest = at(0);
    const auto next = at(Dim::symbol(symbol) + 1);
    if (!rest || !next) return std::nullopt;
    const Dim factor = *next - dim;
    for (const std::string &name : factor.symbols())
        if (name == symbol) return std::nullopt; // not in a sum alone
    if (factor == Dim(0) || !(factor * Dim::symbol(symbol) + *rest == dim)) return std::nullopt;
    return LinearDim{symbol, factor, *rest};
}

/// The one symbol of a dim that `known` lacks; nothing when there is none or more than one.
template <typename Known> std::optional<std::string> onlyUnknown(const Dim &dim, const Known &known) {
    std::optional<std::string> only;
    for (std::string &symbol : dim.symbols()) {
        if (known.contains(symbol)) continue;
        if (only) return std::nullopt;
        only = std::move(symbol);
    }
    return only;
}

template <typename Known> bool allKnown(const Dim &dim, const Known &known) {
    for (const std::string &symbol : dim.symbols())
        if (!known.contains(symbol)) return false;
    return true;
}

/// Of factor * n + rest = actual, where that is a dim.
std::optional<int64_t> solution(int64_t actual, int64_t rest, int64_t factor) {
    int64_t product = 0;
    if (__builtin_sub_overflow(actual, rest, &product) || (product == INT64_MIN && factor == -1)) return std::nullopt;
    if (product % factor != 0 || product / factor < 0) return std::nullopt;
    return product / factor;
}

std::string hasToBe(size_t axis, const std::string &what, int64_t actual) {
    return fmt::format("dim {} has to be {}, it is {}", axis, what, actual);
}

/// Runs `solve` over the axes until none of them tells anything new.
template <typename Solve> void untilNothingIsNew(size_t axes, std::vector<bool> &done, const Solve &solve) {
    for (bool again = true; again;) {
        again = false;
        for (size_t axis = 0; axis < axes; ++axis)
            if (!done[axis] && solve(axis)) {
                done[axis] = true;
                again = true;
            }
    }
}

} // namespace

std::optional<DimMismatch> matchDims(std::span<const Dim> pattern, std::span<const int64_t> actual,
                                     SymbolNumbers &symbols) {
    SymbolNumbers found = symbols;
    std::optional<DimMismatch> wrong;
    std::vector<bool> done(pattern.size());
    untilNothingIsNew(pattern.size(), done, [&](size_t axis) {
        if (wrong) return false;
        const Dim &dim = pattern[axis];
        if (allKnown(dim, found)) {
            const auto expected = dim.evaluate(found);
            if (!expected || *expected != actual[axis]) {
                std::string what = dim.text();
                if (expected && !dim.isConstant()) what += fmt::format(" = {}", *expected);
                if (!expected) what += ", which does not fit 64 bits";
                wrong = {axis, hasToBe(axis, what, actual[axis])};
            }
            return true;
        }
        const auto symbol = onlyUnknown(dim, found);
        if (!symbol) return false;
        std::map<std::string, Dim, std::less<>> numbers;
        for (const std::string &name : dim.symbols())
            if (const auto at = found.find(name); at != found.end()) numbers.emplace(name, at->second);
        const auto told = dim.substituted(numbers);
        const auto linear = told ? linearIn(*told, *symbol) : std::nullopt;
        if (!linear || !linear->factor.isConstant() || !linear->rest.isConstant()) return false;
        const auto number = solution(actual[axis], linear->rest.value(), linear->factor.value());
        if (number)
            found.emplace(*symbol, *number);
        else
            wrong = {axis,
                     hasToBe(axis, fmt::format("{} for a whole {} of at least 0", dim.text(), *symbol), actual[axis])};
        return true;
    });
    if (wrong) return wrong;
    for (size_t axis = 0; axis < pattern.size(); ++axis)
        if (!done[axis])
            return DimMismatch{axis, fmt::format("dim {} is {}, which {} does not tell the symbols of", axis,
                                                 actual[axis], pattern[axis].text())};
    symbols = std::move(found);
    return std::nullopt;
}

std::optional<size_t> unsolvedAxis(std::span<const Dim> pattern, SymbolNames &known) {
    std::vector<bool> done(pattern.size());
    untilNothingIsNew(pattern.size(), done, [&](size_t axis) {
        if (allKnown(pattern[axis], known)) return true;
        const auto symbol = onlyUnknown(pattern[axis], known);
        if (!symbol) return false;
        const auto linear = linearIn(pattern[axis], *symbol);
        // The factor may be another symbol, which is 0 for some numbers: not to be relied on.
        if (!linear || !linear->factor.isConstant()) return false;
        known.insert(*symbol);
        return true;
    });
    for (size_t axis = 0; axis < pattern.size(); ++axis)
        if (!done[axis]) return axis;
    return std::nullopt;
}

void solveDims(std::span<const Dim> pattern, std::span<const Dim> actual,
               std::map<std::string, Dim, std::less<>> &values) {
    std::vector<bool> done(pattern.size());
    untilNothingIsNew(pattern.size(), done, [&](size_t axis) {
        const auto symbol = onlyUnknown(pattern[axis], values);
        if (!symbol) return allKnown(pattern[axis], values);
        const auto linear = linearIn(pattern[axis], *symbol);
        if (!linear) return false;
        const auto factor = linear->factor.substituted(values);
        const auto rest = linear->rest.substituted(values);
        const auto quotient = factor && rest ? Dim::exactQuotient(actual[axis] - *rest, *factor) : std::nullopt;
        if (!quotient) return false;
        values.emplace(*symbol, *quotient);
        return true;
    });
}

} // namespace loopscope
