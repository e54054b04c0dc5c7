#pragma once
// Whether the iterations of a vectorized loop access consecutive elements, and as how wide a word. Decided from strides
// and offsets alone; a GPU faults on a word whose address is no multiple of its size, so what is not proven is none.

#include "codegen/loop_ir/program.h"
#include "language/expr/interval.h"

#include <cstdint>
#include <span>
#include <string>

namespace loopscope {

/// Bytes of the widest word that a thread loads or stores at once.
inline constexpr int64_t kWidestWord = 16;

/// How the iterations of a loop of constant length move through a buffer.
struct LaneAccess {
    bool invariant = false;  // all access one element
    bool contiguous = false; // each the next one
    /// The largest power of two, at most kWidestWord, that every word of so many bytes is aligned to and the run of all
    /// iterations is a multiple of; at least the size of an element where contiguous.
    int64_t wordBytes = 0;

    /// Consecutive elements that make more than one element a word.
    [[nodiscard]] bool asWords(DType type) const;
};

/// `var` runs over [0, extent); `ranges` are those of the variables around it.
LaneAccess laneAccess(const Buffer &buffer, std::span<const Expr> indices, Expr var, int64_t extent, VarRanges ranges);

/// The type of CUDA C++ for a word of several elements: `float4`, `int2`, `unsigned int` for four bytes of int8.
std::string wordType(DType type, int64_t bytes);

} // namespace loopscope
