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

/// What was sampled of one of several kernels that were timed in turn.
struct TurnSamples {
    std::vector<double> seconds; // per call; empty: it failed
    /// Where others held up too many samples for the rest to be enough: the least that one took without the time it
    /// waited for a processor. All of them may be too long, by as much; 0: they are not.
    double least = 0;
};

/// With fewer than eleven samples no interval is that sure; then it reaches from the least to the greatest. Where
/// others held them up it begins at what may be left without that (`least`, see TurnSamples).
TimeInterval quartileInterval(std::vector<double> samples, double least = 0);

/// One of several candidates that were timed in turn, so that all saw the same machine. Only such times may be held
/// against each other.
struct ComparedTime {
    int trial = -1; // -1: the naive schedule
    TimeInterval time;
};

} // namespace loopscope
