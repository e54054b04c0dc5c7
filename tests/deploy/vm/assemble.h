#pragma once
// Programs by hand: what programText (deploy/vm/assembly.h) prints is read without loss.

#include "deploy/vm/program.h"

#include <string>

namespace loopscope {

/// Throws Error with path, line, column and a caret for what is no text of a program. Whether the program may run says
/// `programProblems`.
Program parseProgram(const std::string &text, const std::string &path, const Module &network);

} // namespace loopscope
