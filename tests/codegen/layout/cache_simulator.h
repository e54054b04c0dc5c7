#pragma once
// Misses of an access nest, counted by running its loops: sets of lines, each with the least recently used replaced.
// Slow; what the model of core/codegen/layout is compared with.

#include "codegen/layout/nest_cost.h"

#include <vector>

namespace loopscope {

/// Misses at each level of the model; every level sees every access that missed the one before (the page table's cache
/// sees all). `accesses` (of a vector, one) are counted, too.
struct SimulatedMisses {
    std::vector<double> misses;
    double accesses = 0;
};
SimulatedMisses simulate(const AccessNest &nest, const NestCost &placed, const MemoryModel &model);

} // namespace loopscope
