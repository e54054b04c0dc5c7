#pragma once
// How the loops of a stage come from its axes, as splits into several parts and fusions in the order they were made:
// what other languages say one after the other.

#include "schedule/bound_inference.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct LoopMove {
    bool fuses = false;
    int whole = -1;         // node split, or made by the fusion
    std::vector<int> parts; // nodes, outermost first
    /// Of the parts but the outermost, which has what is left; empty for a fusion. Where the region is shorter than the
    /// length that was asked for, the length is what the region has.
    std::vector<int64_t> lengths;
};

std::vector<LoopMove> loopMoves(const Stage &stage, const StageBounds &bounds);

/// A fusion of no loops made one of a single iteration, which comes from no axis.
bool hasUnitLoops(const Stage &stage);

} // namespace loopscope
