#include "deploy/network/profile_rooflines.h"

#include "measure/timing/least_time.h"

#include <algorithm>

namespace loopscope {

std::vector<CallRoofline> profileRooflines(const PlanProfile &profile, const MachinePeaks &peaks) {
    double weights = 0;
    for (const CallProfile &call : profile.calls) weights += static_cast<double>(call.weightBytes);
    const double ofWeights = weights > 0 ? movingSeconds(weights, peaks, profile.threads) / weights : 0;
    std::vector<CallRoofline> all;
    for (const CallProfile &call : profile.calls) {
        const double computing = computingSeconds(call.flops, peaks, profile.threads);
        const double moving = movingSeconds(static_cast<double>(call.bytesIn + call.bytesOut), peaks, profile.threads) +
                              static_cast<double>(call.weightBytes) * ofWeights;
        CallRoofline one;
        one.seconds = std::max(computing, moving);
        one.memory = moving > computing;
        if (one.seconds > 0 && call.time.median > 0) one.share = one.seconds / call.time.median;
        all.push_back(one);
    }
    return all;
}

} // namespace loopscope
