#pragma once
// Other layouts of a workload that are worth measuring: where the model of the memory only says what is likely, some of
// the best are tried. Each is the whole workload rewritten, and so a task of its own.

#include "codegen/layout/choice.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

struct LayoutAlternative {
    std::vector<LayoutRequest> requests; // each holds in the workload the one before makes
    std::string text;                    // "B [j] [k]", of several with commas between
    double costShare = 1;                // of what the loops it was chosen for cost: after over before, copies counted
    size_t loops = 0;                    // which, of the choices given
    ChosenWorkload rewritten;
};

/// The best few, each once: what the choice takes; then of each tensor, the dearest first, the best layout that pays by
/// itself; then the second best of each. Of several choices, for other loops, in turn. Where there is room for them
/// only come those that differ from one before in lengths of blocks alone. Refused where a workload cannot be
/// rewritten.
Outcome<std::vector<LayoutAlternative>> layoutAlternatives(const ComputeDag &dag,
                                                           const std::vector<LayoutChoice> &choices, size_t most);

} // namespace loopscope
