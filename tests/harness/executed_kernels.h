#pragma once
// A loop program for a GPU run by the executor on tensors, for tests of lowering and of schedules.

#include "codegen/executor/executor.h"
#include "harness/program_interpreter.h"

namespace loopscope {

/// The program as it is after threads are bound. `inputs` one per placeholder; packed arguments are packed here. What
/// the executor finds, and outputs that nobody writes, are the failure.
ProgramRun runKernels(const LoopProgram &program, const std::vector<TensorValue> &inputs,
                      const ExecutorOptions &options = {});

} // namespace loopscope
