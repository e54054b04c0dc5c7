#pragma once
// A program for a GPU as machine code, each of the two ways alone, for tests of both generators with NVIDIA's
// compilers.

#include "codegen/loop_ir/program.h"
#include "codegen/nvidia/cuda_compiler.h"
#include "codegen/nvidia/ptx_assembler.h"
#include "language/target/target.h"

#include <string>
#include <vector>

namespace loopscope {

struct DeviceCode {
    std::string problem; // a refusal, or what a compiler warns of; empty: none
    std::string ptx;
    std::vector<KernelResources> kernels;
};

/// CUDA text, NVRTC, ptxas. Warnings are problems, but for those of the architecture itself.
DeviceCode throughCuda(const LoopProgram &program, const Target &target, CudaCompiler &compiler);
/// LLVM, ptxas.
DeviceCode throughLlvm(const LoopProgram &program, const Target &target);

} // namespace loopscope
