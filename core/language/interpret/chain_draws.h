#pragma once
// Exact inputs (exact_inputs.h) for layers upon layers of sums of products. What one of them gives is multiplied by the
// weights of the next, so that after a dozen of them neither random inputs nor the sparse ones of a single sum tell
// anything: the bounds of errors have grown with every layer, or the values have, or all is zero. Here each sum has
// about two weights that are not zero, 1 or -1 each, wherever they happen to be: half of what comes in passes a
// rectifier, so that values stay small whole numbers however many layers there are (He et al. 2015 draw weights of that
// variance for the same reason).

#include "language/dag/compute_dag.h"
#include "language/interpret/input_draws.h"

#include <optional>
#include <vector>

namespace loopscope {

/// In the domain of some axes.
double pointsOf(const std::vector<Axis> &axes);
/// Sums of products on the longest way through the DAG.
int productSumChain(const ComputeDag &dag);
/// Of each input in order. Nothing where no sum follows another, or where a weight of some sum is hardly ever drawn.
std::optional<std::vector<ExactDraw>> drawsOfChain(const ComputeDag &dag);

} // namespace loopscope
