#pragma once
// From one kernel of a loop program (block loops, then thread loops, then what a thread does) to a SimtKernel.

#include "base/outcome.h"
#include "codegen/executor/simt_program.h"

namespace loopscope {

/// `root` is the outermost block loop. Refuses what no GPU can launch or this executor does not know, with the loop or
/// statement.
Outcome<SimtKernel> compileSimtKernel(Stmt root);

} // namespace loopscope
