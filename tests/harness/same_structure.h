#pragma once
// Whether two graphs compute the same in the same way: equal up to the names of values, nodes, functions' symbols and
// of what they were imported from. Types, attributes, bits of constants, order of nodes and blocks count.

#include "networks/graph/module.h"

namespace loopscope {

/// Symbols are told apart by where they first occur; constants are compared bit by bit.
bool sameStructure(const GraphFunction &a, const GraphFunction &b);
bool sameStructure(const Module &a, const Module &b);

} // namespace loopscope
