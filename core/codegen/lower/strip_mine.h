#pragma once
// A register tile that does not fit the registers: some of its loops move out of the reduce loops around them, whole or
// in part, until the rest fits.
//
//     for k:                                    for i_o in 0..4:
//         for i in 0..16:              ->           for k:
//             for j (vector): acc                       for i_i in 0..4:
//                                                           for j (vector): acc
//
// Legal for the loops of one update: every element still sees its reduction in the same order.

#include "codegen/loop_ir/program.h"

#include <vector>

namespace loopscope {

/// `nest` is a chain of loops around one store: reduce loops, then the loops of `tile` (outermost first). Null when it
/// is another shape, or when nothing helps.
Stmt stripMine(Stmt nest, const std::vector<Stmt> &tile, int64_t lanes, int64_t registers);

/// Registers the tile takes.
int64_t registersOf(const std::vector<Stmt> &tile, int64_t lanes);

} // namespace loopscope
