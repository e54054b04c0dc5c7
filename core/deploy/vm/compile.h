#pragma once
// A network with control flow as a program (deploy/vm/program.h): a function for each of its own, a loop as a jump
// back, a branch as two ways, every value freed behind its last reader, registers taken again.

#include "base/outcome.h"
#include "deploy/vm/program.h"
#include "networks/graph/module.h"

namespace loopscope {

/// Refuses a network that is not well formed. What it gives passes `programProblems`.
Outcome<Program> compileNetwork(const Module &network);

} // namespace loopscope
