#pragma once
// How one op reads another, said as a person would: each element once, each element 512 times, a 3 x 3 window. What the
// edges of the picture of a DAG carry, and what decides whether fusing or tiling along an edge pays.

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// One dimension of the producer as one element of the consumer reads it.
struct DimAccess {
    bool affine = true; // in the consumer's axes; otherwise the rest is unknown
    bool moves = false; // with the element of the consumer: some spatial axis is in the index
    int64_t stride = 0; // places it moves by, when that is one spatial axis
    int64_t taps = 1;   // distinct places read
    int64_t span = 1;   // from the first to the last of them
    [[nodiscard]] bool slides() const { return moves && taps > 1; } // a window
};

struct EdgeAccess {
    int producer = -1;
    int consumer = -1;
    std::vector<std::string> reads; // distinct, as written: "padded[n, rc, y + ry, x + rx]"
    std::vector<DimAccess> dims;    // of the producer
    double reuse = 0;               // times each element of the producer is read, on average; borders as if inside
    bool elementwise = false;       // element by element at the same place, once
    bool reordered = false;         // once, at another place: transposed, or shifted
    bool broadcast = false;         // one element is read for several elements of the consumer that differ in an axis
                                    // no index has
    bool reduces = false;           // over some of the producer's elements
    bool gathers = false;           // an index is not affine

    /// "element by element", "each element 512 times, summed up", "3 x 3 window, each element 9 times".
    [[nodiscard]] std::string text() const;
};

/// The edge, which must exist.
EdgeAccess edgeAccess(const ComputeDag &dag, int producer, int consumer);

} // namespace loopscope
