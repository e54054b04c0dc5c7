#include "search/cost/gpu_kernel_time.h"

#include "language/target/occupancy.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kIssuePerCycle = 4;      // warps
constexpr double kL2BytesPerCycle = 48;   // to each multiprocessor, when all of them ask
constexpr double kLaunchSeconds = 2.5e-6; // of a kernel after another
constexpr double kResidentShareOfL2 = 0.6;

/// Everything together takes as long as the longest, and something of the others, which overlap with it only so far.
constexpr double kOverlapLoss = 0.2;

class KernelTimer {
  public:
    explicit KernelTimer(const Target &target) : m_target(target), m_gpu(target.gpu) {}

    [[nodiscard]] KernelCycles cyclesOf(const KernelCost &kernel, std::span<const StoreCost> stores) const {
        StoreCost all;
        for (const StoreCost &store : stores) {
            all.issued += store.issued;
            all.arithmetic += store.arithmetic;
            all.shared += store.shared;
            all.global += store.global;
            all.l2Bytes += store.l2Bytes;
            all.uniqueBytes += store.uniqueBytes;
        }
        const double registers = kernel.registers + kernel.operands;
        const double spills = std::max(0.0, registers / m_gpu.registersPerThread - 1);
        all.shared *= 1 + spills; // what does not fit lies in memory
        all.global += spills * all.arithmetic;

        const int64_t threads = kernel.threads[0] * kernel.threads[1] * kernel.threads[2];
        const auto blocks = static_cast<double>(kernel.blocks[0] * kernel.blocks[1] * kernel.blocks[2]);
        const Occupancy occupancy = occupancyOf(m_target, static_cast<int>(std::min<int64_t>(threads, 1 << 20)),
                                                static_cast<int>(std::min<double>(registers, m_gpu.registersPerThread)),
                                                static_cast<int64_t>(kernel.sharedBytes));
        const double busiest = std::ceil(blocks / m_gpu.multiprocessors); // blocks of one multiprocessor
        const double together = std::clamp<double>(busiest, 1, std::max(1, occupancy.blocks));

        KernelCycles cycles;
        cycles.arithmetic = busiest * all.arithmetic;
        cycles.issue = busiest * all.issued / kIssuePerCycle;
        cycles.shared = busiest * all.shared;
        cycles.global = busiest * all.global;
        cycles.waiting = std::ceil(busiest / together) * kernel.serial;
        cycles.l2 = blocks * all.l2Bytes / (kL2BytesPerCycle * m_gpu.multiprocessors);
        cycles.memory = memoryBytes(blocks * all.l2Bytes, all.uniqueBytes) * m_gpu.clockGHz / m_gpu.memoryGBs;
        const double longest = std::max(
            {cycles.arithmetic, cycles.issue, cycles.shared, cycles.global, cycles.waiting, cycles.l2, cycles.memory});
        const double total = longest + kOverlapLoss * (cycles.sum() - longest);
        // Shared out such that what takes longest has most of it.
        KernelCycles shares;
        const auto weight = [&](double spent) { return longest > 0 ? std::pow(spent / longest, 3) : 0; };
        shares.arithmetic = weight(cycles.arithmetic);
        shares.issue = weight(cycles.issue);
        shares.shared = weight(cycles.shared);
        shares.global = weight(cycles.global);
        shares.waiting = weight(cycles.waiting);
        shares.l2 = weight(cycles.l2);
        shares.memory = weight(cycles.memory);
        const double each = shares.sum() > 0 ? total / shares.sum() : 0;
        for (double *share : {&shares.arithmetic, &shares.issue, &shares.shared, &shares.global, &shares.waiting,
                              &shares.l2, &shares.memory})
            *share *= each;
        shares.launch = kLaunchSeconds * m_gpu.clockGHz * 1e9;
        return shares;
    }

  private:
    /// Of global memory: what is asked for once, and of what is asked for again that which the second cache lost.
    [[nodiscard]] double memoryBytes(double asked, double unique) const {
        const double resident = kResidentShareOfL2 * static_cast<double>(m_target.l2Bytes);
        const double lost = unique <= resident ? 0 : 0.5 * (1 - resident / unique);
        return std::min(unique, asked) + lost * std::max(0.0, asked - unique);
    }

    const Target &m_target;
    const GpuLimits &m_gpu;
};

} // namespace

KernelCycles kernelCycles(const KernelCost &kernel, std::span<const StoreCost> stores, const Target &target) {
    return KernelTimer(target).cyclesOf(kernel, stores);
}

} // namespace loopscope
