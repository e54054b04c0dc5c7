#pragma once
// Moves what does not change in a loop in front of it, as LLVM's LICM does, except that it counts registers: LICM
// hoists every invariant load, and a register-tiled kernel has so many of them (a row of the broadcast operand per
// unrolled step) that they come back as spills in the innermost loop. Internal to codegen.

#include <llvm/IR/PassManager.h>

namespace loopscope {

class HoistInvariants : public llvm::PassInfoMixin<HoistInvariants> {
  public:
    explicit HoistInvariants(int vectorRegisters) : m_vectorRegisters(vectorRegisters) {}
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

  private:
    int m_vectorRegisters;
};

} // namespace loopscope
