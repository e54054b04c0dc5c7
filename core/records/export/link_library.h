#pragma once
// Linking an object to a shared library with whatever C compiler is installed. Internal to export.

#include "base/outcome.h"

#include <string>
#include <vector>

namespace loopscope {

/// Bytes of the library. Refused, with what to do, when no compiler is found on PATH, and with its complaint when it
/// fails.
Outcome<std::string> linkLibrary(const std::string &object, const std::string &fileName, bool startsThreads);

} // namespace loopscope
