#pragma once
// How sure a time is: the median of samples taken in turn with others, and the interval that holds the true median in
// 95 of 100 cases. Only the order of the samples counts, because what a machine's other work adds to a time is neither
// symmetric nor bounded.

#include <limits>
#include <vector>

namespace loopscope {

struct TimeInterval {
    double seconds = std::numeric_limits<double>::infinity(); // the median; +inf: there were no samples
    double low = std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool known() const { return seconds < std::numeric_limits<double>::infinity(); }
    /// Neither can be said to be the faster one.
    [[nodiscard]] bool overlaps(const TimeInterval &other) const { return low <= other.high && other.low <= high; }
    bool operator==(const TimeInterval &) const = default;
};

/// With fewer than six samples no interval is that sure; then it reaches from the least to the greatest.
TimeInterval medianInterval(std::vector<double> samples);

/// One of several candidates that were timed in turn, so that all saw the same machine. Only such times may be held
/// against each other.
struct ComparedTime {
    int trial = -1; // -1: the naive schedule
    TimeInterval time;
};

} // namespace loopscope
