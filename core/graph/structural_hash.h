#pragma once
// Whether two graphs compute the same in the same way: equal up to the names of values, nodes, functions' symbols and
// of what they were imported from. Types, attributes, bits of constants, order of nodes and blocks count.

#include "graph/module.h"
#include "tensor/content_hash.h"

namespace loopscope {

/// Graphs of the same structure have the same hash, in every process. Symbols are told apart by where they first
/// occur; two that first occur in the same dim ("a + b") by the order of their names.
Hash128 structuralHash(const GraphFunction &function);
/// Functions by their names; the module's own name and path do not count.
Hash128 structuralHash(const Module &module);

/// Compares instead of hashing; constants bit by bit.
bool sameStructure(const GraphFunction &a, const GraphFunction &b);
bool sameStructure(const Module &a, const Module &b);

} // namespace loopscope
