#pragma once
// Whether a wrong answer could be told from a right one at all, and the inputs that tell them apart. Where rounding may
// change most of an output as much as its elements differ from each other (float16 sums of thousands of terms,
// differences of huge values), anything would pass, and a kernel called right would be a lie. Then inputs are tried
// whose sums are exact (language/interpret/exact_inputs.h), and bounds that are measured (measured_bounds.h); what none
// of them shows is refused.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Of the spread of an output's values, or of the distance of the element from their middle where that is more: an
/// element whose bound is larger is loose.
inline constexpr double kLooseShare = 0.25;
/// Of the elements that may be loose: ties and edges, which rounding decides.
inline constexpr double kMaxLoose = 0.1;
/// More of them may be, where they lie here and there: what a kernel does wrong at some row, column or channel shows in
/// the share of the elements there that must be known.
inline constexpr double kMaxScattered = 0.5;
inline constexpr double kMinKnown = 0.2;

/// One sentence saying why the output cannot be checked and what to do; empty when it can.
std::string whyUncheckable(const std::string &output, const TensorValue &reference);

/// Inputs with the answer to them.
struct CheckedSet {
    std::vector<TensorValue> inputs;
    std::vector<TensorValue> outputs;
};
struct CheckedSets {
    CheckedSet random;
    /// Where the random ones do not show every missing term. They may be loose then, and are compared all the same.
    std::optional<CheckedSet> exact;
    int exactKind = -1; // of them, as language/interpret/exact_inputs.h numbers it
};
/// Throws Error for an output that no answer could be told wrong of.
CheckedSets makeCheckedSets(const ComputeDag &dag, uint64_t seed, int threads);

} // namespace loopscope
