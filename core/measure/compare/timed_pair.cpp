#include "measure/compare/timed_pair.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace loopscope {

Outcome<TimedPair> timePair(Measurer &measurer, const Steps &first, const Steps &second, const PairOptions &options,
                            const MeasureWatch &watch, const std::function<void(int)> &onRepeat) {
    TimedPair pair;
    std::vector<double> ratios;
    for (int i = 0; i < options.repeats; ++i) {
        const bool swapped = i % 2 == 1;
        const std::vector<Steps> both = swapped ? std::vector{second, first} : std::vector{first, second};
        const auto samples = measurer.measureInterleaved(both, options.rounds, watch);
        if (watch.cancelled()) return Refusal{"the comparison was cancelled"};
        TimeInterval times[2];
        for (size_t k = 0; k < 2; ++k) times[k] = quartileInterval(samples[k].seconds, samples[k].least);
        if (swapped) std::swap(times[0], times[1]);
        for (size_t k = 0; k < 2; ++k)
            if (!times[k].known())
                return Refusal{fmt::format("the {} schedule could not be timed: measured alone it says why",
                                           k == 0 ? "first" : "second")};
        pair.first.push_back(times[0].seconds);
        pair.second.push_back(times[1].seconds);
        pair.ratios.push_back(times[1].seconds / times[0].seconds);
        if (onRepeat) onRepeat(i + 1);
    }
    pair.interval = ratioInterval(pair.ratios);
    return pair;
}

std::string verdictText(const RatioInterval &ratio, const std::string &first, const std::string &second) {
    if (!ratio.different()) {
        const double most =
            std::max(ratio.high, ratio.low > 0 ? 1 / ratio.low : std::numeric_limits<double>::infinity());
        return std::isfinite(most) ? fmt::format("no difference seen: it is below {:.1f} %", 100 * (most - 1))
                                   : "no difference seen: too few repeats to tell";
    }
    // Of the slower one's time, how much more it is.
    const bool firstWins = ratio.ratio > 1;
    const double by = firstWins ? ratio.ratio : 1 / ratio.ratio;
    const double low = firstWins ? ratio.low : 1 / ratio.high;
    const double high = firstWins ? ratio.high : 1 / ratio.low;
    constexpr double kTimes = 3; // beyond it a percentage tells nothing
    if (low >= kTimes)
        return fmt::format("{} takes {:.1f} times as long as {} ({:.1f} to {:.1f})", firstWins ? second : first, by,
                           firstWins ? first : second, low, high);
    const auto percent = [](double times) { return 100 * (times - 1); };
    return fmt::format("{} is faster than {} by {:.1f} % ({:.1f} to {:.1f} %)", firstWins ? first : second,
                       firstWins ? second : first, percent(by), percent(low), percent(high));
}

} // namespace loopscope
