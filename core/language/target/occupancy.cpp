#include "language/target/occupancy.h"

#include <algorithm>

namespace loopscope {

namespace {

int64_t roundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr int64_t kNoLimit = kBlocksUnlimited;

int warpSizeOf(const Target &target) { return std::max(1, target.hardware.warpSize); }
int64_t warpsOf(const Target &target, int threads) {
    return std::max(1, (threads + warpSizeOf(target) - 1) / warpSizeOf(target));
}
int64_t maxWarpsOf(const Target &target) {
    return std::max(1, target.gpu.threadsPerMultiprocessor / warpSizeOf(target));
}

int64_t blocksByShared(const GpuLimits &gpu, int64_t sharedBytes) {
    if (sharedBytes > gpu.sharedPerBlockOptIn) return 0;
    const int64_t taken = roundedUp(sharedBytes + gpu.sharedReservedPerBlock, gpu.sharedUnit);
    return taken == 0 ? kNoLimit : gpu.sharedPerMultiprocessor / taken;
}

/// A multiprocessor's registers lie in as many parts as it has schedulers (`warpUnit`), and a warp's all in one.
int64_t blocksByRegisters(const GpuLimits &gpu, int warpSize, int64_t warps, int registersPerThread) {
    if (registersPerThread <= 0) return kNoLimit;
    if (registersPerThread > gpu.registersPerThread) return 0;
    const int64_t ofWarp = roundedUp(static_cast<int64_t>(registersPerThread) * warpSize, gpu.registerUnit);
    if (ofWarp * roundedUp(warps, gpu.warpUnit) > gpu.registersPerBlock) return 0;
    const int64_t warpsThatFit = gpu.registersPerMultiprocessor / gpu.warpUnit / ofWarp * gpu.warpUnit;
    return warpsThatFit / warps;
}

} // namespace

std::string_view limiterName(OccupancyLimiter limiter) {
    switch (limiter) {
    case OccupancyLimiter::Threads:
        return "threads";
    case OccupancyLimiter::Blocks:
        return "blocks";
    case OccupancyLimiter::Shared:
        return "shared memory";
    case OccupancyLimiter::Registers:
        return "registers";
    }
    return "";
}

BlocksThatFit blocksThatFit(const Target &target, int threads, int registersPerThread, int64_t sharedBytes) {
    const GpuLimits &gpu = target.gpu;
    const int warpSize = warpSizeOf(target);
    const int64_t warps = warpsOf(target, threads);
    return {threads > target.hardware.maxThreadsPerBlock ? 0 : maxWarpsOf(target) / warps, gpu.blocksPerMultiprocessor,
            blocksByShared(gpu, sharedBytes), blocksByRegisters(gpu, warpSize, warps, registersPerThread)};
}

Occupancy occupancyOf(const Target &target, int threads, int registersPerThread, int64_t sharedBytes) {
    const BlocksThatFit fit = blocksThatFit(target, threads, registersPerThread, sharedBytes);
    const auto least = std::min_element(fit.begin(), fit.end());
    Occupancy occupancy;
    occupancy.blocks = static_cast<int>(*least);
    occupancy.warps = static_cast<int>(*least * warpsOf(target, threads));
    occupancy.fraction = static_cast<double>(occupancy.warps) / static_cast<double>(maxWarpsOf(target));
    occupancy.limiter = static_cast<OccupancyLimiter>(least - fit.begin());
    return occupancy;
}

} // namespace loopscope
