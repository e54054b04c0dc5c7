#pragma once
// Where the shared buffers of a kernel lie. Up to 48 KiB they are variables of the kernel; what is larger has to be
// asked for at the launch, as one block of bytes, and so do buffers that follow one another in the same bytes.

#include "codegen/kernel_launch.h"
#include "loop_ir/program.h"

#include <cstdint>
#include <map>

namespace loopscope {

struct SharedLayout {
    std::map<const Buffer *, int64_t> offsets; // only looked up
    int64_t bytes = 0;                         // of a block
    bool oneBlock = false;                     // buffers are places in one block of bytes, not variables
    [[nodiscard]] bool dynamic() const { return bytes > kDeclaredSharedBytes; }
};

SharedLayout sharedLayoutOf(Stmt kernel);

} // namespace loopscope
