#pragma once
// Random small DAGs for property tests: matrix products, convolutions with stride, padding and dilation, pooling,
// softmax, broadcasts, transposes, tuple reductions, several consumers, prime and odd extents, all element types.

#include "base/random.h"
#include "language/dag/compute_dag.h"

namespace loopscope {

struct RandomDagOptions {
    /// Every element of every op costs at most about so many iterations altogether.
    int64_t maxWork = 20000;
    int maxOps = 4;
    /// Ops also combine two results made before (residuals, products of two intermediates) and carry the attributes
    /// that steer sketches: what is not split, what is unrolled, which indices are those of constant tensors. For tests
    /// that derive schedules and run none.
    bool hints = false;
    /// Scans and scatters among the ops.
    bool ordered = false;
    /// Two of three extents are 1 or 2.
    bool shortExtents = false;
};

DagPtr randomDag(Random &random, const RandomDagOptions &options = {});

} // namespace loopscope
