#pragma once
// What every part of the emission of one module shares: what is emitted, for which machine, where the next instruction
// goes and for which lanes. Internal to codegen.

#include "codegen/llvm/lanes.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <llvm/IR/IRBuilder.h>

namespace loopscope {

struct EmitContext {
    const LoopProgram &program;
    const Target &target;
    llvm::LLVMContext &llvm;
    llvm::IRBuilder<> builder;
    Lanes lanes;

    EmitContext(const LoopProgram &loops, const Target &machine, llvm::LLVMContext &context)
        : program(loops), target(machine), llvm(context), builder(context), lanes(builder) {
        llvm::FastMathFlags flags;
        flags.setAllowContract();
        builder.setFastMathFlags(flags);
    }
};

} // namespace loopscope
