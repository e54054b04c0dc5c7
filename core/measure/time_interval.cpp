#include "measure/time_interval.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// How many of the smallest (and of the greatest) samples lie outside the interval: the most for which the chance that
/// the true median does, too, stays within 2.5 % on each side. Every sample is above the median like a coin shows
/// heads.
size_t outside(size_t samples) {
    double chance = std::pow(0.5, static_cast<double>(samples)); // that none is below
    double sum = 0;
    for (size_t below = 0; below < samples; ++below) {
        sum += chance;
        if (sum > 0.025) return below == 0 ? 0 : below - 1;
        chance *= static_cast<double>(samples - below) / static_cast<double>(below + 1);
    }
    return 0;
}

} // namespace

TimeInterval medianInterval(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const size_t count = samples.size();
    const size_t left = outside(count);
    return {(samples[(count - 1) / 2] + samples[count / 2]) / 2, samples[left], samples[count - 1 - left]};
}

} // namespace loopscope
