#pragma once
// The code generator of processors: LLVM, in this process. Internal to codegen; makeCodeGenerator makes it.
//
// Calling convention of the entry: void (void *const *args, const LoopscopeRuntime *runtime) (codegen/runtime_abi.h).

#include "codegen/code_generator.h"
#include "codegen/standalone_code.h"

#include <string>

namespace loopscope {

class LlvmCompiler final : public CodeGenerator {
  public:
    explicit LlvmCompiler(const Target &target); // throws Error when LLVM lacks the CPU
    ~LlvmCompiler() override;
    Outcome<MachineCode> compile(const LoopProgram &program, const CodegenOptions &options) override;
    /// The same code behind a function of C. Refuses what compile refuses.
    Outcome<StandaloneCode> compileStandalone(const LoopProgram &program, const std::string &function);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
