#pragma once
// What an analytic estimate (draft_estimate.h) spends its cycles on, and in which loops: an estimate that says what
// bounds a loop can be argued with.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <string_view>
#include <vector>

namespace loopscope {

enum class CycleKind : uint8_t {
    Arithmetic,
    Loads, // instructions, whichever cache answers them
    Stores,
    Latency,      // a sum waits for its last product
    LoopOverhead, // counting and branching of loops that are not unrolled
    Branches,     // conditions inside
    L2Loads,      // what the first cache has to fetch from the second
    L3Loads,
    MemoryLoads,
    ThreadStart,
    // Of GPUs, where `Loads` is what a multiprocessor's first cache hands over and `LoopOverhead` is issuing at all:
    SharedMemory,
    Waiting, // of warps, when too few others run
    Launch,  // of kernels
};
inline constexpr size_t kCycleKinds = 13;
std::string_view cycleKindName(CycleKind kind); // "L2 loads"

/// Cycles of a statement, or traffic that the iterations of a loop cause whose data does not stay in the cache.
struct CyclePart {
    const StmtNode *where = nullptr; // For or Store of the nest
    CycleKind kind = CycleKind::Arithmetic;
    double cycles = 0;
};

/// Their sum is the estimate.
using EstimateParts = std::vector<CyclePart> (*)(const LoopProgram &nest, const Target &target);
/// Null for kinds of target without an estimate.
EstimateParts estimatePartsFor(TargetKind kind);

} // namespace loopscope
