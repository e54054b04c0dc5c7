#include "codegen/code_generator.h"

#include "check.h"
#include "codegen/llvm/llvm_compiler.h"

namespace loopscope {

Outcome<std::unique_ptr<CodeGenerator>> makeCodeGenerator(const Target &target) {
    switch (target.kind) {
    case TargetKind::Llvm:
        return std::unique_ptr<CodeGenerator>(std::make_unique<LlvmCompiler>(target));
    case TargetKind::Cuda:
        return Refusal{"there is no code generator for cuda targets; llvm targets have one"};
    }
    LOOPSCOPE_CHECK(false, "unknown kind of target");
}

} // namespace loopscope
