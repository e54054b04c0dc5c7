#pragma once
// The passes a kernel runs through before instruction selection: a short pipeline, because a search compiles thousands
// of kernels and the emitter already vectorized, unrolled and rotated the loops. Internal to codegen.

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace loopscope {

/// `level` 0 leaves the module as emitted, every other one runs the pipeline.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine, int vectorRegisters, int level);

} // namespace loopscope
