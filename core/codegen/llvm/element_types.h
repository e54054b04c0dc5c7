#pragma once
// Element types: how they are computed with, how they lie in memory, and the ways between. Half-width floats are
// float32 values that are rounded to their type after every operation: conversions exist on every x86 since F16C,
// arithmetic does not, and an operation rounded to float32 and then to half is correctly rounded. Values may be
// vectors. Internal to codegen.

#include "codegen/llvm/emit_context.h"

namespace loopscope {

class ElementTypes {
  public:
    explicit ElementTypes(EmitContext &context) : m_builder(context.builder) {}

    llvm::Type *valueType(DType type);
    llvm::Type *memoryType(DType type);
    llvm::Value *fromMemory(llvm::Value *value, DType type);
    llvm::Value *toMemory(llvm::Value *value, DType type);
    llvm::Value *roundTo(llvm::Value *value, DType type);
    llvm::Value *cast(llvm::Value *value, DType from, DType to);

  private:
    llvm::IRBuilder<> &m_builder;
};

} // namespace loopscope
