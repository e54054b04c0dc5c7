#pragma once
// Loop program for a GPU -> LLVM IR, a function for each kernel. Statements, values and index arithmetic are those of
// codegen/llvm (emit_module.h tells of the parts); what is a GPU's own stands here: threads ask for their numbers,
// parameters lie in global memory and tiles in shared memory. Internal to codegen: it drags in LLVM.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <llvm/IR/Module.h>

#include <memory>

namespace loopscope {

/// Bytes that a thread moves with one instruction at most.
inline constexpr int kThreadVectorBytes = 16;

/// Throws ProgramRefused. `debugLines`: every instruction carries the line of printProgram's text it comes from.
std::unique_ptr<llvm::Module> emitKernels(const LoopProgram &program, const Target &target, llvm::LLVMContext &context,
                                          bool debugLines);

} // namespace loopscope
