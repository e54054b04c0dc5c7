#pragma once
// How sure a ratio of two times is. It is taken several times, each time anew (another process, the other order), and
// only the order of these ratios counts: what disturbs a time is not bounded and has no known distribution.

#include <vector>

namespace loopscope {

struct RatioInterval {
    double ratio = 1; // the median
    double low = 0;   // the true one lies between these in 99 of 100 cases
    double high = 0;  // 0: there were no ratios

    /// It is not 1.
    [[nodiscard]] bool different() const { return low > 1 || (high > 0 && high < 1); }
    bool operator==(const RatioInterval &) const = default;
};

/// Fewer are never different: eight on one side happen by chance in 0.8 of 100 cases, seven in 1.6.
inline constexpr int kMinRepeats = 8;

/// The median, and between which two of the ratios it lies: by the binomial distribution of how many lie below it.
RatioInterval ratioInterval(std::vector<double> ratios);

} // namespace loopscope
