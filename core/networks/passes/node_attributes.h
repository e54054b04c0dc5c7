#pragma once
// Attributes of a node, or what the catalogue gives them where the node is silent.

#include "networks/graph/function.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

int64_t integerOf(const Node &node, std::string_view attribute);
double numberOf(const Node &node, std::string_view attribute);
std::vector<int64_t> integersOf(const Node &node, std::string_view attribute);

/// Whether they say the same, defaults included.
bool sameAttributes(const Node &a, const Node &b);
bool sameAttribute(const Attribute &a, const Attribute &b);

/// How a transpose of that rank permutes, without negative or missing entries; empty when it does not fit.
std::vector<size_t> permutationOf(const Node &transpose, size_t rank);

} // namespace loopscope
