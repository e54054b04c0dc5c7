#pragma once
// `loopscope-cli log COMMAND`: tuning logs as documents.

#include "log_options.h"

#include <string>

namespace loopscope {

/// `command`: "info", "diff", ...
int runLog(const std::string &command, const LogOptions &options);

} // namespace loopscope
