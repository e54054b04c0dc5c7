#pragma once
// Random pipelines of whole numbers, so that every schedule has to give the same bits: stencils along either axis,
// copies with a clamped edge, halving, doubling, transposing, sums over windows, several readers and several outputs.

#include "base/random.h"
#include "schedule/grouping/machine_parameters.h"

#include <string>

namespace loopscope {

/// As `.te` text.
std::string randomPipeline(Random &random);
/// Also with scans along rows and columns, scatters, and gathers.
std::string randomOrderedPipeline(Random &random);
/// Caches of a few hundred bytes up, as the pipelines are small.
MachineParameters randomMachine(Random &random);

} // namespace loopscope
