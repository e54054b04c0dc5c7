#pragma once
// A piece of computing that is the same on every node of a fleet, so that nodes can be told that are not as fast as the
// others, or not as fast as they were.

#include <atomic>

namespace loopscope {

/// Seconds of a fixed number of multiply-adds over a vector in the first cache, the median of several; takes about a
/// fifth of a second, alone on the machine (measure/timing/machine_use.h). 0 when cancelled.
double referenceSeconds(const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
