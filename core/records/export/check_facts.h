#pragma once
// What a program far from here needs to know to tell a right answer of the kernel from a wrong one: how our inputs are
// drawn (it draws the same), and how far a correct kernel may be from the exact answer to them. Internal to export.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/input_draws.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace loopscope {

inline constexpr uint64_t kCheckSeed = 0; // that of measurements

/// Of an output.
struct AnswerBound {
    double most = 0;  // the largest bound of an element
    int64_t open = 0; // elements without a bound: rounding decides what they are
};

struct CheckSet {
    /// How floats are drawn, of each input in order; nothing: uniform in [-1, 1).
    std::optional<std::vector<ExactDraw>> exact;
    uint64_t inputsHash = 0;         // of all inputs as they lie in memory, one after the other
    std::vector<AnswerBound> bounds; // of the outputs in order
};

struct CheckFacts {
    std::vector<CheckSet> sets;        // one or two (measure/answer/checkable.h)
    std::vector<int64_t> indexExtents; // of the inputs in order; 0: not read as indices
};

/// Refused for a workload whose answer cannot be checked, and for one that takes too much memory.
Outcome<CheckFacts> checkFacts(const ComputeDag &dag, int threads);

} // namespace loopscope
