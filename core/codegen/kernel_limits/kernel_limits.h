#pragma once
// What each kernel of a GPU program asks of the GPU, and whether it gives it: threads, shared memory, the extents of
// its grid, and how many of its blocks run at once. Known from the loop program alone, before anything is compiled;
// registers and spills come from ptxas afterwards.

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "codegen/nvidia/ptx_assembler.h"
#include "language/target/occupancy.h"
#include "language/target/target.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct KernelLimits {
    std::string kernel;                       // its name in CUDA text and PTX
    std::vector<std::string> computes;        // the buffers in global memory it writes
    std::array<int64_t, 3> grid = {1, 1, 1};  // blocks in x, y, z
    std::array<int64_t, 3> block = {1, 1, 1}; // threads of a block
    int64_t threads = 1;                      // of a block
    int64_t sharedBytes = 0;                  // of a block
    std::optional<KernelResources> resources; // once compiled
    Occupancy occupancy;                      // without registers they do not limit
    std::string refused;                      // the limit that is exceeded, in a sentence; empty: none
};

/// In the order they are launched; empty, with the reason in `refused`, where the program has no launch.
std::vector<KernelLimits> limitsOf(const LoopProgram &program, const Target &target);

/// The first limit that a kernel of the program exceeds.
std::optional<Refusal> exceededLimit(const LoopProgram &program, const Target &target);

/// What ptxas told of the kernels, found by name; occupancy is that with registers then.
void addResources(std::vector<KernelLimits> &limits, const std::vector<KernelResources> &resources,
                  const Target &target);

} // namespace loopscope
