#pragma once
// Control flow alone: what stands between two statements of a function becomes a function of its own, so that whoever
// compiles functions without statements compiles all of a network's operators, each together with its neighbours. What
// the host computes (Operator::host) stands beside the statements.

#include "base/outcome.h"
#include "networks/graph/module.h"

#include <optional>
#include <string>

namespace loopscope {

/// "loop 'v' of function `main` is control flow", "non_max_suppression 't' of function `main` is computed on the host":
/// why a network is run by the machine; nothing where a plan does, which calls the host where sizes are known.
/// `plansHost`: false asks the same of a plan that never does.
std::optional<std::string> whyOnMachine(const Module &network, bool plansHost = true);

/// Functions without statements and operators of the host stay. Types are inferred, and are again of what comes back;
/// refuses with the problem of a network whose types cannot be told any more.
Outcome<Module> outlined(const Module &network);

} // namespace loopscope
