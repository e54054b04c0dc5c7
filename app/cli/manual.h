#pragma once
// The manual page loopscope-cli(1), in the language of man(7); commands and options come from the definitions of the
// command line.

#include <string>

namespace loopscope {

class CommandLine;

std::string manualPage(const CommandLine &line);

} // namespace loopscope
