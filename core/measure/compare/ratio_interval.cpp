#include "measure/compare/ratio_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

RatioInterval ratioInterval(std::vector<double> ratios) {
    RatioInterval interval;
    if (ratios.empty()) return interval;
    std::sort(ratios.begin(), ratios.end());
    const size_t n = ratios.size();
    interval.ratio = n % 2 == 1 ? ratios[n / 2] : std::sqrt(ratios[n / 2 - 1] * ratios[n / 2]);
    if (n < kMinRepeats) {
        interval.low = 0;
        interval.high = std::numeric_limits<double>::infinity();
        return interval;
    }
    // The true median lies outside of the k smallest and k greatest unless fewer than k coins of n fall on one side.
    constexpr double kMissed = 0.01;
    double chance = std::pow(0.5, static_cast<double>(n)); // of so many coins
    double missed = 0;                                     // of k or fewer, on either side
    size_t k = 0;
    for (;; ++k) {
        missed += 2 * chance;
        if (missed > kMissed) break;
        chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    interval.low = ratios[k - 1];
    interval.high = ratios[n - k];
    return interval;
}

} // namespace loopscope
