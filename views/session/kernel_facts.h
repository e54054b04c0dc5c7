#pragma once
// What the kernels of a schedule for a GPU ask for of what they may have (codegen/kernel_limits/kernel_limits.h), with
// what the window shows beside it: how many blocks each resource has room for, and what would let another one run.
// Known without compiling but for the registers, so that it follows every edit.

#include "codegen/kernel_limits/kernel_limits.h"

#include <QString>

#include <array>
#include <cstdint>
#include <vector>

namespace loopscope {

struct KernelFacts {
    KernelLimits limits;
    BlocksThatFit fit{};
    int node = -1; // of the loop program: its outermost loop

    [[nodiscard]] int64_t blocks() const { return limits.grid[0] * limits.grid[1] * limits.grid[2]; }
    [[nodiscard]] int registers() const { return limits.resources ? limits.resources->registers : 0; }
};

/// In the order of their launches; none for programs that no launch has room for.
std::vector<KernelFacts> kernelFacts(const LoopProgram &program, const Target &target);
/// Occupancy follows from the registers.
void addResources(std::vector<KernelFacts> &kernels, const std::vector<KernelResources> &resources,
                  const Target &target);

/// "32 × 16", "128": what is one at the end is left out.
QString extentsText(const std::array<int64_t, 3> &extents);
/// "50 %, limited by registers"; "no block fits: shared memory".
QString occupancyText(const Occupancy &occupancy);
/// "40 registers, no spills"; "255 registers, spills 96 B written, 128 B read".
QString resourcesText(const KernelResources &resources);
/// All of a kernel in one line: "64 blocks of 256 threads · 8 KiB shared · 40 registers, no spills · occupancy 50 %,
/// limited by registers".
QString kernelText(const KernelFacts &kernel);

/// What would let another block run on a multiprocessor: "with 6 registers fewer in each thread another block
/// runs"; empty where nothing is known
/// that would.
QString whatWouldFit(const KernelFacts &kernel, const Target &target);

} // namespace loopscope
