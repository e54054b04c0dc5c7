#pragma once
// Whether a wrong answer could be told from a right one at all. Where rounding may change most of an output as much as
// its elements differ from each other (float16 sums of thousands of terms, differences of huge values), anything would
// pass, and a kernel called right would be a lie.

#include "dag/interpreter.h"

#include <string>

namespace loopscope {

/// Of the spread of an output's values, or of the distance of the element from their middle where that is more: an
/// element whose bound is larger is loose.
inline constexpr double kLooseShare = 0.25;
/// Of the elements that may be loose: ties and edges, which rounding decides.
inline constexpr double kMostLoose = 0.1;

/// One sentence saying why the output cannot be checked and what to do; empty when it can.
std::string whyUncheckable(const std::string &output, const TensorValue &reference);

} // namespace loopscope
