#include "grouping/reuse_model.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Of a byte among so many that are touched again and again: a little where the core keeps them, all of the balance
/// where not even the last cache does.
double residentFactor(const MachineParameters &machine, double bytes) {
    constexpr double inCore = 2;
    const auto core = static_cast<double>(machine.coreCache);
    const double last = std::max(static_cast<double>(machine.lastLevelCache), 2 * core);
    if (bytes <= core) return 1 + (inCore - 1) * bytes / core;
    return std::min(inCore + (machine.balance - inCore) * (bytes - core) / (last - core),
                    std::max(machine.balance, inCore));
}

} // namespace

double memoryByReuse(const MachineParameters &machine, std::span<const TouchedBuffer> buffers) {
    double alive = 0;
    for (const TouchedBuffer &buffer : buffers) alive += buffer.region;
    const double again = residentFactor(machine, alive);
    double memory = 0;
    for (const TouchedBuffer &buffer : buffers) {
        const double once = buffer.local ? 0 : std::min(buffer.region, buffer.touched);
        memory += std::max(residentFactor(machine, buffer.whole), again) * (once + buffer.starts) +
                  again * (buffer.touched - once);
    }
    return memory;
}

} // namespace loopscope
