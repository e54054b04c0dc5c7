#pragma once
// Turns the greatest and the least of floats, which no number of which is lost, into what processors have: minps and
// maxps give their second operand where either is no number. So each keeps what its second operand is, which is all it
// takes where the other is known to be a number, such as the zero of a relu. Where more of them meet, as in the windows
// of a pooling, the others are asked two at a time whether they are numbers, and the result is told once. LLVM's own
// way asks at every step. Internal to codegen.

#include <llvm/IR/PassManager.h>

namespace loopscope {

/// To be run last.
class LowerExtremes : public llvm::PassInfoMixin<LowerExtremes> {
  public:
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace loopscope
