#include "codegen/runtime/large_memory.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace loopscope {

void *allocateLarge(size_t bytes) {
    constexpr size_t kVector = 64;
    constexpr size_t kPage = size_t{2} << 20;
    const size_t alignment = bytes >= kPage ? kPage : kVector;
    const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void *memory = std::aligned_alloc(alignment, rounded);
    if (memory != nullptr && alignment == kPage) (void)::madvise(memory, rounded, MADV_HUGEPAGE); // or small ones
    return memory;
}

} // namespace loopscope
