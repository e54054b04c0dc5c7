#pragma once
// How sure a time is: the lower quartile of samples taken in turn with others, and the interval that holds the true one
// in 95 of 100 cases. A machine's other work only adds to a time, so that the slower half of the samples tells of the
// machine; the least ones alone would be luck. A trial's time comes from its best samples for the same reason, and the
// two can be read side by side. Only the order of the samples counts, because what is added is not bounded.

#include <limits>
#include <vector>

namespace loopscope {

struct TimeInterval {
    double seconds = std::numeric_limits<double>::infinity(); // the quartile; +inf: there were no samples
    double low = std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool known() const { return seconds < std::numeric_limits<double>::infinity(); }
    /// Neither can be said to be the faster one.
    [[nodiscard]] bool overlaps(const TimeInterval &other) const { return low <= other.high && other.low <= high; }
    /// So wide that a quieter machine would tell more.
    [[nodiscard]] bool wide() const { return known() && high - low > 0.1 * seconds; }
    bool operator==(const TimeInterval &) const = default;
};

/// With fewer than eleven samples no interval is that sure; then it reaches from the least to the greatest.
TimeInterval quartileInterval(std::vector<double> samples);

/// One of several candidates that were timed in turn, so that all saw the same machine. Only such times may be held
/// against each other.
struct ComparedTime {
    int trial = -1; // -1: the naive schedule
    TimeInterval time;
};

} // namespace loopscope
