#pragma once
// The scripts with which shells complete this command line, made from its definitions.

#include <string>

namespace loopscope {

class CommandLine;

/// `shell` is bash, zsh or fish. What the shell reads: a script to source, or to lie where the shell looks for it.
std::string completionScript(const CommandLine &line, const std::string &shell);

} // namespace loopscope
