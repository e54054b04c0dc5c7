#pragma once
// A GPU program all the way to machine code, without a GPU: CUDA text through NVRTC where it is found, otherwise PTX of
// LLVM, and either through ptxas. What was taken is told.

#include "base/outcome.h"
#include "codegen/kernel_code.h"
#include "codegen/loop_ir/program.h"
#include "codegen/nvidia/cuda_compiler.h"
#include "codegen/nvidia/ptx_assembler.h"
#include "codegen/nvidia/sass_text.h"
#include "language/target/target.h"

#include <string>
#include <vector>

namespace loopscope {

struct GpuMachineCode {
    LinkedText ptx;                         // links lead to the printed program
    std::string cubin;                      // empty: there is no ptxas
    std::vector<KernelResources> resources; // the same
    std::string unassembled;                // why there is no machine code; empty: there is
    std::vector<LineLink> source;           // lines that the machine code knows, as lines of the printed program
    bool throughCuda = false;               // those are lines of the CUDA text, otherwise of the printed program
    std::string compilers;                  // "NVRTC 13.5, ptxas 13.5.37"
};

/// `compiler` holds the worker. Refused when the program cannot be written or compiled, whichever way.
Outcome<GpuMachineCode> gpuMachineCode(const LoopProgram &program, const Target &target, CudaCompiler &compiler,
                                       const NvidiaTools &tools = foundNvidiaTools());

/// As text, with links to the printed program.
Outcome<SassText> sassOf(const GpuMachineCode &code, const NvidiaTools &tools = foundNvidiaTools());

} // namespace loopscope
