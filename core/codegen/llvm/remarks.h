#pragma once
// LLVM's optimisation remarks as they are made, kept with the program lines of the loops they are about. Internal to
// codegen.

#include "codegen/compiler_remark.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <vector>

namespace loopscope {

/// While it lives, the context's remarks are collected here. Without one they are not even made.
class RemarkCollector {
  public:
    explicit RemarkCollector(llvm::LLVMContext &context);
    ~RemarkCollector();
    RemarkCollector(const RemarkCollector &) = delete;
    RemarkCollector &operator=(const RemarkCollector &) = delete;

    /// Says of a copy of the module what LLVM's vectorizer and loop invariant code motion would do with the loops
    /// that are left: kernels do not run through those passes, whose work the emitter and HoistInvariants do.
    void askOfCopy(const llvm::Module &module, llvm::TargetMachine &machine);
    /// In the order of program lines, what is said twice of a line counted.
    [[nodiscard]] std::vector<CompilerRemark> take();

  private:
    struct Handler;
    llvm::LLVMContext &m_context;
    std::unique_ptr<llvm::DiagnosticHandler> m_before;
    std::vector<CompilerRemark> m_remarks;
    bool m_ofCopy = false;
};

} // namespace loopscope
