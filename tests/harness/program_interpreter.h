#pragma once
// Slow execution of a loop program: after every pass of lowering the program must still compute what the reference
// interpreter computes. Checks what machine code would not tell: every index inside its dimension (and, before storage
// is placed, inside the region that will be allocated), no element read before it is written.

#include "interpret/interpreter.h"
#include "loop_ir/program.h"

#include <string>
#include <vector>

namespace loopscope {

struct ProgramRun {
    std::vector<TensorValue> outputs; // one per output argument
    std::string failure;              // empty = ran through
    int64_t stores = 0;
};

/// Parallel loops run from their last iteration to their first. `inputs` one per placeholder argument; packed arguments
/// are packed here.
ProgramRun runProgram(const LoopProgram &program, const std::vector<TensorValue> &inputs);

/// Empty when both are equal within the bounds of what is expected, else what differs and where.
std::string compareOutputs(const std::vector<TensorValue> &got, const std::vector<TensorValue> &expected);

} // namespace loopscope
