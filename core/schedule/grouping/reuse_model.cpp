#include "schedule/grouping/reuse_model.h"

#include <algorithm>
#include <vector>

namespace loopscope {

namespace {

/// Operations of lanes that a byte costs which is at hand: it has just been loaded or stored.
constexpr double kAtHand = 0.25;
/// Where the first cache is full, and where only the core's own holds it.
constexpr double kNearCore = 0.75;
constexpr double kInCore = 1.25;
/// Of the first cache, as most cores have it.
constexpr double kFirstCache = 32 << 10;
/// A vector takes one turn for what the balance counts as an operation of each of its lanes.
constexpr double kShareOfBalance = 0.25;

/// Beyond so many bytes memory is given back when a kernel ends, and each of its pages has to be made again.
constexpr double kKeptMemory = 32 << 20;
constexpr double kFreshByte = 20;

double between(double low, double high, double share) { return low + (high - low) * std::clamp(share, 0.0, 1.0); }

/// Of a byte among so many that are touched again and again: a little where the core keeps them, the balance where not
/// even the last cache does.
double residentFactor(const MachineParameters &machine, double bytes) {
    const double core = std::max(static_cast<double>(machine.coreCache), 8 * kFirstCache);
    if (bytes <= 4 * kFirstCache) return between(kAtHand, kNearCore, (bytes - kFirstCache) / (3 * kFirstCache));
    if (bytes <= core) return between(kNearCore, kInCore, (bytes - 4 * kFirstCache) / (core - 4 * kFirstCache));
    const double last = std::max(static_cast<double>(machine.lastLevelCache), 2 * core);
    return between(kInCore, std::max(machine.balance * kShareOfBalance, kInCore), (bytes - core) / (last - core));
}

/// Bytes at the same time, when most are. All of them are whole numbers, whose sums are exact.
double maxAlive(std::span<const TouchedBuffer> buffers) {
    int nests = 0;
    for (const TouchedBuffer &buffer : buffers) nests = std::max(nests, buffer.lifetime.last + 1);
    std::vector<double> change(static_cast<size_t>(nests) + 1, 0);
    for (const TouchedBuffer &buffer : buffers) {
        change[static_cast<size_t>(buffer.lifetime.first)] += buffer.region;
        change[static_cast<size_t>(buffer.lifetime.last) + 1] -= buffer.region;
    }
    double most = 0;
    double alive = 0;
    for (const double by : change) most = std::max(most, alive += by);
    return most;
}

} // namespace

double memoryByReuse(const MachineParameters &machine, std::span<const TouchedBuffer> buffers) {
    const double again = residentFactor(machine, maxAlive(buffers));
    double memory = 0;
    for (const TouchedBuffer &buffer : buffers) {
        const double once = buffer.local ? 0 : std::min(buffer.region, buffer.touched);
        if (buffer.fresh && buffer.whole > kKeptMemory) memory += kFreshByte * once;
        const double streamed = std::max(buffer.streamed, once);
        memory += std::max(residentFactor(machine, buffer.whole), again) * (once + buffer.starts) +
                  again * (streamed - once) + kAtHand * (buffer.touched - streamed);
    }
    return memory;
}

} // namespace loopscope
