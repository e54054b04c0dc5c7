#include "language/target/kernel_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace loopscope {

namespace {

constexpr int64_t kMaxBlocksX = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxBlocksYZ = 65535;
constexpr int64_t kMaxThreadsZ = 64;

struct Limit {
    std::string_view what;
    int64_t asked;
    int64_t most; // 0: as many as one likes
    std::string_view name;
};

} // namespace

std::optional<Refusal> exceeds(const KernelNeeds &needs, const Target &target, std::string_view kernel) {
    const HardwareParams &hardware = target.hardware;
    const std::array limits = {
        Limit{"threads a block", needs.threads[0] * needs.threads[1] * needs.threads[2], hardware.maxThreadsPerBlock,
              "max_threads_per_block"},
        Limit{"threads a block in z", needs.threads[2], kMaxThreadsZ, "threadIdx.z"},
        Limit{"bytes of shared memory a block", needs.sharedBytes, hardware.maxSharedMemoryPerBlock,
              "max_shared_memory_per_block"},
        Limit{"bytes of local memory a thread", needs.localBytes, hardware.maxLocalMemoryPerBlock,
              "max_local_memory_per_block"},
        Limit{"virtual threads", needs.virtuals, hardware.maxVthreadExtent, "max_vthread_extent"},
        Limit{"bytes in a vector", needs.vectorBytes, hardware.vectorUnitBytes, "vector_unit_bytes"},
        Limit{"blocks in x", needs.blocks[0], kMaxBlocksX, "the grid's size"},
        Limit{"blocks in y", needs.blocks[1], kMaxBlocksYZ, "the grid's size"},
        Limit{"blocks in z", needs.blocks[2], kMaxBlocksYZ, "the grid's size"}};
    const auto *broken = std::find_if(limits.begin(), limits.end(),
                                      [](const Limit &limit) { return limit.most > 0 && limit.asked > limit.most; });
    if (broken == limits.end()) return std::nullopt;
    // Without what was asked for: a search counts how often it meets each sentence.
    return Refusal{fmt::format("the kernel of {} has more than the {} {} that the target allows ({})", kernel,
                               broken->most, broken->what, broken->name)};
}

} // namespace loopscope
