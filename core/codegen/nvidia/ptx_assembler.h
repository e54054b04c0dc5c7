#pragma once
// PTX -> machine code by ptxas, which tells what each kernel takes of a multiprocessor.

#include "base/outcome.h"
#include "codegen/nvidia/nvidia_tools.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct KernelResources {
    std::string kernel;
    int registers = 0; // of a thread
    int64_t spillStoreBytes = 0;
    int64_t spillLoadBytes = 0;
    int64_t stackBytes = 0;  // of a thread
    int64_t sharedBytes = 0; // of a block, without what is asked for at the launch
    int barriers = 0;
    int64_t constantBytes = 0;
    bool operator==(const KernelResources &) const = default;
};

struct AssembledPtx {
    std::string cubin;
    std::string assembler; // "ptxas 13.5.37"
    std::vector<KernelResources> kernels;
};

struct PtxAssemblerOptions {
    double timeout = 120;    // seconds
    bool debugLines = false; // keeps those of the PTX
};

/// By the newest ptxas that knows the architecture. Refused in one sentence when there is none (with the architectures
/// that are legal), when it does not accept the PTX (with the first error), crashes or comes to no end.
Outcome<AssembledPtx> assemblePtx(const std::string &ptx, const std::string &architecture,
                                  const PtxAssemblerOptions &options = {},
                                  const NvidiaTools &tools = foundNvidiaTools());

/// What `ptxas -v` says of each kernel.
std::vector<KernelResources> readResources(std::string_view said);

} // namespace loopscope
