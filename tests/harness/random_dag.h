#pragma once
// Random small DAGs for property tests: matrix products, convolutions with stride, padding and dilation, pooling,
// softmax, broadcasts, transposes, tuple reductions, several consumers, prime and odd extents, all element types.

#include "dag/compute_dag.h"
#include "random.h"

namespace loopscope {

/// Every element of every op costs at most about `maxWork` iterations altogether.
DagPtr randomDag(Random &random, int64_t maxWork = 20000);

} // namespace loopscope
