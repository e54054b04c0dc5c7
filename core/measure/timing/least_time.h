#pragma once
// The rooflines of a machine as bounds: no kernel is faster than its operations at the peak, nor than its bytes from
// wherever they can lie. What caches can hold between two calls is taken to lie there, as much in each as goes in, and
// each thread has its own share: a product whose weights are a little larger than the last private cache reads a part
// of them from it all the same, and would otherwise be "faster than its roofline".

#include "measure/timing/machine_peaks.h"

namespace loopscope {

/// Seconds; 0 where there is nothing to compute or no peak. `threads` <= 0: all of the machine.
double computingSeconds(double flops, const MachinePeaks &peaks, int threads = 0);
/// Of bytes that are moved once a call, and that calls before had in caches as far as they go in.
double movingSeconds(double bytes, const MachinePeaks &peaks, int threads = 0);

} // namespace loopscope
