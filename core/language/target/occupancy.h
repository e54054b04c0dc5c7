#pragma once
// How many blocks of a kernel run on a multiprocessor at once, by the published rules of compute capability (CUDA
// programming guide, "Technical Specifications per Compute Capability", and the occupancy calculator): what a block
// takes of threads, block slots, shared memory and registers, each rounded up as the hardware gives it out.

#include "language/target/target.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace loopscope {

enum class OccupancyLimiter : uint8_t { Threads, Blocks, Shared, Registers };
std::string_view limiterName(OccupancyLimiter limiter); // "threads", "blocks", "shared memory", "registers"

struct Occupancy {
    int blocks = 0;                                       // that run on a multiprocessor at once; 0: not even one fits
    int warps = 0;                                        // of those blocks
    double fraction = 0;                                  // of the warps a multiprocessor can hold
    OccupancyLimiter limiter = OccupancyLimiter::Threads; // the resource of which there is not enough for another block
};

inline constexpr int64_t kBlocksUnlimited = std::numeric_limits<int>::max();
/// How many blocks each resource alone has room for, in the order of OccupancyLimiter; kBlocksUnlimited: it does not
/// limit.
using BlocksThatFit = std::array<int64_t, 4>;
BlocksThatFit blocksThatFit(const Target &target, int threads, int registersPerThread, int64_t sharedBytes);

/// `threads` of a block from 1; `registersPerThread` 0: unknown, does not limit. Where several resources run out at the
/// same number of blocks, the limiter is the first of them in the order of the enumeration.
Occupancy occupancyOf(const Target &target, int threads, int registersPerThread, int64_t sharedBytes);

} // namespace loopscope
