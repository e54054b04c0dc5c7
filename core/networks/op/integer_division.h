#pragma once
// Integers divided by 0. A kernel computes 0 there (language/expr/expr.h), which is a fault of the values, unless
// nobody wants the quotient there: where all that comes of it are choices of a `where`, something else may be chosen.

#include "networks/graph/function.h"
#include "networks/op/operator.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// An integer divisor of the node, which is looked at before anything is divided by it; nothing for other nodes, and
/// where 0 does no harm. Types must be known.
std::optional<ValueId> checkedDivisor(const GraphFunction &function, const Node &node);

/// The first 0 among elements, in words: " at index [1, 2] of 'b'".
std::optional<std::string> zeroAmong(std::span<const int64_t> elements, const std::vector<int64_t> &dims,
                                     const std::string &name);
/// "div 'q': an integer is divided by 0 at index [1, 2] of 'b'", with what would be legal.
std::string divisionByZeroText(const std::string &node, const std::string &where);

/// As the function says: by 0 where that does no harm a quotient is 0, and so is what is left.
Outcome<std::vector<WideTensor>> evaluateDivision(const GraphFunction &function, const Node &node,
                                                  std::span<const WideTensor *const> inputs, ThreadPool &pool,
                                                  int64_t maxElements);
/// Nodes that evaluateDivision is for.
bool dividesIntegers(const Node &node, std::span<const WideTensor *const> inputs);

} // namespace loopscope
