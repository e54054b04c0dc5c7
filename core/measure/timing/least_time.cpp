#include "measure/timing/least_time.h"

#include <algorithm>

namespace loopscope {

namespace {

double threadsOf(const MachinePeaks &peaks, int threads) {
    const int most = std::max(1, peaks.threads);
    return threads <= 0 ? most : std::min(threads, most);
}

/// Of some threads, from what one and what all of them do.
double rateOf(double threads, const MachinePeaks &peaks, double one, double all) {
    if (threads >= std::max(1, peaks.threads)) return std::max(one, all);
    return std::min(threads * one, std::max(one, all));
}

} // namespace

double computingSeconds(double flops, const MachinePeaks &peaks, int threads) {
    const double rate = 1e9 * rateOf(threadsOf(peaks, threads), peaks, peaks.gflops1, peaks.gflopsAll);
    return flops > 0 && rate > 0 ? flops / rate : 0;
}

double movingSeconds(double bytes, const MachinePeaks &peaks, int threads) {
    const double many = threadsOf(peaks, threads);
    double left = bytes, seconds = 0;
    for (const MemoryPeak &level : peaks.memory) {
        if (left <= 0) break;
        const double rate = 1e9 * rateOf(many, peaks, level.gbps1, level.gbpsAll);
        if (rate <= 0) continue;
        // A cache is measured with half of what it holds.
        const double holds = 2.0 * static_cast<double>(level.bytes) * (sharedByCores(level) ? 1 : many);
        const double here = &level == &peaks.memory.back() ? left : std::min(left, holds);
        seconds += here / rate;
        left -= here;
    }
    return seconds;
}

} // namespace loopscope
