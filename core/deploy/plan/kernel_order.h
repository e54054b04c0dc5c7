#pragma once
// In which order kernels run that do not wait for one another: one in which less memory exists at once. Branches of a
// network are finished one after the other where that frees their inputs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loopscope {

/// What one kernel needs and makes; buffers by number.
struct KernelTraffic {
    std::vector<size_t> after; // kernels that must have run
    std::vector<size_t> reads;
    std::vector<size_t> writes; // several kernels may write parts of one buffer
    /// Of `reads`: its only output may take their place when nobody reads them later.
    std::vector<size_t> mayOverwrite = {};
};

struct OrderProblem {
    std::vector<KernelTraffic> kernels; // each behind those it runs after
    std::vector<size_t> bytes;          // by buffer; 0: not in the arena
};

/// Bytes that exist at once, at most, in this order.
size_t peakOfOrder(const OrderProblem &problem, std::span<const size_t> order);
/// Never worse than the order given. Deterministic.
std::vector<size_t> orderForLowPeak(const OrderProblem &problem, uint64_t seed = 0);

} // namespace loopscope
