#include "target/kernel_needs.h"

#include <fmt/format.h>

#include <limits>

namespace loopscope {

namespace {

constexpr int64_t kMostBlocksX = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostBlocksYZ = 65535;
constexpr int64_t kMostThreadsZ = 64;

} // namespace

std::optional<Refusal> exceeds(const KernelNeeds &needs, const Target &target, std::string_view kernel) {
    const HardwareParams &hardware = target.hardware;
    const auto beyond = [&](std::string_view what, int64_t asked, int64_t limit, std::string_view name) {
        return Refusal{fmt::format("the kernel of {} has {} {}, of which the target allows {} ({})", kernel, asked,
                                   what, limit, name)};
    };
    const int64_t threads = needs.threads[0] * needs.threads[1] * needs.threads[2];
    if (hardware.maxThreadsPerBlock > 0 && threads > hardware.maxThreadsPerBlock)
        return beyond("threads a block", threads, hardware.maxThreadsPerBlock, "max_threads_per_block");
    if (needs.threads[2] > kMostThreadsZ)
        return beyond("threads a block in z", needs.threads[2], kMostThreadsZ, "threadIdx.z");
    if (hardware.maxSharedMemoryPerBlock > 0 && needs.sharedBytes > hardware.maxSharedMemoryPerBlock)
        return beyond("bytes of shared memory a block", needs.sharedBytes, hardware.maxSharedMemoryPerBlock,
                      "max_shared_memory_per_block");
    if (hardware.maxLocalMemoryPerBlock > 0 && needs.localBytes > hardware.maxLocalMemoryPerBlock)
        return beyond("bytes of local memory a thread", needs.localBytes, hardware.maxLocalMemoryPerBlock,
                      "max_local_memory_per_block");
    if (hardware.maxVthreadExtent > 0 && needs.virtuals > hardware.maxVthreadExtent)
        return beyond("virtual threads", needs.virtuals, hardware.maxVthreadExtent, "max_vthread_extent");
    if (hardware.vectorUnitBytes > 0 && needs.vectorBytes > hardware.vectorUnitBytes)
        return beyond("bytes in a vector", needs.vectorBytes, hardware.vectorUnitBytes, "vector_unit_bytes");
    for (size_t axis = 0; axis < needs.blocks.size(); ++axis) {
        const int64_t most = axis == 0 ? kMostBlocksX : kMostBlocksYZ;
        if (needs.blocks[axis] > most)
            return beyond(axis == 0 ? "blocks in x" : (axis == 1 ? "blocks in y" : "blocks in z"), needs.blocks[axis],
                          most, "the grid's size");
    }
    return std::nullopt;
}

} // namespace loopscope
