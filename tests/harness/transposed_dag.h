#pragma once
// Transposed convolutions for property tests: sums over an input spread out by a stride, whose zeros are a condition in
// the sum, with schedules that tile them as a search would, in lengths that need not divide.

#include "base/random.h"
#include "language/dag/compute_dag.h"
#include "schedule/loop_state.h"

namespace loopscope {

/// One or two dimensions of length `in`, spread out by `stride`, convolved with `kernel`.
struct Transposed {
    size_t dimensions = 1;
    int64_t in = 4;
    int64_t stride = 2;
    int64_t kernel = 4;
    int64_t border = 0; // zeros left of the first value that is read, before it is spread out by the stride
    int64_t channels = 2;
    int64_t results = 3;
    bool stored = false; // the zeros are: `spread` and `pad` hold them
    DType type = DType::Float32;
};

/// data, pad, weight, conv; conv(w.., o) += (if all (w + r + border) % stride == 0, pad[(w + r + border)//stride.., c],
/// else 0)*weight[kernel - 1 - r.., c, o], whose layout is free.
/// Stored: data, spread, pad, weight, conv, and the sum reads pad[w + r..].
DagPtr transposedDag(const Transposed &t);

/// Any, small.
Transposed randomTransposed(Random &random);

/// Tiles of random lengths in the order outer tile, reduction, tile, reduction, innermost tile; padding of its own or
/// inlined; vectors, unrolling, threads now and then.
LoopState randomTransposedTiles(const DagPtr &dag, Random &random);

} // namespace loopscope
