#pragma once
// The code generator of NVIDIA GPUs: LLVM, in this process, which needs nothing of NVIDIA's. Its object is PTX text,
// which the driver compiles for the GPU at hand. Internal to codegen; makeCodeGenerator makes it.
//
// Where LLVM does not know the architecture yet, PTX of the newest it knows is made, which newer ones run: a comment in
// the text says so. Kernels and their parameters are those of gpuKernelsOf (codegen/kernel_parameters.h).

#include "codegen/code_generator.h"

#include <memory>

namespace loopscope {

class NvptxCompiler final : public CodeGenerator {
  public:
    explicit NvptxCompiler(const Target &target); // throws Error for an architecture without PTX
    ~NvptxCompiler() override;
    Outcome<MachineCode> compile(const LoopProgram &program, const CodegenOptions &options) override;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
