#pragma once
// Where the shared buffers of a kernel lie. Up to 48 KiB they are variables of the kernel; what is larger has to be
// asked for at the launch, as one block of bytes, and so do buffers that follow one another in the same bytes.

#include "loop_ir/program.h"

#include <cstdint>
#include <map>

namespace loopscope {

inline constexpr int64_t kMostStaticShared = 48 * 1024; // bytes that a kernel may declare, on every GPU
inline constexpr int64_t kSharedAlignment = 16;         // of each buffer: the widest word

struct SharedLayout {
    std::map<const Buffer *, int64_t> offsets; // only looked up
    int64_t bytes = 0;                         // of a block
    bool oneBlock = false;                     // buffers are places in one block of bytes, not variables
    [[nodiscard]] bool dynamic() const { return bytes > kMostStaticShared; }
};

SharedLayout sharedLayoutOf(Stmt kernel);

} // namespace loopscope
