#pragma once
// Merged branches confirmed by measuring: the convolutions and matrix products of one value that mergeParallel made one
// of are timed beside themselves, where they run, and the next preparation leaves those apart that are faster so.

#include "base/outcome.h"
#include "deploy/network/fusion_choice.h"
#include "networks/graph/function.h"
#include "networks/passes/pass_report.h"

#include <vector>

namespace loopscope {

/// `merged`: what passes made of a network with these merges, `apart`: the same without them. A trial for each merge
/// that both still have; `stays` says whether it is to be made. Types must be known, and dims be numbers. Refuses what
/// cannot be built. Throws Error when a log cannot be read.
Outcome<std::vector<FusionTrial>> confirmMerges(const GraphFunction &merged, const std::vector<MergedBranches> &merges,
                                                const GraphFunction &apart, const FusionRequest &request);

} // namespace loopscope
