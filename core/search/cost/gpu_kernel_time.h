#pragma once
// How long a kernel takes of which the work of a block is counted: how many blocks run at once, and which of a
// multiprocessor's units, or of the memories, keeps them waiting.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace loopscope {

inline constexpr double kRegistersBeside = 30; // addresses and counters of a thread

/// What one store costs a block, in cycles of its multiprocessor unless said otherwise.
struct StoreCost {
    const StmtNode *where = nullptr;
    double issued = 0; // warp instructions
    double arithmetic = 0;
    double shared = 0;
    double global = 0;
    double l2Bytes = 0;
    double uniqueBytes = 0; // of global memory, of all blocks
};

/// One kernel while it is walked.
struct KernelCost {
    const StmtNode *root = nullptr;
    StageId stage;
    std::array<int64_t, 3> blocks = {1, 1, 1};
    std::array<int64_t, 3> threads = {1, 1, 1};
    double sharedBytes = 0;
    double registers = kRegistersBeside;
    double operands = 0;   // registers of the largest register tile
    double serial = 0;     // cycles of one block when nothing else runs
    size_t firstStore = 0; // among those of the program
    size_t storeCount = 0;
};

/// Cycles of a kernel by what they are spent on.
struct KernelCycles {
    double arithmetic = 0;
    double issue = 0; // beyond what the others need
    double shared = 0;
    double global = 0; // the multiprocessors' first caches
    double waiting = 0;
    double l2 = 0;
    double memory = 0;
    double launch = 0;
    [[nodiscard]] double sum() const { return arithmetic + issue + shared + global + waiting + l2 + memory + launch; }
};
KernelCycles kernelCycles(const KernelCost &kernel, std::span<const StoreCost> stores, const Target &target);

} // namespace loopscope
