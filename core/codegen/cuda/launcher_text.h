#pragma once
// The function of the host that launches the kernels of a program, as nvcc compiles it. Internal to codegen.

#include "codegen/cuda/cuda_source.h"
#include "codegen/cuda/kernel_text.h"

#include <vector>

namespace loopscope {

void writeLauncher(CudaText &text, const LoopProgram &program, const std::vector<GpuKernel> &kernels,
                   const std::vector<CudaKernel> &described);

} // namespace loopscope
