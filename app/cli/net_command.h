#pragma once
// `loopscope-cli net COMMAND`: networks.

#include "net_options.h"

#include <string>

namespace loopscope {

// `command`: "show", "tune", ...
/// Which network it was given.
std::string netFile(const std::string &command, const NetOptions &options);
int runNet(const std::string &command, const NetOptions &options);

} // namespace loopscope
