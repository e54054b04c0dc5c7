#pragma once
// Times of something that is run again and again.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace loopscope {

inline double median(std::vector<double> samples) {
    std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2), samples.end());
    return samples[samples.size() / 2];
}

template <typename Run> double microseconds(Run &&run) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace loopscope
