#include "codegen/standalone_code.h"

#include "codegen/llvm/llvm_compiler.h"

namespace loopscope {

Outcome<StandaloneCode> makeStandaloneCode(const LoopProgram &program, const Target &target,
                                           const std::string &function) {
    if (target.kind != TargetKind::Llvm)
        return Refusal{"machine code to take away is made for processors (llvm targets) only"};
    return LlvmCompiler(target).compileStandalone(program, function);
}

} // namespace loopscope
