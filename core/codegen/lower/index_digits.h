#pragma once
// How the loops around a load move through its buffer, as a positional number system: each index is a sum of digits,
// one for every loop (or part of a fused loop) that moves it,
//
//     W[k.0*16 + k.1, floordiv(v, 4)*8 + j.3]        v: a fused loop
//
// A digit may count down: of a mirrored kernel, W[3 - r.0*2 - r.1] is (1 - r.0)*2 + (1 - r.1).
//
// Laying the buffer out with one dimension for each digit, in loop order, makes the loops read it from end to end.

#include "codegen/loop_ir/program.h"
#include "language/expr/simplify.h"

#include <vector>

namespace loopscope {

struct IndexDigit {
    int origin = 0; // dimension of the buffer
    SplitTerm term;
    size_t loop = 0; // position of its loop in the nest around the load
    int64_t extent = 1;
    bool reversed = false; // the index falls while the term rises; its scale is positive nevertheless
};

/// Of the one load of `buffer` in the program, outer loops first. Empty when there are several loads or none, or when
/// an index is no such sum.
std::vector<IndexDigit> digitsOfOnlyLoad(Stmt root, const Buffer &buffer);

/// The value of every digit, without its scale.
std::vector<Expr> digitValues(const std::vector<IndexDigit> &digits);

/// Dense, the last dimension fastest: no pass has laid it out otherwise, and nothing asked for padding.
bool isRowMajor(const Buffer &buffer);

/// Every load of `from` reads `to` at `indices` instead.
Stmt withLoadsMoved(Stmt stmt, const Buffer &from, const Buffer &to, std::span<const Expr> indices);

} // namespace loopscope
