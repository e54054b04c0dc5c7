#pragma once
// Slow execution of a loop program for a GPU. Threads of a block run one after the other from barrier to barrier, in an
// order that changes; what one of them reads or writes while another writes it between the same two barriers is a
// failure whatever the order, and so is a barrier that not all of them come to, memory that another thread or block
// cannot see, and what two blocks of one kernel do to an element of global memory.

#include "harness/program_memory.h"

namespace loopscope {

/// The program as it is after threads are bound. `inputs` one per placeholder argument.
ProgramRun runKernels(const LoopProgram &program, const std::vector<TensorValue> &inputs);

} // namespace loopscope
