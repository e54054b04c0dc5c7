#pragma once
// What a program far from here needs to judge an answer without computing it: how the inputs are drawn, and of every
// output some elements with the bounds of their errors, the sums of groups that every element is in, and, where values
// are exact, a checksum of all.

#include "language/dag/compute_dag.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>

namespace loopscope {

/// {"arguments": [...], "sets": [...]}, the same for every round of a task. Computes the reference, which takes as long
/// as the interpreter does. Throws Error for an output that no answer could be told wrong of.
nlohmann::ordered_json expectedAnswer(const ComputeDag &dag, uint64_t seed, int threads);

} // namespace loopscope
