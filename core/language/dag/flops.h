#pragma once
// How much work a DAG is: Ansor's FLOP count, from which throughput is computed in logs and in other programs.

#include "language/dag/compute_dag.h"

namespace loopscope {

/// -1 when it cannot be counted.
double flopsOf(const ComputeDag &dag);
double flopsOf(const Op &op);

} // namespace loopscope
