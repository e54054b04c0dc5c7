#pragma once
// The functions of device_math.h as LLVM IR. Internal to codegen: it drags in LLVM.

#include "language/expr/expr.h"

#include <llvm/IR/IRBuilder.h>

namespace loopscope {

/// The value of a function of float32 or float64, scalars or vectors; null: there is none for this type.
llvm::Value *emitDeviceMath(llvm::IRBuilder<> &builder, Intrinsic function, llvm::ArrayRef<llvm::Value *> args);

} // namespace loopscope
