#pragma once
// What tests of rewritten workloads share: layouts drawn by chance, and whether two workloads answer alike.

#include "base/random.h"
#include "codegen/layout/rewrite.h"
#include "language/dag/compute_dag.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// Axes cut up to twice, at any length; some pieces padded; in any order.
Layout drawnLayout(Random &random, const std::vector<int64_t> &shape);

/// The rewritten workload answers as the DAG does, to the bit; where a constant is packed ahead of time, by its own
/// workload.
bool sameAnswers(const ComputeDag &dag, const RewrittenWorkload &rewritten, uint64_t seed);

/// Stages that copy a tensor into a layout.
int copiesIn(const ComputeDag &dag);

} // namespace loopscope
