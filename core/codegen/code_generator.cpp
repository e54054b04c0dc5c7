#include "codegen/code_generator.h"

#include "base/check.h"
#include "codegen/llvm/llvm_compiler.h"
#include "codegen/nvptx/nvptx_compiler.h"

namespace loopscope {

Outcome<std::unique_ptr<CodeGenerator>> makeCodeGenerator(const Target &target) {
    switch (target.kind) {
    case TargetKind::Llvm:
        return std::unique_ptr<CodeGenerator>(std::make_unique<LlvmCompiler>(target));
    case TargetKind::Cuda:
        return std::unique_ptr<CodeGenerator>(std::make_unique<NvptxCompiler>(target));
    }
    LOOPSCOPE_CHECK(false, "unknown kind of target");
}

} // namespace loopscope
