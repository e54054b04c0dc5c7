#pragma once
// Whether a program may run: what the machine relies on and does not look at again. Every register exists and holds
// something when it is read; nothing is overwritten; on every way to `ret` all that came to be is freed or handed out;
// jumps stay inside; calls fit and never come back to themselves; operators and constants are those of the network.

#include "deploy/vm/program.h"

#include <string>
#include <vector>

namespace loopscope {

/// One sentence for each rule that is broken, naming function and instruction; empty when the program may run. At most
/// `most`.
std::vector<std::string> programProblems(const Program &program, size_t most = 100);

} // namespace loopscope
