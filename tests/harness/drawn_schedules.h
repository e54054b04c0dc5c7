#pragma once
// Schedules as the search draws them before it knows anything, of operators of many kinds: what tests of kernels run
// through interpreters and compilers.

#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "search/candidate.h"

#include <string>
#include <vector>

namespace loopscope {

/// A sample with parameters that make it small enough to be run element by element.
struct SmallOperator {
    const char *sample;     // "matmul"
    const char *parameters; // "N=32 M=48 K=24"
};
const std::vector<SmallOperator> &smallOperators();

/// Throws Error.
DagPtr sampleDag(const std::string &sample, const std::string &parameters);

/// At least half of `population` where there are so many; deterministic in the seed.
std::vector<Candidate> drawnCandidates(const DagPtr &dag, const Target &target, int population, uint64_t seed);

} // namespace loopscope
