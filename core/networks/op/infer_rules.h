#pragma once
// What the inference of many operators has in common: refusals that name the node, broadcasting, axes, element types.

#include "networks/op/operator.h"

#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

using Inferred = Outcome<std::vector<InferredOutput>>;
using Checked = std::optional<Refusal>; // nothing: all is well

template <typename... Args>
Refusal refusal(const OperatorUse &use, fmt::format_string<Args...> format, Args &&...args) {
    return {nodeText(use.node()) + ": " + fmt::format(format, std::forward<Args>(args)...)};
}

/// One output.
Inferred result(DType dtype, Dims dims, std::optional<Dims> elements = std::nullopt);

/// Name of an input as the catalogue has it, with its number where it is one of many: "x[2]".
std::string inputName(const OperatorUse &use, size_t input);

/// Nothing where it depends on the symbols.
std::optional<bool> knownEqual(const Dim &a, const Dim &b);
/// Of dims that are not known to be equal: "3 and 4 differ", "n and m are not known to be equal".
std::string unequalText(const Dim &a, const Dim &b);
Dim productOf(std::span<const Dim> dims);

Checked wantFloat(const OperatorUse &use, size_t input);
Checked wantNumeric(const OperatorUse &use, size_t input); // not bool
Checked wantBool(const OperatorUse &use, size_t input);
Checked wantIndices(const OperatorUse &use, size_t input); // int32 or int64
/// Those that are there have the element type of the first.
Checked wantSameType(const OperatorUse &use, std::span<const size_t> inputs);
Checked wantRank(const OperatorUse &use, size_t input, size_t minRank, size_t maxRank);
/// A vector with as many elements.
Checked wantVector(const OperatorUse &use, size_t input, const Dim &length, std::string_view what);

/// Of the inputs named, those of all being the result of broadcasting.
Outcome<Dims> broadcastDims(const OperatorUse &use, std::span<const size_t> inputs);
Outcome<Dims> broadcastDims(const OperatorUse &use, const Dims &a, const Dims &b, std::string_view aName,
                            std::string_view bName);

Outcome<size_t> axisOf(const OperatorUse &use, std::string_view attribute, size_t rank);
/// Each once, in ascending order.
Outcome<std::vector<size_t>> axesFrom(const OperatorUse &use, std::span<const int64_t> axes, size_t rank);
/// Elements of an integer input of rank 0 or 1 that must be known for the result to have a shape.
Outcome<Dims> knownElements(const OperatorUse &use, size_t input);
/// The same where they must be numbers.
Outcome<std::vector<int64_t>> knownNumbers(const OperatorUse &use, size_t input);

} // namespace loopscope
