#pragma once
// The layouts worth trying for a tensor: each axis whole or cut into blocks of a vector, of two or four of them, or of
// the tile that a loop walks it in; at most two axes cut; fastest the places in blocks or one whole axis; the others in
// the order they have, or one of them first; and the rows padded by a line.

#include "codegen/layout/access_nest.h"
#include "codegen/layout/layout.h"

#include <vector>

namespace loopscope {

inline constexpr size_t kMaxCandidates = 120;

/// Canonical, each once by address, the identity not among them; at most kMaxCandidates, fewer cuts first.
std::vector<Layout> layoutCandidates(const std::vector<int64_t> &shape, int64_t vectorElements,
                                     const std::vector<std::vector<int64_t>> &tileSizes);

/// By axis: the lengths of tiles in which loops walk the tensor, ascending.
std::vector<std::vector<int64_t>> tileSizesOf(const AccessNest &nest, const std::vector<int> &accesses);

} // namespace loopscope
