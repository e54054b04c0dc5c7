#pragma once
// Slow execution of a loop program: after every pass of lowering the program must still compute what the reference
// interpreter computes, with every access checked as program_memory.h says, which machine code would not tell.

#include "harness/program_memory.h"

namespace loopscope {

/// Parallel loops run from their last iteration to their first. `inputs` one per placeholder argument; packed arguments
/// are packed here.
ProgramRun runProgram(const LoopProgram &program, const std::vector<TensorValue> &inputs);

/// Empty when both are equal within the bounds of what is expected, else what differs and where.
std::string compareOutputs(const std::vector<TensorValue> &got, const std::vector<TensorValue> &expected);

} // namespace loopscope
