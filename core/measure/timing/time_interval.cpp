#include "measure/timing/time_interval.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

constexpr double kQuartile = 0.25;
constexpr double kSure = 0.95;

/// The narrowest stretch of the sorted samples (first and last index) between whose ends the quartile lies so surely.
/// How many samples lie below the quartile is a matter of chance alone: each does with the chance of one in four.
std::pair<size_t, size_t> sureStretch(size_t samples) {
    std::vector<double> upTo; // the chance that so many or fewer lie below
    double chance = std::pow(1 - kQuartile, static_cast<double>(samples));
    double sum = 0;
    for (size_t below = 0; below <= samples; ++below) {
        sum += chance;
        upTo.push_back(sum);
        chance *= static_cast<double>(samples - below) / static_cast<double>(below + 1) * kQuartile / (1 - kQuartile);
    }
    std::pair<size_t, size_t> best{0, samples - 1};
    for (size_t first = 0; first < samples; ++first) {
        for (size_t last = first + 1; last < samples && last - first < best.second - best.first; ++last)
            if (upTo[last] - upTo[first] >= kSure) best = {first, last};
    }
    return best;
}

} // namespace

TimeInterval quartileInterval(std::vector<double> samples, double least) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const auto [first, last] = sureStretch(samples.size());
    const double place = kQuartile * static_cast<double>(samples.size() - 1);
    const auto before = static_cast<size_t>(place);
    const double lower = samples[before];
    const double upper = samples[std::min(before + 1, samples.size() - 1)];
    const double low = least > 0 ? std::min(least, samples[first]) : samples[first];
    return {lower + (upper - lower) * (place - static_cast<double>(before)), low, samples[last]};
}

} // namespace loopscope
