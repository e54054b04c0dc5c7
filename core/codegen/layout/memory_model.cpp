#include "codegen/layout/memory_model.h"

#include <algorithm>

namespace loopscope {

MemoryModel memoryModelOf(const Target &target) {
    MemoryModel model;
    const int64_t line = target.hardware.cacheLineBytes > 0 ? target.hardware.cacheLineBytes : 64;
    // Of what the cores share, each has its part.
    const int64_t shared = std::max<int64_t>(target.l3Bytes / std::max(target.hardware.numCores, 1), target.l2Bytes);
    model.levels = {{"L1", target.l1Bytes, 8, 14, line},
                    {"L2", target.l2Bytes, 16, 50, line},
                    {"L3", shared, 16, 200, line},
                    {"pages", 64 * 4096, 64, 30, 4096}};
    model.vectorBytes = target.vectorBytes;
    return model;
}

} // namespace loopscope
