#pragma once
// How many files and pipes this process may have open at once. Where that is too few to talk to children, they would
// fail in ways that do not say why; so it is asked before, and named in what fails nevertheless.

#include <string>

namespace loopscope {

/// Throws Error where `ulimit -n` leaves too few for a child's channel, pipes and data.
void requireDescriptors();
/// errno as a sentence's end; of too many open files, with the limit and its name.
std::string openingProblem(int problem);

} // namespace loopscope
