#pragma once
// A network run as a whole: built with the best schedules that a log has, then timed. What its search estimates is the
// sum of its kernels; this is what somebody who runs it waits for.

#include "views/session/network_kernels.h"

#include <QString>

#include <atomic>

namespace loopscope {

struct NetworkTiming {
    double seconds = 0; // of a run, the median; 0: cancelled
    size_t kernels = 0;
    size_t recorded = 0; // of them, with a schedule from the log; the others' nobody measured
};

/// For a job's thread. `log` empty: no schedule was measured. Throws Error with what cannot be done.
NetworkTiming timeNetwork(const NetworkKernels &kernels, const QString &log, const std::atomic<bool> &cancelled);

} // namespace loopscope
