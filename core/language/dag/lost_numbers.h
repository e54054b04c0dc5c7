#pragma once
// Maxima and minima whose readers come to know of what is no number by another way: those that a softmax subtracts. A
// term that is none makes the exponential of itself none, and the sum over the row, and so all that is divided by it,
// whatever the greatest of the row is said to be. Code need not ask for it there.

#include "language/dag/compute_dag.h"

namespace loopscope {

/// Op `index` reduces to the greatest or the least of floats, and what is no number among its terms may be left out of
/// it: the outputs of the DAG are the same.
bool mayLoseNoNumbers(const ComputeDag &dag, size_t index);

} // namespace loopscope
