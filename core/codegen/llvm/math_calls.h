#pragma once
// Intrinsics. Transcendental functions of vectors are glibc's libmvec (4 ulp), of scalars libm; both resolve when the
// kernel is loaded. On GPUs they are code of our own (codegen/nvptx/device_math.h). Internal to codegen.

#include "codegen/llvm/element_types.h"
#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/module_frame.h"

namespace loopscope {

class MathCalls {
  public:
    MathCalls(EmitContext &context, ModuleFrame &frame, ElementTypes &types)
        : m_builder(context.builder), m_target(context.target), m_frame(frame), m_types(types) {}

    /// The call `e` of operands whose values are `args`, all of one shape. Throws ProgramRefused.
    llvm::Value *emit(Expr e, llvm::ArrayRef<llvm::Value *> args);

  private:
    /// The power by a constant that is a multiple of a quarter, from square roots; null: it is another.
    llvm::Value *emitQuarterPower(Expr exponent, llvm::Value *x);
    llvm::Value *emitShuffle(Expr e, llvm::ArrayRef<llvm::Value *> args);
    llvm::Value *callLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble);
    llvm::Value *callVectorLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble, int lanes);
    llvm::Value *callScalarLibrary(const char *name, llvm::ArrayRef<llvm::Value *> args, bool isDouble);

    llvm::IRBuilder<> &m_builder;
    const Target &m_target;
    ModuleFrame &m_frame;
    ElementTypes &m_types;
};

} // namespace loopscope
