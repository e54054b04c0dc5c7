#pragma once
// What one kernel of a schedule asks of a GPU, and what of it no block or thread of the target has. Counted from a
// state while candidates are drawn, or from a lowered program: the limits are here.

#include "base/outcome.h"
#include "language/target/target.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loopscope {

struct KernelNeeds {
    std::array<int64_t, 3> blocks = {1, 1, 1}; // in x, y, z
    std::array<int64_t, 3> threads = {1, 1, 1};
    int64_t sharedBytes = 0; // of a block
    int64_t localBytes = 0;  // of a thread
    int64_t virtuals = 1;    // iterations of the longest loop of virtual threads
    int64_t vectorBytes = 0; // of the widest load or store
};

/// The first limit the kernel exceeds, by name: what there is too much of, and how much the target allows.
std::optional<Refusal> exceeds(const KernelNeeds &needs, const Target &target, std::string_view kernel);

} // namespace loopscope
