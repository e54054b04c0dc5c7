#pragma once
// Two schedules of one task timed against each other: interleaved in one process, several times, each time in a process
// of its own and in the other order, so that neither the place of a buffer nor who comes first decides.

#include "base/outcome.h"
#include "measure/compare/ratio_interval.h"
#include "measure/measurer.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope {

struct TimedPair {
    RatioInterval interval;     // time of the second over time of the first
    std::vector<double> ratios; // one a repeat
    std::vector<double> first;  // seconds of a call, one a repeat
    std::vector<double> second;
};

struct PairOptions {
    int repeats = 12;
    int rounds = 5; // of each repeat
};

/// A refusal names which of them failed; so does one for a cancel. `onRepeat(done)` after each.
Outcome<TimedPair> timePair(Measurer &measurer, const Steps &first, const Steps &second, const PairOptions &options,
                            const MeasureWatch &watch = {}, const std::function<void(int)> &onRepeat = {});

/// "A is faster by 6.1 % (5.2 to 6.9 %)", "no difference seen (within 0.8 %)".
std::string verdictText(const RatioInterval &ratio, const std::string &first, const std::string &second);

} // namespace loopscope
