#pragma once
// Control flow alone: what stands between two statements of a function becomes a function of its own, so that whoever
// compiles functions without statements compiles all of a network's operators, each together with its neighbours.

#include "graph/module.h"
#include "outcome.h"

namespace loopscope {

/// Functions without statements stay. Types are inferred, and are again of what comes back; refuses with the problem of
/// a network whose types cannot be told any more.
Outcome<Module> outlined(const Module &network);

} // namespace loopscope
