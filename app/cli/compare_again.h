#pragma once
// What `tune` says of a comparison that a busy machine left open. In a file of its own, since no test can make a
// machine busy just so.

#include "measure/timing/time_interval.h"

#include <cstddef>
#include <string>

namespace loopscope {

/// A line that says how much is open and what to do about it; empty when the interval is narrow. `log`: empty without
/// one; `trials`: those in it.
std::string compareAgainText(const TimeInterval &best, const std::string &log, size_t trials);

} // namespace loopscope
