#pragma once
// A loop program as the reference of an exported check: the same text as emitC's, but every float is computed in double
// and rounded to its type only where it is stored in a tensor, as the interpreter does it. What it computes is so close
// to the interpreter's answer that the interpreter's bounds hold around it.

#include "codegen/loop_ir/program.h"

#include <string>

namespace loopscope {

/// `static void NAME(...)` with the includes it needs; sums that lowering keeps in registers are double.
std::string emitReferenceC(const LoopProgram &program);

} // namespace loopscope
