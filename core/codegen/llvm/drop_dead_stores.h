#pragma once
// Removes stores that a later store of the same block overwrites unread: the steps of an unrolled reduction whose tile
// is too large for registers. LLVM's dead store elimination does it too, in time that grows with the square of the
// unrolling. Internal to codegen.

#include <llvm/IR/PassManager.h>

namespace loopscope {

/// Relies on what the emitter guarantees: accesses of different alias scopes never overlap.
class DropDeadStores : public llvm::PassInfoMixin<DropDeadStores> {
  public:
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace loopscope
