#pragma once
// A constant chosen by whole numbers, as the matrices of a transform stand in a computation: a row of selects, each of
// which compares indices with constants. As text such a row is as long as the matrix has elements, wherever it is read.

#include "language/expr/expr.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

struct ConstantChoice {
    struct Case {
        std::vector<std::pair<size_t, int64_t>> equals; // number of an index, what it has to be
        Expr value;
    };
    std::vector<Expr> indices;
    std::vector<Case> cases; // the first that fits
    Expr otherwise;

    [[nodiscard]] Expr at(std::span<const int64_t> values) const;
};

/// None where the expression is no such row. Indices of the same text are the same.
std::optional<ConstantChoice> constantChoice(Expr e, const std::function<std::string(Expr)> &text);

} // namespace loopscope
