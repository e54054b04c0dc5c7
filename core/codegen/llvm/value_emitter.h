#pragma once
// Values of expressions: scalar where no lane differs, vectors of the chunk's width otherwise. Internal to codegen.

#include "codegen/llvm/element_types.h"
#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/math_calls.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"

namespace loopscope {

class ValueEmitter {
  public:
    ValueEmitter(EmitContext &context, ModuleFrame &frame, ElementTypes &types, MathCalls &math, IndexForms &forms,
                 MemoryEmitter &memory);

    /// Throws ProgramRefused.
    llvm::Value *emit(Expr e);
    [[nodiscard]] bool dependsOnLane(Expr e) const;

  private:
    llvm::Value *emitVariable(Expr e);
    llvm::Value *emitBinary(Expr e);
    llvm::Value *emitDivision(Expr e, llvm::Value *a, llvm::Value *b);
    llvm::Value *emitArithmetic(ExprKind kind, DType type, llvm::Value *a, llvm::Value *b);
    llvm::Value *emitComparison(Expr e);
    llvm::Value *emitPlainComparison(Expr e, llvm::CmpInst::Predicate predicate);
    llvm::Value *emitLogical(Expr e);
    llvm::Value *emitSelect(Expr e);
    llvm::Value *emitCall(Expr e);
    llvm::Value *emitIfThenElse(Expr e);
    llvm::Value *emitBranchValue(Expr e, llvm::Value *condition);
    llvm::Value *underMask(llvm::Value *condition, bool negated, Expr e);
    llvm::Value *emitLet(Expr e);
    llvm::Value *divisor(llvm::Value *b);

    llvm::IRBuilder<> &m_builder;
    Lanes &m_lanes;
    ModuleFrame &m_frame;
    ElementTypes &m_types;
    MathCalls &m_math;
    IndexForms &m_forms;
    MemoryEmitter &m_memory;
};

} // namespace loopscope
