#include "target/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>

namespace loopscope {

namespace {

int64_t roundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr int64_t kNoLimit = std::numeric_limits<int>::max();

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

Occupancy occupancyOf(const Target &target, int threads, int registersPerThread, int64_t sharedBytes) {
    const GpuLimits &gpu = target.gpu;
    const int warpSize = std::max(1, target.hardware.warpSize);
    const int64_t warps = std::max(1, (threads + warpSize - 1) / warpSize);
    const int64_t mostWarps = std::max(1, gpu.threadsPerMultiprocessor / warpSize);

    struct Bound {
        OccupancyLimiter limiter;
        int64_t blocks;
    };
    const std::array<Bound, 4> bounds = {
        {{OccupancyLimiter::Threads, threads > target.hardware.maxThreadsPerBlock ? 0 : mostWarps / warps},
         {OccupancyLimiter::Blocks, gpu.blocksPerMultiprocessor},
         {OccupancyLimiter::Shared, blocksByShared(gpu, sharedBytes)},
         {OccupancyLimiter::Registers, blocksByRegisters(gpu, warpSize, warps, registersPerThread)}}};
    const Bound &least = *std::min_element(bounds.begin(), bounds.end(),
                                           [](const Bound &a, const Bound &b) { return a.blocks < b.blocks; });
    Occupancy occupancy;
    occupancy.blocks = static_cast<int>(least.blocks);
    occupancy.warps = static_cast<int>(least.blocks * warps);
    occupancy.fraction = static_cast<double>(occupancy.warps) / static_cast<double>(mostWarps);
    occupancy.limiter = least.limiter;
    return occupancy;
}

} // namespace loopscope
