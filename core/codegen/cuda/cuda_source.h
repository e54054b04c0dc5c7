#pragma once
// A GPU's loop program as a person reads it and as nvcc and NVRTC compile it: CUDA C++, a kernel for each launch and a
// function that launches them, with exact links from its lines back to the loops. Needs no header for the device's
// part.

#include "base/outcome.h"
#include "codegen/kernel_code.h"
#include "codegen/kernel_launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct CudaKernel {
    std::string name;
    GridLaunch launch;
    int64_t dynamicSharedBytes = 0;      // of them, those that are asked for at the launch
    std::vector<std::string> parameters; // buffers, in order
};

struct CudaSource {
    LinkedText code;
    std::vector<CudaKernel> kernels; // in the order they are launched
};

/// Kernels with the names and parameters of gpuKernelsOf (codegen/kernel_parameters.h), then, for all compilers but
/// NVRTC, `cudaError_t NAME(const float *A, ..., float *C, cudaStream_t stream)`, which takes pointers to the device's
/// memory, allocates what lies between the kernels and launches them. float16 and bfloat16 are handed over as bits.
/// Refuses targets that are no GPU, what describeLaunch refuses, and statements that no kernel has a place for.
Outcome<CudaSource> emitCuda(const LoopProgram &program, const Target &target);

} // namespace loopscope
