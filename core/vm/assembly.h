#pragma once
// Programs as text (the forms stand in vm/program.h), read and written without loss. The network is not part of the
// text: whoever reads one has it.

#include "vm/program.h"

#include <string>

namespace loopscope {

/// "kernel t3 = "conv"(t1, t2, _) @ 0 "stem"".
/// `of`: the function of the network, or null.
std::string instructionText(const Instruction &instruction, const GraphFunction *of);
std::string programText(const Program &program);

/// Throws Error with path, line, column and a caret for what is no text of a program. Whether the program may run says
/// `programProblems`.
Program parseProgram(const std::string &text, const std::string &path, const Module &network);

} // namespace loopscope
