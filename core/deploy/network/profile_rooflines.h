#pragma once
// How near the calls of a run come to what the machine could do: a share of the time that no kernel can beat.

#include "deploy/plan/profile.h"
#include "measure/timing/machine_peaks.h"

#include <vector>

namespace loopscope {

struct CallRoofline {
    double seconds = 0;  // that no kernel can beat; 0: not known
    bool memory = false; // its bytes take longer than its operations
    double share = -1;   // of the time it took; -1: not known
};

/// By call. Weights of all calls pass through the caches in every run: they lie in them as far as all of them go in. A
/// share may be somewhat above 1: operations are counted as the network has them, and kernels leave out those of
/// padding; clocks and neighbours change, too.
std::vector<CallRoofline> profileRooflines(const PlanProfile &profile, const MachinePeaks &peaks);

} // namespace loopscope
