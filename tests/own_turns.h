#pragma once
// A test waits for no turn on the machine (measure/timing/machine_use.h) but its own: neither another test nor whatever
// else of Loopscope its user runs makes it late, however it was started. What it runs inherits it.

#include <string>

namespace loopscope {

/// Turns are taken in a folder of that name, unless the environment names another.
bool takeOwnTurns(const std::string &name);

} // namespace loopscope
