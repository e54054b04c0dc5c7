#pragma once
// In which order the unrolled loops of a register tile run. Of
//
//     for c in 0..2:  for y in 0..13:  acc[c, y] += row[y] * weight[c]
//
// all thirteen rows wait in registers for the second channel, beside the 26 sums; with y outside, one row and two
// weights do. Compilers keep the order that is written, and spill.

#include "codegen/loop_ir/program.h"

#include <vector>

namespace loopscope {

/// `tile`: loops right inside each other around `update`, outermost first, that are going to be unrolled; a vectorized
/// one may be the innermost. The same loops, in another order where what is loaded does not fit beside the sums as they
/// stand, and fewer values wait at a time.
std::vector<Stmt> orderOfTile(const std::vector<Stmt> &tile, Stmt update, int64_t lanes, int64_t registers);

} // namespace loopscope
