#pragma once
// Programs as text (the forms stand in deploy/vm/program.h). The network is not part of it.

#include "deploy/vm/program.h"

#include <string>

namespace loopscope {

/// "kernel t3 = "conv"(t1, t2, _) @ 0 "stem"".
/// `of`: the function of the network, or null.
std::string instructionText(const Instruction &instruction, const GraphFunction *of);
std::string programText(const Program &program);

} // namespace loopscope
