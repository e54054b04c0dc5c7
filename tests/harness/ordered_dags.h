#pragma once
// Small DAGs of scans and scatters: forwards and backwards, along the first, a middle and the last axis, reaching back
// one element or two, of one value or a tuple; counts and sums into one axis or two, with a condition, with an origin;
// and what reads and feeds them.

#include "language/dag/compute_dag.h"

#include <string>
#include <vector>

namespace loopscope {

/// The texts they are parsed from.
const std::vector<std::string> &orderedTexts();
std::vector<DagPtr> orderedDags();

} // namespace loopscope
